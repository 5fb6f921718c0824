// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fakepython as CPython 3.10, whose frames are objects. */
#define VERSION 0x030a00f0
#include "fakepython.c"
