// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that says it is CPython 3.12, and whose objects are hostile: lists that never end,
 * frames that are their own callers, texts of 2^62 characters, pointers to nowhere and into the
 * kernel. It spins for ARGV[2] seconds; ARGV[1] says which: cycle, threads, interpreters, nobody,
 * length, kernel, nowhere, many.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef VERSION
#define VERSION 0x030c01f0
#endif
const unsigned long Py_Version = VERSION;

enum { WORDS = 64, MANY = 4096 };

static uint64_t interpreter[WORDS], thread[WORDS];
static uint64_t frames[MANY][16], codes[MANY][32], text[WORDS];
uint64_t _PyRuntime[128] = {1}; /* in .data, as CPython's is */

/* words */
#if VERSION < 0x030b0000
enum { THREAD_ID = 22, FRAME_CODE = 4, FRAME_BACK = 3, CODE_FILE = 13, CODE_NAME = 14, CODE_LINES };
#else
enum { THREAD_ID = 17, FRAME_CODE = 0, FRAME_BACK = 1, CODE_FILE = 14, CODE_NAME = 16, CODE_LINES };
#endif

static uint64_t addr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Large enough to be taken for it. */
#define NOPS ".fill 12000, 1, 0x90\n"
__attribute__((noinline)) double _PyEval_EvalFrameDefault(double seconds)
{
	struct timespec from, now;
	double spent;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
		spent = (double)(now.tv_sec - from.tv_sec) +
			(double)(now.tv_nsec - from.tv_nsec) / 1e9;
	} while (spent < seconds);
	if (spent < 0)
		__asm__ volatile(NOPS);
	return spent;
}

#if VERSION < 0x030b0000
static void make(void)
{
	_PyRuntime[4] = addr(interpreter);
	interpreter[1] = addr(thread);
	thread[1] = addr(thread);
	thread[THREAD_ID] = addr((void *)pthread_self());
	thread[3] = addr(frames[0]);
	for (int i = 0; i < MANY; i++) {
		frames[i][FRAME_CODE] = addr(codes[i]);
		frames[i][FRAME_BACK] = addr(frames[(i + 1) % MANY]);
		codes[i][5] = i;
		codes[i][CODE_FILE] = codes[i][CODE_NAME] = codes[i][CODE_LINES] = addr(text);
	}
	text[2] = 5;
	text[4] = 0x64;
	memcpy(&text[6], "hello", 5);
}
#else
static uint64_t cframe[WORDS];

static void make(void)
{
	_PyRuntime[5] = addr(interpreter);
	interpreter[9] = addr(thread);
	thread[1] = addr(thread);
	thread[THREAD_ID] = addr((void *)pthread_self());
	thread[7] = addr(cframe);
	cframe[0] = addr(frames[0]);
	for (int i = 0; i < MANY; i++) {
		frames[i][FRAME_CODE] = addr(codes[i]);
		frames[i][FRAME_BACK] = addr(frames[(i + 1) % MANY]);
		codes[i][8] = (uint64_t)i << 32;
		codes[i][CODE_FILE] = codes[i][CODE_NAME] = codes[i][CODE_LINES] = addr(text);
	}
	text[2] = 5;
	text[4] = 0x64;
	memcpy(&text[5], "hello", 5);
}
#endif

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	make();
	if (strcmp(what, "cycle") == 0) {
		frames[0][FRAME_BACK] = addr(frames[0]);
	} else if (strcmp(what, "threads") == 0) {
		thread[THREAD_ID] = 1; /* another's; and the next one is the same */
	} else if (strcmp(what, "interpreters") == 0) {
		interpreter[0] = addr(interpreter);
	} else if (strcmp(what, "nobody") == 0) {
		interpreter[0] = addr(interpreter);
		thread[THREAD_ID] = 1;
		thread[1] = 0;
	} else if (strcmp(what, "length") == 0) {
		text[2] = 1ULL << 62;
	} else if (strcmp(what, "kernel") == 0) {
		frames[0][FRAME_CODE] = frames[0][FRAME_BACK] = 0xffffffff81000000;
	} else if (strcmp(what, "nowhere") == 0) {
		codes[0][CODE_FILE] = codes[0][CODE_NAME] = codes[0][CODE_LINES] = 8;
		text[2] = UINT64_MAX;
	} /* many: as it is */
	return _PyEval_EvalFrameDefault(argc > 2 ? strtod(argv[2], NULL) : 1) < 0;
}
