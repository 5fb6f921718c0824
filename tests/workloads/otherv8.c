// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that says it is V8, but not all that one has to know of it; otherwise fakev8. */
#define OTHER
#include "fakev8.c"
