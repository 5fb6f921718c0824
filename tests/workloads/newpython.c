// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that says it is CPython 3.99, which nobody knows yet; otherwise fakepython. */
#define VERSION 0x036300f0
#include "fakepython.c"
