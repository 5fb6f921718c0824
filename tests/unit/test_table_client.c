// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The asynchronous client of unwind tables: an honest helper, and those that die, hang, lie and
 * send the wrong descriptors. Nothing may wait.
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
#include "symd/symd.h"
#include "sys/clock.h"

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
static void answer(int sock, const struct symd_header *header, const void *body, size_t len, int fd)
{
	struct buf b = {0};

	symd_msg__begin(&b, header->type, header->seq);
	buf__add(&b, body, len);
	symd_msg__end(&b);
	symd_msg__send(sock, &b, fd, 0);
	buf__done(&b);
}

static void misbehave(int sock, const struct symd_header *header, const char *how)
{
	struct symd_header other = *header;
	int fd = text_file("not sealed");

	if (!strcmp(how, "die"))
		raise(SIGKILL);
	if (!strcmp(how, "hang"))
		for (;;)
			pause();
	if (!strcmp(how, "other"))
		other.seq++;
	if (!strcmp(how, "no fd"))
		answer(sock, &other, "\0", 1, -1);
	else if (!strcmp(how, "needless fd"))
		answer(sock, &other, "\1", 1, fd);
	else if (!strcmp(how, "long"))
		answer(sock, &other, "\0\0", 2, fd);
	else if (!strcmp(how, "empty"))
		answer(sock, &other, "", 0, fd);
	else if (!strcmp(how, "large")) /* no file is too large for whoever takes all */
		answer(sock, &other, "\5", 1, -1);
	else if (!strcmp(how, "status"))
		answer(sock, &other, "\xff", 1, fd);
	else
		answer(sock, &other, "\0", 1, fd);
	close(fd);
}

static int lying_helper(int sock)
{
	static char request[SYMD_MSG_MAX];
	struct symd_header header;
	struct cursor body;
	ssize_t n;
	int fd;

	say_hello(sock);
	while ((n = symd_msg__recv(sock, request, &fd, 0)) > 0) {
		char how[32] = "";

		if (symd_msg__parse(request, (size_t)n, &header, &body) < 0 ||
		    pread(fd, how, sizeof(how) - 1, 0) < 0)
			break;
		misbehave(sock, &header, how);
		close(fd);
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
	expect_failure("no fd", TABLE_HELPER);
	expect_failure("needless fd", TABLE_HELPER);
	expect_failure("long", TABLE_HELPER);
	expect_failure("empty", TABLE_HELPER);
	expect_failure("status", TABLE_HELPER);
	expect_failure("large", TABLE_HELPER);
	expect_failure("unsealed", TABLE_BUILT); /* which reading it finds out */
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

	expect_failure("needless fd", TABLE_HELPER);
	expect_failure("long", TABLE_HELPER);
	expect_failure("other", TABLE_HELPER);
	expect_failure("unsealed", TABLE_BUILT);
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
