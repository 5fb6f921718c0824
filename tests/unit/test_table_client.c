// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The asynchronous client of unwind tables: an honest helper, and those that die, hang, lie, send
 * descriptors, and hold on to what they were lent. Nothing may wait.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fake_helper.h"
#include "sym/helper.h"
#include "sym/table.h"
#include "sym/table_client.h"
#include "symd/protocol.h"
#include "symd/sandbox.h"
#include "symd/symd.h"
#include "sys/clock.h"
#include "sys/fd_packet.h"

static const uint64_t SECOND = 1000000000;
enum { WAIT_MS = 20000 };

TestSuite(table_client, .timeout = 60);

/* As the main loop does it, which has other things to poll. */
static enum table_status ask_for(struct table_client *c, int fd, const struct table_wanted *wanted,
				 uint64_t patience_ns, int *ret_fd)
{
	uint64_t deadline = now_ns() + patience_ns, before;
	enum table_status status;
	int r;

	while ((r = table_client__start(c, fd, wanted, deadline)) == -EBUSY)
		usleep(1000);
	cr_assert_eq(r, 0);
	/* a helper that was gone at once has no descriptor any more */
	cr_assert_eq(table_client__start(c, fd, wanted, deadline), -EBUSY);
	for (int i = 0;; i++) {
		struct pollfd p = {.fd = table_client__poll_fd(c), .events = POLLIN};

		before = now_ns();
		status = table_client__finish(c, before, ret_fd);
		cr_expect_lt(now_ns() - before, SECOND / 2, "it waited");
		if (status != TABLE_PENDING)
			break;
		cr_assert_lt(i, WAIT_MS / 20);
		poll(&p, 1, 20);
	}
	cr_assert_lt(table_client__poll_fd(c), 0);
	cr_assert_eq(*ret_fd >= 0, status == TABLE_BUILT);
	return status;
}

static enum table_status ask(struct table_client *c, int fd, uint64_t patience_ns, int *ret_fd)
{
	const struct table_wanted all = {.to = UINT64_MAX, .most = UINT64_MAX};

	return ask_for(c, fd, &all, patience_ns, ret_fd);
}

static enum table_status ask_up_to(struct table_client *c, int fd, uint64_t most, int *ret_fd)
{
	const struct table_wanted wanted = {.to = UINT64_MAX, .most = most};

	return ask_for(c, fd, &wanted, 20 * SECOND, ret_fd);
}

static int open_self(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static int text_file(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

static void expect_own_table(struct table_client *c)
{
	struct unwind_table table;
	int fd = open_self(), table_fd;

	cr_assert_eq(ask(c, fd, 20 * SECOND, &table_fd), TABLE_BUILT);
	cr_assert_eq(unwind_table__read(table_fd, &table), 0);
	cr_expect_gt(table.head.n_rows, 100);
	unwind_table__done(&table);
	close(table_fd);
	close(fd);
}

#if defined(__x86_64__) || defined(__aarch64__)
Test(table_client, asks_and_is_answered)
{
	struct table_client *c = table_client__new(symd_main);
	int fd = text_file("#!/bin/sh\n"), table_fd;

	cr_assert_eq(table_client__poll_fd(c), -1);
	cr_assert_eq(table_client__finish(c, 0, &table_fd), TABLE_PENDING);
	expect_own_table(c);
	cr_assert_eq(ask(c, fd, 20 * SECOND, &table_fd), TABLE_BAD_FILE);
	expect_own_table(c);
	table_client__distrust(c);
	expect_own_table(c);
	close(fd);
	table_client__free(c);
}
#endif

/* Others' in messages that nobody has received: the kernel counts them by user, and a process with
 * a low limit may send none then. */
#if defined(__x86_64__) || defined(__aarch64__)
Test(table_client, many_descriptors_in_flight)
{
	struct table_client *c = table_client__new(symd_main);
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	for (int i = 0; i < 2 * SANDBOX_FILES; i++)
		cr_assert_eq(fd_packet__send(pair[0], "x", 1, STDIN_FILENO, MSG_DONTWAIT), 0);
	expect_own_table(c);
	table_client__free(c);
	close(pair[0]);
	close(pair[1]);
}
#endif

/* However large they are now: the size is looked at with each question. */
#if defined(__x86_64__) || defined(__aarch64__)
Test(table_client, files_that_are_larger_than_was_said)
{
	struct table_client *c = table_client__new(symd_main);
	int fd = open_self(), table_fd;
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	cr_expect_eq(ask_up_to(c, fd, (uint64_t)st.st_size - 1, &table_fd), TABLE_LARGE);
	cr_expect_eq(ask_up_to(c, fd, (uint64_t)st.st_size, &table_fd), TABLE_BUILT);
	close(table_fd);
	close(fd);
	table_client__free(c);
}
#endif

/* Which runtime it is, and no rows. */
Test(table_client, a_description)
{
	const struct table_wanted none = {.from = 1, .to = 1, .most = UINT64_MAX};
	struct table_client *c = table_client__new(symd_main);
	int fd = open_self(), table_fd;
	struct unwind_table table;

	cr_expect_eq(ask_for(c, fd, &none, 20 * SECOND, &table_fd), TABLE_BUILT);
	cr_assert_eq(unwind_table__read(table_fd, &table), 0);
	cr_expect_eq(table.head.n_rows, 0);
	unwind_table__done(&table);
	close(table_fd);
	close(fd);
	table_client__free(c);
}

/* Helpers that misbehave for files that begin with a word of theirs. */
static void answer(int sock, const struct symd_header *header, const void *body, size_t len)
{
	struct buf b = {0};
	int fd = open("/dev/null", O_RDONLY);

	symd_msg__begin(&b, header->type, header->seq);
	buf__add(&b, body, len);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, fd, 0); /* whatever comes with it is not taken */
	close(fd);
	buf__done(&b);
}

static void misbehave(int sock, const struct fake_request *r, const char *how)
{
	struct symd_header other = r->header;

	if (!strcmp(how, "die"))
		raise(SIGKILL);
	if (!strcmp(how, "hang"))
		for (;;)
			pause();
	if (!strcmp(how, "other"))
		other.seq++;
	if (!strcmp(how, "mapped") &&
	    (ftruncate(r->into, 4096) < 0 ||
	     mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, r->into, 0) == MAP_FAILED))
		return;
	if (!strcmp(how, "text") && write(r->into, how, strlen(how)) < 0)
		return;
	if (!strcmp(how, "long"))
		answer(sock, &other, "\0\0", 2);
	else if (!strcmp(how, "empty"))
		answer(sock, &other, "", 0);
	else if (!strcmp(how, "large")) /* no file is too large for whoever takes all */
		answer(sock, &other, "\5", 1);
	else if (!strcmp(how, "status"))
		answer(sock, &other, "\xff", 1);
	else
		answer(sock, &other, "\0", 1);
}

static int lying_helper(int sock)
{
	struct fake_request r = {.into = -1};

	say_hello(sock);
	while (next_request(sock, &r)) {
		char how[32] = "";

		if (pread(r.fd, how, sizeof(how) - 1, 0) < 0)
			break;
		misbehave(sock, &r, how);
		close(r.fd);
	}
	return 0;
}

static void expect_failure(const char *how, enum table_status status)
{
	struct table_client *c = table_client__new(lying_helper);
	int fd = text_file(how), table_fd;
	struct unwind_table table;

	for (int i = 0; i < 2; i++) {
		cr_expect_eq(ask(c, fd, SECOND / 5, &table_fd), status, "%s", how);
		if (status == TABLE_BUILT) {
			cr_expect_eq(unwind_table__read(table_fd, &table), -EPROTO);
			close(table_fd);
		}
	}
	close(fd);
	table_client__free(c);
}

Test(table_client, helpers_that_fail)
{
	expect_failure("die", TABLE_HELPER);
	expect_failure("hang", TABLE_HELPER);
	expect_failure("other", TABLE_HELPER);
	expect_failure("long", TABLE_HELPER);
	expect_failure("empty", TABLE_HELPER);
	expect_failure("status", TABLE_HELPER);
	expect_failure("large", TABLE_HELPER);
	expect_failure("mapped", TABLE_BUILT);  /* and written to still */
	expect_failure("nothing", TABLE_BUILT); /* what is no table, reading it finds out */
	expect_failure("text", TABLE_BUILT);
}

/* Far before its time is over: one that sleeps and is asked waits for somebody who does not
 * answer. */
Test(table_client, one_that_sleeps_is_given_up)
{
	struct table_client *c = table_client__new(lying_helper);
	int fd = text_file("hang"), table_fd;

	cr_expect_eq(ask(c, fd, 60 * SECOND, &table_fd), TABLE_HELPER);
	cr_expect(table_client__was_stuck(c));
	close(fd);
	table_client__free(c);
}

/* No descriptor is left, whatever the helpers sent. */
Test(table_client, nothing_leaks)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	expect_failure("long", TABLE_HELPER);
	expect_failure("other", TABLE_HELPER);
	expect_failure("nothing", TABLE_BUILT);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	cr_expect_eq(after, before + 1);
	close(after);
	close(before);
}

static int silent(int sock)
{
	(void)sock;
	return 127;
}

Test(table_client, a_helper_that_does_not_start)
{
	struct table_client *c = table_client__new(silent);
	int fd = open_self(), table_fd;

	cr_expect_eq(ask(c, fd, SECOND, &table_fd), TABLE_HELPER);
	cr_expect_eq(ask(c, fd, SECOND, &table_fd), TABLE_HELPER);
	close(fd);
	table_client__free(c);
}
