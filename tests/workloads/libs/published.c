// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The variable of each thread by which it says what it works on, in a library (see contexts.c). */
struct record;

__attribute__((visibility("default"))) __thread struct record *otel_thread_ctx_v1;

struct record **published_slot(void)
{
	return &otel_thread_ctx_v1;
}
