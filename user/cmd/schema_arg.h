/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --schema FORM: the tables of ClickHouse, printed. */
#ifndef PMUBPF_CMD_SCHEMA_ARG_H
#define PMUBPF_CMD_SCHEMA_ARG_H

#include "base/err.h"

/* A usage error with the sentence: there is no such form. */
int schema_arg__print(const char *form, struct err *err);

#endif
