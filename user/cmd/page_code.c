// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: whoever records is root, and must not open what a profile or debug information
 * names with more rights than who asked for it has. So it is a child that looks: it copies the
 * bytes of the kernel's functions, takes the caller's rights for good, and asks helpers then.
 * The text comes back in a file in memory that is ours, sealed before it is read.
 */
#include "cmd/page_code.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/write.h"
#include "cmd/annotate_code.h"
#include "cmd/annotate_kernel.h"
#include "render/html_code.h"
#include "sys/caller.h"
#include "sys/clock.h"
#include "sys/fd_packet.h"
#include "sys/memory_file.h"
#include "sys/reexec.h"

#define SECOND_NS 1000000000ULL
#define COPY_NS (10 * SECOND_NS)    /* no function of the kernel is copied after that */
#define BEGIN_NS (20 * SECOND_NS)   /* none is begun so long after that */
#define FUNCTION_NS (5 * SECOND_NS) /* for one, whatever its file is */

enum { MOST_MS = 60000 }; /* then it is given up, with what it was about */

struct answer {
	int32_t error;      /* a negative errno */
	uint32_t functions; /* that are in it */
	uint32_t left_out;  /* that had no room, or no time */
};

/* Of the process that is just being started, as fork() has left it there. */
static struct {
	const struct prof *prof;
	const struct page_code_opts *opts;
} inherited;

int page_code__parse(struct page_code_opts *opts, const char *text, struct err *err)
{
	int n = PAGE_CODE_FUNCTIONS;

	if (text && num__parse_int(text, 1, PAGE_CODE_FUNCTIONS_MAX, &n) < 0)
		return err__usage(err, "--code '%s' is not a number of functions from 1 to %d",
				  text, PAGE_CODE_FUNCTIONS_MAX);
	opts->functions = (unsigned)n;
	return 0;
}

int page_code__check(const struct page_code_opts *opts, bool has_page, struct err *err)
{
	if (opts->source && !opts->functions)
		return err__usage(err, "--source goes with --code: sources are shown with it");
	if (opts->functions && !has_page)
		return err__usage(err, "--code is of the picture's page: add -o FILE.html, or see "
				       "`pmubpf annotate'");
	return 0;
}

/* ---------------------------------------------------------------- the process beside us */

struct gathering {
	const struct prof *p;
	const struct page_code_opts *opts;
	struct report report;
	struct code_functions functions;
	struct annotate_kernel *kernels; /* one for each function */
	struct buf text;
	struct answer answer;
};

static void gathering__done(struct gathering *g)
{
	for (size_t i = 0; i < g->functions.n; i++)
		annotate_kernel__done(&g->kernels[i]);
	free(g->kernels);
	code_functions__done(&g->functions);
	report__done(&g->report);
	buf__done(&g->text);
}

/* While there are rights to, and time: of the rest there are addresses. The table of names is read
 * once. */
static void copy_kernel(struct gathering *g)
{
	const uint64_t until_ns = now_ns() + COPY_NS;
	const struct annotate_kernel *first = NULL;

	g->kernels = xcalloc(g->functions.n + 1, sizeof(*g->kernels));
	for (size_t i = 0; i < g->functions.n && now_ns() < until_ns; i++) {
		const struct code_function *f = &g->functions.list[i];

		if (f->kind != PROF_KERNEL)
			continue;
		annotate_kernel__take(&g->kernels[i], g->p, prof__text(g->p, f->name), first);
		if (!first && g->kernels[i].code.names)
			first = &g->kernels[i];
	}
}

static void put_function(struct gathering *g, size_t i, struct json *j)
{
	const struct annotate_where where = {.dir = g->opts->symbols,
					     .until_ns = now_ns() + FUNCTION_NS};
	const struct code_function *f = &g->functions.list[i];
	_cleanup_(annotate_code__done) struct annotate_code code = {0};
	_cleanup_(code_points__done) struct code_points points = {0};
	_cleanup_(sources__done) struct sources sources = {.dir = g->opts->source,
							   .only_dir = true};
	_cleanup_(code_view__done) struct code_view view = {
		.report = &g->report,
		.function = f,
		.points = &points,
		.sources = &sources,
	};

	code_points__find(&points, g->p, f);
	if (f->kind == PROF_KERNEL)
		annotate_kernel__find(&code, &g->kernels[i], &points, &view.notes);
	else
		annotate_code__find(&code, g->p, f, &points, &where, &view.notes);
	sources.built = code.changed;
	view.path = code.path;
	view.base = code.base;
	code_view__build(&view, code.listings, code.n);
	html_code__put(&view, j);
}

static void put_types(const struct gathering *g, struct json *j)
{
	json__arr(j, "types");
	for (size_t i = 0; i < g->p->n_types; i++)
		json__str(j, NULL, prof__text(g->p, g->p->types[i].name));
	json__end_arr(j);
}

static void put_functions(struct gathering *g, uint64_t until_ns)
{
	struct json j = {.out = &g->text, .one_line = true};

	json__obj(&j, NULL);
	put_types(g, &j);
	json__arr(&j, "functions");
	for (size_t i = 0; i < g->functions.n; i++) {
		struct json before = j;
		size_t len = g->text.len;

		if (now_ns() < until_ns)
			put_function(g, i, &j);
		if (g->text.len == len || buf__cut(&g->text, HTML_CODE_BYTES_MAX, len)) {
			j = before;
			g->answer.left_out++;
		} else {
			g->answer.functions++;
		}
	}
	json__end_arr(&j);
	json__u64(&j, "left_out", g->answer.left_out);
	json__end_obj(&j);
}

static int gather(int to)
{
	_cleanup_(gathering__done) struct gathering g = {
		.p = inherited.prof,
		.opts = inherited.opts,
		.report = {.whole = inherited.prof, .prof = inherited.prof},
	};

	report__settle(&g.report);
	code_functions__hottest(&g.functions, g.p, g.opts->functions);
	copy_kernel(&g);
	g.answer.error = caller_open_as();
	if (g.answer.error == 0) {
		put_functions(&g, now_ns() + BEGIN_NS);
		g.answer.error = write_all(to, g.text.data, g.text.len);
	}
	return fd_packet__send(REEXEC_FD, &g.answer, sizeof(g.answer), -1, 0);
}

static int serve(int sock)
{
	_cleanup_close_ int to = -1;
	char byte;

	if (fd_packet__recv(sock, &byte, sizeof(byte), &to, 0) <= 0 || to < 0)
		return 1;
	return gather(to) < 0;
}

/* ---------------------------------------------------------------- ours */

static int wait_for(int sock, int stop_fd, struct answer *ret)
{
	struct pollfd fds[] = {{.fd = sock, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
	const uint64_t until_ns = now_ns() + MOST_MS * (SECOND_NS / 1000);

	for (;;) {
		uint64_t now = now_ns();
		int n = poll(fds, 2, now < until_ns ? (int)((until_ns - now) / 1000000) + 1 : 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ETIMEDOUT;
		if (!fds[0].revents)
			return -EINTR;
		return recv(sock, ret, sizeof(*ret), MSG_DONTWAIT) == (ssize_t)sizeof(*ret) ?
			       ret->error :
			       -EPIPE;
	}
}

/* What it has written, if it is as long as it may be. */
static int take_text(int fd, struct buf *ret)
{
	struct stat st;
	int r = memory_file__seal(fd);

	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r < 0)
		return r;
	if (st.st_size <= 0 || st.st_size > 2 * HTML_CODE_BYTES_MAX)
		return -EPROTO;
	if (pread(fd, buf__room(ret, (size_t)st.st_size), (size_t)st.st_size, 0) != st.st_size) {
		buf__clear(ret);
		return -EIO;
	}
	return 0;
}

static int ask(const struct prof *p, const struct page_code_opts *opts, int stop_fd,
	       struct answer *answer, struct buf *ret)
{
	const struct reexec what = {.child = serve};
	_cleanup_close_ int fd = memory_file__new("pmubpf-page-code"), sock = -1;
	const char byte = 0;
	pid_t pid;
	int r;

	if (fd < 0)
		return fd;
	inherited.prof = p;
	inherited.opts = opts;
	r = reexec_start(&what, &pid, &sock);
	if (r < 0)
		return r;
	r = fd_packet__send(sock, &byte, sizeof(byte), fd, 0);
	if (r == 0)
		r = wait_for(sock, stop_fd, answer);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return r == 0 ? take_text(fd, ret) : r;
}

void page_code__find(struct buf *ret, const struct prof *p, const struct page_code_opts *opts,
		     int stop_fd, bool quiet)
{
	struct answer answer = {0};
	int r = ask(p, opts, stop_fd, &answer, ret);

	if (r < 0) {
		buf__clear(ret);
		fprintf(stderr, "pmubpf: the page is without code: %s\n",
			r == -EINTR     ? "interrupted" :
			r == -ETIMEDOUT ? "looking for it took longer than a minute" :
			r == -EPIPE     ? "the process that looks for it ended" :
					  strerror(-r));
		return;
	}
	if (answer.left_out)
		fprintf(stderr,
			"pmubpf: the code of %" PRIu32
			" functions isn't in the page: all of it may be "
			"%d MiB, and take 20 s\n",
			answer.left_out, HTML_CODE_BYTES_MAX >> 20);
	if (!quiet)
		fprintf(stderr, "pmubpf: code of %" PRIu32 " functions in the page: %zu kB\n",
			answer.functions, (ret->len + 999) / 1000);
}
