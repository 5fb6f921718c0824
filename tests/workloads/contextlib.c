// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* contexts.c with its variable in a library. */
#define IN_LIBRARY 1
#include "contexts.c"
