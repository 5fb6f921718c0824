// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: an opener in a file system whose server is hostile can't be killed before that
 * answers. So nobody waits for one: the spawner reaps those that can be reaped when it is asked for
 * the next.
 */
#include "opener/process.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/answer.h"
#include "opener/culprits.h"
#include "symd/protocol.h"
#include "sys/caps.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/perf.h"
#include "sys/procfs.h"
#include "sys/usage.h"

static uint64_t opening(void)
{
	return CAP_BIT(CAP_SYS_PTRACE) | CAP_BIT(CAP_DAC_READ_SEARCH) |
	       CAP_BIT(CAP_CHECKPOINT_RESTORE_NUMBER) | caps_to_hand_over();
}

/* For counters of tasks, as long as there are some to open. */
static const uint64_t counting = CAP_BIT(CAP_PERFMON_NUMBER) | CAP_BIT(CAP_SYS_ADMIN);

enum { REAP_MS = 50, REAP_MOST_MS = 1000 };

struct spawner {
	struct culprits *shared;
	bool settled;
	pid_t alive[MAX_STUCK + 1];              /* the last is at work, the others were killed */
	struct opener_subject at[MAX_STUCK + 1]; /* …while they were about these */
	int n;
};

/* ---------------------------------------------------------------- an opener */

/* Where it may hand over nothing for now (sys/memory_file.h), it says so, and is there later. */
static int send_reply(void *ctx, const struct opener_reply *reply, int fd)
{
	const int *sock = ctx;
	struct buf packet = {.data = (char *)reply, .len = opener_reply_bytes(reply)};
	int r = symd_msg__send(*sock, &packet, fd, 0);
	struct opener_reply without;

	if (r != -ETOOMANYREFS)
		return r;
	memset(&without, 0, offsetof(struct opener_reply, text));
	without.seq = reply->seq;
	without.result = r;
	packet = (struct buf){.data = (char *)&without, .len = opener_reply_bytes(&without)};
	return symd_msg__send(*sock, &packet, -1, 0);
}

static void refuse(int sock, const struct opener_request *request)
{
	struct opener_reply reply;

	memset(&reply, 0, offsetof(struct opener_reply, text));
	reply.seq = request->seq;
	reply.result = -ECONNREFUSED;
	send_reply(&sock, &reply, -1);
}

static bool may_touch(void *ctx, const struct opener_subject *so_far)
{
	struct culprits *shared = ctx;

	shared->now = *so_far;
	return !culprits__refuse(shared, so_far, now_ns());
}

static void serve_one(int sock, struct culprits *shared, const struct opener_request *request,
		      int fd, struct opener_keeps *keeps)
{
	struct opener_subject who;

	if (opener_subject__learn(&who, request, may_touch, shared))
		opener_answer(request, fd, &who, send_reply, &sock, keeps);
	else
		refuse(sock, request);
}

static _Noreturn void serve(int sock, struct culprits *shared)
{
	_cleanup_free_ char *packet = xcalloc(1, SYMD_MSG_MAX);
	struct opener_keeps keeps = {.lent = -1};

	for (;;) {
		_cleanup_close_ int fd = -1;
		struct opener_request *request = (void *)packet;
		ssize_t n = symd_msg__recv(sock, packet, &fd, 0);

		if (n < (ssize_t)offsetof(struct opener_request, text))
			_exit(n == 0 ? 0 : 1);
		/* what is text ends with a NUL, whatever came */
		if (request->text_len >= OPENER_PATH_MAX ||
		    (size_t)n != opener_request_bytes(request))
			_exit(1);
		request->text[request->text_len] = '\0';
		/* by now another has it, or it is of no use; it still is the doing of the one
		 * before */
		cleanup_close(&keeps.lent);
		keeps.lent = -1;
		shared->now = (struct opener_subject){0};
		shared->seq = request->seq;
		serve_one(sock, shared, request, fd, &keeps);
	}
}

/* ---------------------------------------------------------------- the spawner */

static void reap(struct spawner *s)
{
	int kept = 0;

	for (int i = 0; i < s->n; i++) {
		if (waitpid(s->alive[i], NULL, WNOHANG) != 0)
			continue;
		s->at[kept] = s->at[i];
		s->alive[kept++] = s->alive[i];
	}
	s->n = kept;
}

/* Who is to blame for those that were killed and still sleep; the last is at work. */
static void tell_stuck(struct spawner *s)
{
	uint32_t n = 0;

	for (int i = 0; i < s->n - 1; i++) {
		if (usage_sleeps(s->alive[i]))
			s->shared->stuck[n++] = s->at[i];
	}
	s->shared->n_stuck = n;
	if (s->shared->most_stuck < n)
		s->shared->most_stuck = n;
}

/* Reaps those that can be by now, as long as there are some. */
static void wait_for_word(struct spawner *s, int control)
{
	struct pollfd p = {.fd = control, .events = POLLIN};
	int pause_ms = REAP_MS;

	while (s->n > 1 && poll(&p, 1, pause_ms) == 0) {
		reap(s);
		tell_stuck(s);
		pause_ms = 2 * pause_ms < REAP_MOST_MS ? 2 * pause_ms : REAP_MOST_MS;
	}
}

static int next(struct spawner *s, int control, int sock)
{
	pid_t parent = getpid(), pid;

	if (s->n) {
		kill(s->alive[s->n - 1], SIGKILL);
		s->at[s->n - 1] = s->shared->now;
	}
	reap(s);
	if (s->n >= MAX_STUCK)
		return -EBUSY;
	s->shared->now = (struct opener_subject){0};
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		prctl(PR_SET_NAME, "pmubpf-opener");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(control);
		if (getppid() != parent || (s->settled && drop_capabilities(opening()) < 0))
			_exit(1);
		serve(sock, s->shared);
	}
	s->alive[s->n++] = pid;
	tell_stuck(s);
	return pid;
}

static int share(struct spawner *s, int fd)
{
	void *page = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	s->shared = page;
	return 0;
}

static int obey(struct spawner *s, int control, uint32_t word, int fd)
{
	switch ((enum spawner_word)word) {
	case SPAWNER_SHARE:
		return share(s, fd);
	case SPAWNER_NEXT:
		return s->shared && fd >= 0 ? next(s, control, fd) : -EINVAL;
	case SPAWNER_SETTLED:
		s->settled = true;
		return drop_capabilities(opening() | caps_to_count());
	case SPAWNER_COUNTER:
		break; /* has more to say: counter_of() */
	}
	return -EINVAL;
}

static int counter_of(const char *packet, int group_fd)
{
	struct spawner_counter c;

	memcpy(&c, packet, sizeof(c));
	return c.word == SPAWNER_COUNTER ? perf_open_in(&c.attr, -1, c.cpu, group_fd) : -EINVAL;
}

int opener_main(int sock)
{
	_cleanup_free_ char *packet = xcalloc(1, SYMD_MSG_MAX);
	struct spawner s = {0};

	prctl(PR_SET_NAME, "pmubpf-spawner");
	prctl(PR_SET_DUMPABLE, 0);
	if (drop_capabilities(opening() | counting) < 0 || drop_new_privileges() < 0)
		return 1;
	for (;;) {
		_cleanup_close_ int fd = -1, counter = -1;
		uint32_t word;
		int32_t r;
		ssize_t n;
		const struct buf answer = {.data = (char *)&r, .len = sizeof(r)};

		wait_for_word(&s, sock);
		n = symd_msg__recv(sock, packet, &fd, 0);
		if (n == sizeof(struct spawner_counter)) {
			counter = counter_of(packet, fd);
			r = counter < 0 ? counter : 0;
		} else if (n == sizeof(word)) {
			memcpy(&word, packet, sizeof(word));
			r = obey(&s, sock, word, fd);
		} else {
			return n == 0 ? 0 : 1;
		}
		if (symd_msg__send(sock, &answer, counter, 0) < 0)
			return 1;
	}
}
