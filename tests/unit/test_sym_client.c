// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The client against helpers that die, hang, lie and send garbage: each file they fail on is
 * answered with SYM_HELPER, in bounded time, and the next file gets a new helper.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "fake_helper.h"
#include "sym/sym.h"
#include "symd/protocol.h"
#include "symd/sandbox.h"
#include "symd/symd.h"
#include "sys/clock.h"

enum { TIMEOUT_MS = 5000, SHORT_MS = 200 };

static struct sym *sym;

static void start(int (*child)(int sock), int timeout_ms)
{
	struct err err = {0};

	cr_assert_eq(sym__new_with(&sym, child, timeout_ms, &err), 0, "%s", err.text);
}

static void done(void)
{
	sym = sym__free(sym);
}

TestSuite(sym_client, .fini = done, .timeout = 60);

static int map_file(const char *text, size_t len)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	return fd;
}

static void expect(const char *map, uint64_t addr, enum sym_reason reason, const char *name)
{
	int fd = map_file(map, strlen(map));
	struct sym_name got;

	sym__jit(sym, SYM_PERF_MAP, fd, &addr, 1, &got);
	cr_expect_eq(got.reason, reason, "%s: reason %s, not %s", map, sym_reason_keys[got.reason],
		     sym_reason_keys[reason]);
	cr_expect(name ? got.frame.name && !strcmp(got.frame.name, name) : !got.frame.name);
	cr_expect_eq(got.vaddr, addr);
	sym_name__done(&got);
	close(fd);
}

Test(sym_client, asks_and_is_answered)
{
	start(symd_main, TIMEOUT_MS);
	expect("1000 10 _ZN3foo3barEv\n", 0x1008, SYM_NAMED, "foo::bar");
	expect("1000 10 jitted\n", 0x2000, SYM_NO_SYMBOL, NULL);
	cr_assert_eq(sym__failures(sym), 0);
}

/* What stands in brackets is the tool's own word. */
Test(sym_client, quotes_what_looks_like_its_own)
{
	start(symd_main, TIMEOUT_MS);
	expect("1000 10 [unknown]\n", 0x1008, SYM_NAMED, "'[unknown]'");
	expect("1000 10 [not named: no room]\n", 0x1008, SYM_NAMED, "'[not named: no room]'");
	expect("1000 10 f[int]\n", 0x1008, SYM_NAMED, "f[int]");
}

Test(sym_client, names_without_a_file)
{
	static const char *const names[] = {"_ZN2ns4workEv",
					    "main",
					    "_RNvC3foo3bar",
					    "",
					    "_ZNSt6vectorIiSaIiEE9push_backEOi",
					    "_Z"};
	static const char *const want[] = {"ns::work",
					   NULL,
					   "foo::bar",
					   NULL,
					   "std::vector<int, std::allocator<int> >::push_back",
					   NULL};
	const char *got[ARRAY_SIZE(names)];

	start(symd_main, TIMEOUT_MS);
	cr_assert_eq(sym__demangle(sym, names, ARRAY_SIZE(names), got), ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cr_expect_eq(!got[i], !want[i], "%s: %s", names[i], got[i]);
		cr_expect(!got[i] || strcmp(got[i], want[i]) == 0, "%s: %s", names[i], got[i]);
	}
}

/* More than a request holds, and more than a reply does; one is longer than any name may be. */
Test(sym_client, many_long_names)
{
	enum { N = 5000, BYTES = 2000 };
	const char **names = xcalloc(N, sizeof(*names)), **got = xcalloc(N, sizeof(*got));
	char *too_long = xcalloc(1, SYMD_NAME_MAX + 2);

	for (int i = 0; i < N; i++)
		names[i] = xasprintf("_ZN1a%db%0*dEv", BYTES + 1, BYTES, i);
	memset(too_long, 'x', SYMD_NAME_MAX + 1);
	memcpy(too_long, "_Z", 2);
	free((char *)names[7]);
	names[7] = too_long;
	start(symd_main, TIMEOUT_MS);
	cr_assert_eq(sym__demangle(sym, names, N, got), N);
	for (int i = 0; i < N; i++) {
		cr_assert_eq(i == 7, got[i] == NULL, "%d", i);
		cr_assert(!got[i] || strncmp(got[i], "a::b000", 7) == 0, "%s", got[i]);
		free((char *)names[i]);
	}
	free(names);
	free(got);
}

/* More answers than a request may ask for, and more bytes than a reply can hold. */
Test(sym_client, many_addresses_with_long_names)
{
	enum { N = 10000, NAME = 1000 };
	uint64_t *addrs = xcalloc(N, sizeof(*addrs));
	struct sym_name *got = xcalloc(N, sizeof(*got));
	struct buf map = {0};
	int fd;

	for (int i = 0; i < N; i++) {
		addrs[i] = 0x1000 + (uint64_t)i * 16;
		buf__printf(&map, "%lx 10 %0*d\n", (unsigned long)addrs[i], NAME, i);
	}
	fd = map_file(map.data, map.len);
	start(symd_main, TIMEOUT_MS);
	sym__jit(sym, SYM_PERF_MAP, fd, addrs, N, got);
	for (int i = 0; i < N; i++) {
		char expected[NAME + 1];

		snprintf(expected, sizeof(expected), "%0*d", NAME, i);
		cr_assert_eq(got[i].reason, SYM_NAMED);
		cr_assert_str_eq(got[i].frame.name, expected);
		sym_name__done(&got[i]);
	}
	buf__done(&map);
	free(addrs);
	free(got);
	close(fd);
}

Test(sym_client, refuses_what_is_not_elf)
{
	struct sym_file file = {.fd = map_file("#!/bin/sh\n", 10), .root_fd = -1};
	uint64_t offsets[2] = {0, 0x1000};
	struct sym_name got[2];

	start(symd_main, TIMEOUT_MS);
	sym__elf(sym, &file, offsets, 2, got);
	cr_assert_eq(got[1].reason, SYM_BAD_FILE);
	cr_assert_eq(got[1].vaddr, 0x1000);
	cr_assert_eq(sym__failures(sym), 0);
	close(file.fd);
}

/* Helpers that misbehave when a map contains a certain word, and are honest otherwise. */
static bool asks_for_trouble(int fd)
{
	char text[64] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && strstr(text, "trouble");
}

static int lying_helper(int sock, void (*misbehave)(int sock, const struct symd_header *header))
{
	static char request[SYMD_MSG_MAX];
	struct symd_header header;
	struct cursor body;
	struct buf b = {0};
	bool trouble = false;
	ssize_t n;
	int fd;

	say_hello(sock);
	while ((n = symd_msg__recv(sock, request, &fd, 0)) > 0) {
		if (symd_msg__parse(request, (size_t)n, &header, &body) < 0)
			break;
		if (fd >= 0)
			trouble = asks_for_trouble(fd);
		if (trouble) {
			misbehave(sock, &header);
			continue;
		}
		symd_msg__begin(&b, header.type, header.seq);
		if (header.type == SYMD_LOOKUP) {
			cursor__u32(&body);
			cursor__u32(&body);
			symd_msg__put_u32(&b, 1);
			symd_msg__put_u8(&b, SYM_NAMED);
			symd_msg__put_u64(&b, cursor__u64(&body));
			symd_msg__put_u16(&b, 0); /* no block */
			symd_msg__put_u16(&b, 2);
			buf__add(&b, "ok", 2);
			/* no other name, no file, no line, no first line… */
			buf__add(&b, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
			buf__add(&b, "\0", 1); /* …nothing inlined */
		} else {
			symd_msg__put_u8(&b, SYM_NAMED);
		}
		symd_msg__end(&b);
		symd_msg__send(sock, &b, -1, 0);
	}
	return 0;
}

static void expect_trouble(const char *words)
{
	char *trouble = sym__take_trouble(sym);

	cr_expect(words ? trouble && strstr(trouble, words) : !trouble, "%s, not %s",
		  trouble ? trouble : "nothing", words ? words : "nothing");
	free(trouble);
}

static void trouble_then_recovery(int (*child)(int sock), const char *words)
{
	uint64_t before = now_ns();

	start(child, SHORT_MS * 5);
	expect("1000 10 fine\n", 0x1000, SYM_NAMED, "ok");
	expect_trouble(NULL);
	expect("1000 10 trouble\n", 0x1000, SYM_HELPER, NULL);
	expect_trouble(words);
	expect("1000 10 fine\n", 0x1000, SYM_NAMED, "ok");
	expect_trouble(NULL);
	expect("1000 10 trouble\n", 0x1000, SYM_HELPER, NULL);
	expect("1000 10 fine\n", 0x1000, SYM_NAMED, "ok");
	cr_assert_eq(sym__failures(sym), 2);
	cr_assert_lt(now_ns() - before, 10 * 1000000000ULL);
}

static void die(int sock, const struct symd_header *header)
{
	(void)sock, (void)header;
	raise(SIGKILL);
}

static void hang(int sock, const struct symd_header *header)
{
	(void)sock, (void)header;
	for (;;)
		pause();
}

static void send_garbage(int sock, const struct symd_header *header)
{
	char junk[4000];

	(void)header;
	memset(junk, 0xee, sizeof(junk));
	if (send(sock, junk, sizeof(junk), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void send_too_much(int sock, const struct symd_header *header)
{
	static char junk[SYMD_MSG_MAX + 1];

	(void)header;
	if (send(sock, junk, sizeof(junk), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void answer_another_question(int sock, const struct symd_header *header)
{
	struct buf b = {0};

	symd_msg__begin(&b, header->type, header->seq - 1);
	symd_msg__put_u8(&b, SYM_NAMED);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

/* One answer of each kind that must not be believed, chosen by how often it was asked. */
static void send_bad_answers(int sock, const struct symd_header *header)
{
	struct buf b = {0};

	symd_msg__begin(&b, header->type, header->seq);
	if (header->type != SYMD_LOOKUP) {
		symd_msg__put_u8(&b, SYM_NAMED);
	} else {
		symd_msg__put_u32(&b, 1);
		symd_msg__put_u8(&b, SYM_NAMED);
		symd_msg__put_u64(&b, 0);
		symd_msg__put_u16(&b, 0); /* no block */
		symd_msg__put_u16(&b, 5);
		buf__add(&b, "a\0b", 3); /* shorter than it says, and with a NUL */
	}
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

static void send_zero_answers(int sock, const struct symd_header *header)
{
	struct buf b = {0};

	symd_msg__begin(&b, header->type, header->seq);
	if (header->type == SYMD_LOOKUP)
		symd_msg__put_u32(&b, 0);
	else
		symd_msg__put_u8(&b, SYM_NAMED);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

/* A place with more inlined calls than it sends, and one without a name. */
static void send_bad_inlined(int sock, const struct symd_header *header)
{
	struct buf b = {0};

	symd_msg__begin(&b, header->type, header->seq);
	if (header->type != SYMD_LOOKUP) {
		symd_msg__put_u8(&b, SYM_NAMED);
	} else {
		symd_msg__put_u32(&b, 1);
		symd_msg__put_u8(&b, SYM_NAMED);
		symd_msg__put_u64(&b, 0);
		symd_msg__put_u16(&b, 0); /* no block */
		symd_msg__put_u16(&b, 2);
		buf__add(&b, "ok\0\0\0\0\0\0\0\0\0\0\0\0", 14);
		symd_msg__put_u8(&b, 3);
		symd_msg__put_u16(&b, 2);
		buf__add(&b, "in\0\0\0\0\0\0\0\0\0\0\0\0", 14);
		buf__add(&b, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 14);
	}
	symd_msg__end(&b);
	symd_msg__send(sock, &b, -1, 0);
	buf__done(&b);
}

#define HELPER(misbehave, words)                                  \
	static int helper_##misbehave(int sock)                   \
	{                                                         \
		return lying_helper(sock, misbehave);             \
	}                                                         \
	Test(sym_client, recovers_from_##misbehave)               \
	{                                                         \
		trouble_then_recovery(helper_##misbehave, words); \
	}

HELPER(die, "signal 9")
HELPER(hang, "in time")
HELPER(send_garbage, "an invalid answer")
HELPER(send_too_much, "an invalid answer")
HELPER(answer_another_question, "an invalid answer")
HELPER(send_bad_answers, "an invalid answer")
HELPER(send_zero_answers, "an invalid answer")
HELPER(send_bad_inlined, "an invalid answer")

static void count_call(void *ctx)
{
	++*(unsigned *)ctx;
}

/* A recording that goes on is looked after while a helper takes its time: every 10 ms. */
Test(sym_client, others_go_on_while_a_helper_is_waited_for)
{
	unsigned calls = 0;

	start(helper_hang, SHORT_MS);
	sym__meanwhile(sym, count_call, &calls);
	expect("100 10 trouble\n", 0x100, SYM_HELPER, NULL);
	cr_expect_gt(calls, 1, "%u calls", calls);
}

/* Whoever takes more than what others left it is put off, and may be asked again: that is no
 * failure. */
Test(sym_client, puts_off_who_takes_too_long)
{
	start(helper_hang, SHORT_MS * 5);
	sym__set_patience(sym, SHORT_MS * 1000000ULL / 4);
	expect("100 10 trouble\n", 0x100, SYM_TIME, NULL);
	cr_expect(sym__was_put_off(sym));
	expect_trouble(NULL);
	cr_expect_eq(sym__failures(sym), 0);
	sym__set_patience(sym, TIMEOUT_MS * 1000000ULL);
	expect("1000 10 fine\n", 0x1000, SYM_NAMED, "ok");
	cr_expect_not(sym__was_put_off(sym));
	sym__set_patience(sym, 0);
	expect("100 10 trouble\n", 0x100, SYM_HELPER, NULL);
	cr_expect_not(sym__was_put_off(sym));
	expect_trouble("in time");
}

/* Neither a signal nor the end of all time is a fault of the file that was being read, and what
 * comes next isn't looked at. */
static void expect_out_of_time(uint64_t deadline_ns, int stop_fd, uint64_t stop_from_ns,
			       uint64_t least_ns)
{
	uint64_t before;
	char *trouble;

	start(helper_hang, TIMEOUT_MS);
	before = now_ns();
	sym__until(sym, deadline_ns, stop_fd, stop_from_ns);
	expect("100 10 trouble\n", 0x100, SYM_TIME, NULL);
	cr_expect_geq(now_ns() - before, least_ns);
	cr_expect_lt(now_ns() - before, least_ns + 2000000000ULL);
	expect("100 10 f\n", 0x100, SYM_TIME, NULL);
	cr_expect_eq(sym__failures(sym), 0);
	trouble = sym__take_trouble(sym);
	cr_expect_null(trouble);
	done();
}

Test(sym_client, is_stopped_by_a_signal_or_the_time)
{
	const uint64_t ms = 1000000;
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	expect_out_of_time(now_ns() + 300 * ms, -1, 0, 200 * ms);
	expect_out_of_time(now_ns() + 300 * ms, fds[0], now_ns(), 200 * ms);
	cr_assert_eq(write(fds[1], "x", 1), 1);
	expect_out_of_time(UINT64_MAX, fds[0], now_ns() + 300 * ms, 200 * ms);
	close(fds[0]);
	close(fds[1]);
}

/* In its sandbox, as a file that has taken it over would find it. */
static void try_to_escape(int sock, const struct symd_header *header)
{
	(void)sock, (void)header;
	if (sandbox_enter(SYMD_FD) == 0)
		syscall(SYS_kill, getppid(), SIGTERM);
	_exit(0);
}
HELPER(try_to_escape, "sandbox forbids")

static int silent(int sock)
{
	(void)sock;
	return 127;
}

Test(sym_client, a_helper_that_does_not_start_is_an_error)
{
	struct err err = {0};

	cr_assert_lt(sym__new_with(&sym, silent, SHORT_MS, &err), 0);
	cr_assert_not_null(strstr(err.text, "symbol helper"));
}

/* What the helper's main function gets: its socket, no other descriptor of ours. */
static int count_fds(int sock)
{
	for (int fd = SYMD_FD + 1; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			return 1;
	}
	return symd_main(sock);
}

Test(sym_client, inherits_no_descriptors)
{
	int fd = open("/dev/null", O_RDONLY);

	cr_assert_geq(dup2(fd, 500), 0);
	start(count_fds, TIMEOUT_MS);
	expect("1000 10 f\n", 0x1000, SYM_NAMED, "f");
	close(fd);
	close(500);
}
