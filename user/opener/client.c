// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is to tell one that is stuck from one that has no CPU: when its time is over, one
 * that runs or wants to run has more, one that sleeps in the kernel is given up. Both are bounded,
 * because meanwhile nobody answers signals.
 */
#include "opener/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/culprits.h"
#include "opener/process.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/perf.h"
#include "sys/procfs.h"
#include "sys/reexec.h"
#include "sys/usage.h"

enum {
	SPAWNER_MS = 2000, /* it waits for nothing but a CPU */
	LOOK_MS = 10,      /* between two looks at one that is late and works */
	DELAYS_MS = 200,   /* between two questions for how long CPUs were waited for */
	RETRY_MS = 100,    /* after there was none */
	/* the kernel may have to wait for all CPUs before it has the first counter of a task, or a
	 * probe in programs */
	COUNTER_ASLEEP_MS = 1000,
	CLOSE_ASLEEP_MS = 2000, /* and before a probe is gone */
	SPAWNER_ENDS_MS = 1000, /* once it was killed */
	CROWD_MAX = 16,         /* so many times as long, where as many want each CPU */
};

struct opener {
	pid_t spawner;
	int control;    /* the socket to the spawner; -1: it has gone */
	bool expecting; /* the number of the opener that it was told to start */
	int sock;       /* to the opener; -1: none */
	pid_t pid;
	uint32_t seq;
	uint64_t asked_ns, asked_cpu_ns; /* when, and what CPU time it had used by then */
	uint64_t not_before_ns;
	uint64_t gone_ns; /* CPU time of those before this one */
	struct {
		uint64_t since_ns, read_ns;   /* the last look; when delays were asked for */
		uint64_t delayed_ns, gone_ns; /* ours and all openers' then; of those before */
	} attended;
	struct {
		bool on;
		int stop_fd;      /* readable: no time is left */
		uint64_t left_ns; /* that may still be lost to those who make us wait */
	} hurry;
	struct culprits *shared;
	struct opener_reply *reply;
	struct opener_work work;
	void (*look)(void *ctx); /* opener__between() */
	void *look_ctx;
};

static uint64_t ms(unsigned n)
{
	return (uint64_t)n * 1000000;
}

/* 0: it can be read. */
static int wait_for(int sock, uint64_t until_ns)
{
	for (;;) {
		uint64_t now = now_ns(), left = until_ns > now ? until_ns - now : 0;
		struct pollfd p = {.fd = sock, .events = POLLIN};
		struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000),
					   .tv_nsec = (long)(left % 1000000000)};
		int n = ppoll(&p, 1, &timeout, NULL);

		if (n > 0)
			return 0;
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* Without the spawner there are no openers any more. */
static int lose_spawner(struct opener *o, int r)
{
	cleanup_close(&o->control);
	cleanup_close(&o->sock);
	o->control = o->sock = -1;
	o->expecting = false;
	o->work.ended = true;
	return r;
}

static int say_all(struct opener *o, const void *what, size_t size, int fd)
{
	const struct buf packet = {.data = (char *)what, .len = size};
	int r = o->control < 0 ? -EPIPE : symd_msg__send(o->control, &packet, fd, MSG_DONTWAIT);

	return r < 0 ? lose_spawner(o, r) : 0;
}

static int say(struct opener *o, uint32_t word, int fd)
{
	return say_all(o, &word, sizeof(word), fd);
}

/* How many threads want each CPU: whoever has a lock that the kernel waits for may be one. */
static unsigned crowd(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t wanting = procfs_wanting() / (uint64_t)(cpus > 0 ? cpus : 1);

	return wanting < 1 ? 1 : wanting < CROWD_MAX ? (unsigned)wanting : CROWD_MAX;
}

/* What it said to the last word; the descriptor that came with it is the caller's. */
static int hear_fd(struct opener *o, int *ret, int *ret_fd)
{
	int r = wait_for(o->control, now_ns() + ms(SPAWNER_MS) * crowd());

	if (r == 0 && symd_msg__recv(o->control, o->reply, ret_fd, MSG_DONTWAIT) != sizeof(int32_t))
		r = -EPIPE;
	if (r < 0)
		return lose_spawner(o, r);
	*ret = *(int32_t *)o->reply;
	return 0;
}

static int hear(struct opener *o, int *ret)
{
	_cleanup_close_ int fd = -1;

	return hear_fd(o, ret, &fd);
}

static void count_time(struct opener *o)
{
	if (o->pid > 0)
		o->gone_ns += usage_cpu_ns(o->pid);
	if (o->pid > 0)
		o->attended.gone_ns += usage_delayed_ns(o->pid);
	o->pid = 0;
}

/* Lets the next one take over. It can be asked at once; who it is is heard later. */
static int take_next(struct opener *o)
{
	int pair[2], r;

	count_time(o);
	cleanup_close(&o->sock);
	o->sock = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	r = say(o, SPAWNER_NEXT, pair[1]);
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return r;
	}
	o->sock = pair[0];
	o->expecting = true;
	return 0;
}

/* The number of the present one, which is there when it is asked for the first time. */
static int know_pid(struct opener *o)
{
	int pid, r;

	if (!o->expecting)
		return 0;
	o->expecting = false;
	r = hear(o, &pid);
	if (r == 0 && pid < 0)
		r = pid;
	if (r < 0) {
		cleanup_close(&o->sock);
		o->sock = -1;
		o->not_before_ns = now_ns() + ms(RETRY_MS);
		return -ECONNREFUSED;
	}
	o->pid = pid;
	return 0;
}

static int be_ready(struct opener *o)
{
	if (o->sock < 0) {
		if (now_ns() < o->not_before_ns || take_next(o) < 0)
			return -ECONNREFUSED;
	}
	return know_pid(o);
}

/* Waits for the next packet of the answer. */
static int await(struct opener *o, uint64_t asked_ns, unsigned asleep_ms, unsigned limit_ms)
{
	uint64_t until = asked_ns + ms(asleep_ms), last = asked_ns + ms(limit_ms);
	int r = wait_for(o->sock, until < last ? until : last);

	while (r == -ETIMEDOUT && now_ns() < last && !usage_sleeps(o->pid))
		r = wait_for(o->sock, now_ns() + ms(LOOK_MS));
	/* it may have answered while we were looking, or had no CPU ourselves */
	return r == -ETIMEDOUT ? wait_for(o->sock, 0) : r;
}

/* -EAGAIN: it belongs to a question before this one. */
static int receive(struct opener *o, int *ret_fd)
{
	struct opener_reply *reply = o->reply;
	ssize_t n = symd_msg__recv(o->sock, reply, ret_fd, MSG_DONTWAIT);

	if (n <= 0)
		return n ? (int)n : -EPIPE;
	if (n < (ssize_t)offsetof(struct opener_reply, text) ||
	    reply->text_len >= OPENER_TEXT_MAX || (size_t)n != opener_reply_bytes(reply))
		return -EPROTO;
	reply->text[reply->text_len] = '\0';
	return reply->seq == o->seq ? 0 : -EAGAIN;
}

static int take_answer(struct opener *o, unsigned asleep_ms, unsigned limit_ms, opener_emit emit,
		       void *ctx)
{
	uint64_t asked_ns = now_ns(), began_ns = asked_ns;
	int r;

	do {
		_cleanup_close_ int fd = -1;

		r = await(o, asked_ns, asleep_ms, limit_ms);
		if (r == 0)
			r = receive(o, &fd);
		if (r == -EAGAIN)
			continue;
		if (r < 0)
			return r;
		if (o->reply->result == -ECONNREFUSED)
			o->work.refused++;
		emit(ctx, o->reply, fd);
		/* each packet has its time, all of them the limit */
		asked_ns = now_ns();
		if (asked_ns - began_ns > ms(limit_ms) && o->reply->more)
			return -ETIMEDOUT;
	} while (r == -EAGAIN || o->reply->more);
	return 0;
}

/* On a host with more work than CPUs it may not have had the time, and that is nobody's doing. */
static bool had_no_cpu(const struct opener *o)
{
	return !usage_sleeps(o->pid) &&
	       usage_cpu_ns(o->pid) - o->asked_cpu_ns < (now_ns() - o->asked_ns) / 2;
}

static void give_up(struct opener *o, int r)
{
	if (r == -ETIMEDOUT) {
		o->work.late++;
		if (!had_no_cpu(o))
			culprits__strike(o->shared, &o->shared->now, now_ns());
	}
	take_next(o);
	if (o->look)
		o->look(o->look_ctx);
}

/* One that slept and was given up has taken all the time, any other what it worked. */
static void count_loss(struct opener *o, int r)
{
	bool slept = r == -ETIMEDOUT && usage_sleeps(o->pid);
	uint64_t lost_ns = slept ? now_ns() - o->asked_ns : usage_cpu_ns(o->pid) - o->asked_cpu_ns;

	o->hurry.left_ns -= lost_ns < o->hurry.left_ns ? lost_ns : o->hurry.left_ns;
}

static bool has_no_time(const struct opener *o)
{
	struct pollfd p = {.fd = o->hurry.stop_fd, .events = POLLIN};

	return o->hurry.on && (!o->hurry.left_ns || (p.fd >= 0 && poll(&p, 1, 0) > 0));
}

/* *ret_begun: the question was looked at; else it still was at the end of the one before. */
static int ask_once(struct opener *o, struct opener_request *request, int fd, unsigned limit_ms,
		    opener_emit emit, void *ctx, bool *ret_begun)
{
	const struct buf packet = {.data = (char *)request, .len = opener_request_bytes(request)};
	bool waits = request->what == OPENER_COUNTER || request->what == OPENER_UPROBE ||
		     request->what == OPENER_UPROBES;
	bool closes = request->what == OPENER_KEEP || request->what == OPENER_CLOSE;
	unsigned asleep_ms = closes ? CLOSE_ASLEEP_MS : waits ? COUNTER_ASLEEP_MS : OPENER_LATE_MS;
	const unsigned times = waits && request->flags & OPENER_AT_START ? crowd() : 1;
	/* who asked for them pays for probes until they are gone */
	int r = !closes && has_no_time(o) ? -ECONNREFUSED : be_ready(o);

	*ret_begun = true;
	if (r < 0) {
		o->work.refused++;
		return r;
	}
	request->seq = ++o->seq;
	o->asked_ns = now_ns();
	o->asked_cpu_ns = usage_cpu_ns(o->pid);
	r = symd_msg__send(o->sock, &packet, fd, MSG_DONTWAIT);
	if (r == 0)
		r = take_answer(o, asleep_ms * times, limit_ms * times, emit, ctx);
	*ret_begun = o->shared->seq == request->seq;
	if (o->hurry.on)
		count_loss(o, r);
	if (r < 0)
		give_up(o, r);
	return r;
}

static bool always(void *ctx, const struct opener_subject *so_far)
{
	(void)ctx;
	(void)so_far;
	return true;
}

static int ask_here(struct opener_request *request, int fd, opener_emit emit, void *ctx)
{
	struct opener_subject who;

	opener_subject__learn(&who, request, always, NULL);
	opener_answer(request, fd, &who, emit, ctx, NULL);
	return 0;
}

int opener__ask(struct opener *o, struct opener_request *request, int fd, unsigned limit_ms,
		opener_emit emit, void *ctx)
{
	bool begun;
	int r;

	if (!o)
		return ask_here(request, fd, emit, ctx);
	o->work.asked++;
	r = ask_once(o, request, fd, limit_ms, emit, ctx, &begun);
	if (r < 0 && !begun)
		r = ask_once(o, request, fd, limit_ms, emit, ctx, &begun);
	return r;
}

/* ---------------------------------------------------------------- how long it takes */

/* While it waits for them it isn't delayed itself, so these can be added. */
static uint64_t delayed(const struct opener *o)
{
	return o->attended.gone_ns + usage_delayed_ns(getpid()) + usage_delayed_ns(o->spawner) +
	       (o->pid > 0 ? usage_delayed_ns(o->pid) : 0);
}

void opener__attended(struct opener *o, uint64_t now, bool waking)
{
	uint64_t took, delay;

	if (!o)
		return;
	took = now - o->attended.since_ns;
	if (!waking && took > o->work.longest_ns && o->attended.since_ns) {
		delay = delayed(o);
		/* less than before: one has gone before it could be asked */
		delay -= delay < o->attended.delayed_ns ? delay : o->attended.delayed_ns;
		took = took > delay ? took - delay : 0;
		if (took > o->work.longest_ns)
			o->work.longest_ns = took;
	}
	o->attended.since_ns = now;
	/* a delay of that time may be taken from what came after it */
	if (now - o->attended.read_ns >= ms(DELAYS_MS)) {
		o->attended.delayed_ns = delayed(o);
		o->attended.read_ns = now;
	}
}

void opener__between(struct opener *o, void (*look)(void *ctx), void *ctx)
{
	if (!o)
		return;
	o->look = look;
	o->look_ctx = ctx;
}

/* ---------------------------------------------------------------- its life */

static int share_page(struct opener *o)
{
	_cleanup_close_ int fd = memfd_create("culprits", MFD_CLOEXEC);
	void *page = MAP_FAILED;
	int r, said;

	if (fd >= 0 && ftruncate(fd, sizeof(*o->shared)) == 0)
		page = mmap(NULL, sizeof(*o->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	o->shared = page;
	r = say(o, SPAWNER_SHARE, fd);
	if (r == 0)
		r = hear(o, &said);
	return r < 0 ? r : said;
}

static const char *why_not(int r)
{
	if (r == -EFBIG)
		return " (ulimit -f)";
	return r == -ETIMEDOUT ?
		       ": it had no CPU for too long; try again when the machine is less busy" :
		       "; is /proc mounted?";
}

int opener__start(struct opener **ret, struct err *err)
{
	const struct reexec what = {.command = "opener"};
	struct opener *o = xcalloc(1, sizeof(*o));
	int r;

	o->control = o->sock = -1;
	o->reply = xcalloc(1, SYMD_MSG_MAX);
	r = reexec_start(&what, &o->spawner, &o->control);
	if (r == 0)
		r = share_page(o);
	if (r == 0)
		r = take_next(o);
	if (r < 0) {
		opener__free(o);
		return err__set(err, r,
				"can't start the process that opens files (this program again, as "
				"`pmubpf opener`): %s%s",
				strerror(-r), why_not(r));
	}
	*ret = o;
	return 0;
}

void opener__settled(struct opener *o)
{
	int r;

	if (!o || know_pid(o) < 0 || say(o, SPAWNER_SETTLED, -1) < 0 || hear(o, &r) < 0)
		return;
	take_next(o);
}

void opener__hurry(struct opener *o, uint64_t ns, int stop_fd)
{
	if (!o)
		return;
	o->hurry.on = true;
	o->hurry.left_ns = ns;
	o->hurry.stop_fd = stop_fd;
}

void opener__hurry_no_more(struct opener *o)
{
	if (o)
		o->hurry.on = false;
}

int opener__cpu_counter(struct opener *o, const struct perf_event_attr *attr, int cpu, int group_fd)
{
	const struct spawner_counter c = {.word = SPAWNER_COUNTER, .cpu = cpu, .attr = *attr};
	int fd = -1, said, r;

	if (!o)
		return perf_open_in(attr, -1, cpu, group_fd);
	/* it answers in turn: who is the present opener comes first */
	r = o->control < 0 ? -EPIPE : know_pid(o);
	if (r == 0 || r == -EBUSY)
		r = say_all(o, &c, sizeof(c), group_fd);
	if (r == 0)
		r = hear_fd(o, &said, &fd);
	if (r < 0)
		return r;
	return said < 0 ? said : fd < 0 ? -EPROTO : fd;
}

struct opener_work opener__work(const struct opener *o)
{
	struct opener_work work = o ? o->work : (struct opener_work){0};

	if (o)
		work.stuck = o->shared->most_stuck;
	return work;
}

uint64_t opener__cpu_ns(const struct opener *o)
{
	if (!o)
		return 0;
	return o->gone_ns + usage_cpu_ns(o->spawner) + (o->pid > 0 ? usage_cpu_ns(o->pid) : 0);
}

/* Where the kernel waits for a process's lock to put a probe into it nobody can fork, and who is
 * amid that can't be killed: then it goes on as init's child, and so does an opener that waits. */
static void end_spawner(pid_t spawner)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	kill(spawner, SIGKILL);
	for (int i = 0; i < SPAWNER_ENDS_MS && waitpid(spawner, NULL, WNOHANG) == 0; i++)
		nanosleep(&pause, NULL);
}

struct opener *opener__free(struct opener *o)
{
	if (!o)
		return NULL;
	cleanup_close(&o->sock);
	cleanup_close(&o->control);
	if (o->shared)
		munmap(o->shared, sizeof(*o->shared));
	if (o->spawner > 0)
		end_spawner(o->spawner);
	free(o->reply);
	free(o);
	return NULL;
}
