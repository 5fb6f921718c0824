// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * blunders KIND [MS=800]: a program with one thing badly made, for so much CPU time or ten times as
 * long. Written as a blind test of `pmubpf advise`, with its rules frozen
 * (docs/design/0033-advise.md has how it went).
 *
 * Known answer, written before it was run:
 *
 *	durable    writes a line, and waits until it is on the disk, in keep(): disk
 *	hoarder    holds a lock while it works, in serve(): locks
 *	strings    appends behind strlen() of a string that gets long, in append(): copying
 *	shell      asks a shell for each item, in ask_shell(): process-starts
 *	records    reads a file by 16 bytes, in load(): system-calls
 *	thread     a thread for each request, in accept_one(): process-starts
 *	yield      a spin lock of its own that yields, in take(): spinning
 *	buffer     a zeroed buffer of 16 MB for each request, of which little is needed, in
 *	           handle(): allocator-churn
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "spin.h"

enum { WORKERS = 3, LONG = 1 << 20, BUFFER = 16 << 20 };

static uint64_t work_ns, until_ns;

static bool goes_on(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns && clock_ns(CLOCK_MONOTONIC) < until_ns;
}

WORK static uint64_t compute(uint64_t n)
{
	uint64_t h = n;

	for (int i = 0; i < 2000; i++)
		h = h * 6364136223846793005ULL + 1442695040888963407ULL;
	return h;
}

/* A file of this folder, which nobody else has. */
static int scratch(void)
{
	char name[] = "blunders-XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		exit(1);
	unlink(name);
	return fd;
}

static void start_workers(void *(*work)(void *))
{
	pthread_t threads[WORKERS];

	for (int i = 0; i < WORKERS; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			exit(1);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- durable */

WORK static void keep(int fd, uint64_t value)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)value);

	if (write(fd, line, (size_t)n) != n || fsync(fd) < 0)
		exit(1);
}

static void durable(void)
{
	int fd = scratch();

	for (uint64_t i = 0; goes_on(); i++)
		keep(fd, compute(i));
	close(fd);
}

/* ---- hoarder */

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t table;

WORK static void serve(void)
{
	pthread_rwlock_wrlock(&table_lock);
	for (int i = 0; i < 50; i++)
		table += compute(table);
	pthread_rwlock_unlock(&table_lock);
}

static void *server(void *unused)
{
	while (goes_on())
		serve();
	return unused;
}

/* ---- strings */

WORK static void append(char *text, const char *word)
{
	memcpy(text + strlen(text), word, strlen(word) + 1);
}

static void strings(void)
{
	char *text = malloc(LONG + 64);

	while (text && goes_on()) {
		*text = '\0';
		for (size_t i = 0; i < LONG / 16 && goes_on(); i++)
			append(text, "a word, and more");
	}
	free(text);
}

/* ---- shell */

WORK static void ask_shell(void)
{
	char answer[64];
	FILE *shell = popen("echo 42", "re");

	if (!shell || !fgets(answer, sizeof(answer), shell))
		exit(1);
	pclose(shell);
}

/* ---- records */

struct record {
	uint64_t key, value;
};

WORK static uint64_t load(int fd, off_t at)
{
	struct record r;

	return pread(fd, &r, sizeof(r), at) == sizeof(r) ? r.key ^ r.value : 0;
}

static void records(void)
{
	static struct record some[4096];
	int fd = scratch();
	uint64_t sum = 0;

	if (write(fd, some, sizeof(some)) != sizeof(some))
		exit(1);
	while (goes_on()) {
		for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
			sum += load(fd, (off_t)(i * sizeof(*some)));
	}
	close(fd);
	table = sum;
}

/* ---- thread */

static void *request(void *result)
{
	*(uint64_t *)result = compute(1);
	return NULL;
}

WORK static void accept_one(void)
{
	pthread_t thread;
	uint64_t result;

	if (pthread_create(&thread, NULL, request, &result) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

/* ---- yield */

static atomic_flag taken = ATOMIC_FLAG_INIT;

WORK static void take(void)
{
	while (atomic_flag_test_and_set(&taken))
		sched_yield();
}

static void *yielder(void *unused)
{
	while (goes_on()) {
		take();
		for (int i = 0; i < 50; i++)
			table += compute(table);
		atomic_flag_clear(&taken);
	}
	return unused;
}

/* ---- buffer */

WORK static void handle(void)
{
	volatile char *buffer = calloc(1, BUFFER);

	if (!buffer)
		exit(1);
	for (size_t i = 0; i < BUFFER; i += 8192)
		buffer[i] = 1;
	compute(2);
	free((char *)buffer);
}

static void repeat(void (*once)(void))
{
	while (goes_on())
		once();
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	work_ns = (uint64_t)arg_num(argc, argv, 2, 800) * 1000000;
	until_ns = clock_ns(CLOCK_MONOTONIC) + 10 * work_ns;
	if (strcmp(kind, "durable") == 0)
		durable();
	else if (strcmp(kind, "hoarder") == 0)
		start_workers(server);
	else if (strcmp(kind, "strings") == 0)
		strings();
	else if (strcmp(kind, "shell") == 0)
		repeat(ask_shell);
	else if (strcmp(kind, "records") == 0)
		records();
	else if (strcmp(kind, "thread") == 0)
		repeat(accept_one);
	else if (strcmp(kind, "yield") == 0)
		start_workers(yielder);
	else if (strcmp(kind, "buffer") == 0)
		repeat(handle);
	else
		return 2;
	return 0;
}
