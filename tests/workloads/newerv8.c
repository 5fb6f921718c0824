// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fakev8, as the latest V8 has its bytecode and the tables beside it. */
#define NEWER
#include "fakev8.c"
