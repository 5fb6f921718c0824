/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long who asks a server in vain waits. */
#ifndef PMUBPF_SHIP_PAUSE_H
#define PMUBPF_SHIP_PAUSE_H

#include <stdint.h>

/* Sleeps, by chance, up to a time that doubles with each try (from 1 on) up to a minute; and the
 * seconds that the server has asked for besides. */
void pause_a_while(unsigned tries, uint32_t wait_s);

#endif
