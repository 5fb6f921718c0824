/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process gives up the network. */
#ifndef PMUBPF_SYS_NO_NETWORK_H
#define PMUBPF_SYS_NO_NETWORK_H

/* From here on neither this process nor what it starts can have a new socket of another kind than
 * those of this host's files (AF_UNIX) and of the kernel (AF_NETLINK): EACCES. Wants no_new_privs.
 * 0 or a negative errno. */
int no_network(void);

#endif
