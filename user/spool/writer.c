// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window travels as the descriptor of a file in memory, one at a time; what comes back says how
 * it went. The hard thing is an end of the process while it writes: the window is sent again to the
 * next one, which removes what was left of it, or finds that it is there already.
 */
#include "spool/writer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/clock.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/reexec.h"

enum { START_MS = 30000, RESTART_MS = 1000 };
#define RETRY_NS 2000000000ULL

struct first_packet {
	uint64_t keep_ns, max_bytes;
};

struct packet {
	uint64_t seq;
	uint64_t horizon_ns;
	uint64_t keep_ns, max_bytes; /* they may be others by now */
};

struct answer {
	int r;
	struct folder_news news;
};

/* ---------------------------------------------------------------- the process beside us */

static void put_next(struct folder *folder, const struct packet *p, int text, struct answer *ret)
{
	*ret = (struct answer){0};
	folder->retention.keep_ns = p->keep_ns;
	folder->retention.max_bytes = p->max_bytes;
	ret->r = folder__put(folder, p->seq, text, p->horizon_ns, &ret->news);
	if (ret->r == -EEXIST) /* by the one before us, whose answer nobody has heard */
		ret->r = 0;
}

static int serve(int sock)
{
	_cleanup_(folder__done) struct folder folder = {.dir = -1, .turn.fd = -1};
	struct first_packet first;
	struct answer answer = {0};
	struct packet packet;
	int fd = -1;

	drop_capabilities(0);
	drop_new_privileges();
	if (fd_packet__recv(sock, &first, sizeof(first), &fd, 0) != sizeof(first) || fd < 0)
		return 1;
	answer.r = folder__begin(&folder, fd,
				 &(struct retention){.keep_ns = first.keep_ns,
						     .max_bytes = first.max_bytes},
				 &answer.news);
	send(sock, &answer, sizeof(answer), MSG_NOSIGNAL);
	while (folder.boot[0]) {
		_cleanup_close_ int text = -1;

		if (fd_packet__recv(sock, &packet, sizeof(packet), &text, 0) != sizeof(packet))
			break;
		put_next(&folder, &packet, text, &answer);
		send(sock, &answer, sizeof(answer), MSG_NOSIGNAL);
	}
	return 0;
}

/* ---------------------------------------------------------------- ours */

static void gone(struct writer *w)
{
	cleanup_close(&w->sock);
	w->sock = -1;
	w->busy = false;
	if (w->pid) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, WNOHANG);
	}
	w->pid = 0;
}

static void take_news(struct writer *w, const struct folder_news *news)
{
	w->there.windows = news->windows;
	w->there.bytes = news->bytes;
	w->there.expired += news->expired;
	w->there.over += news->over;
	w->there.leftovers += news->leftovers;
}

/* False: it has gone, or says nothing in that time. */
static bool hear(struct writer *w, int wait_ms, struct answer *ret)
{
	struct pollfd fd = {.fd = w->sock, .events = POLLIN};

	if (w->sock < 0 || poll(&fd, 1, wait_ms) <= 0)
		return false;
	if (recv(w->sock, ret, sizeof(*ret), MSG_DONTWAIT) == (ssize_t)sizeof(*ret))
		return true;
	gone(w);
	return false;
}

static int begin(struct writer *w, int wait_ms)
{
	const struct reexec what = {.child = serve};
	const struct first_packet first = {w->bounds.keep_ns, w->bounds.max_bytes};
	struct answer answer;
	int r = reexec_start(&what, &w->pid, &w->sock);

	if (r < 0)
		return r;
	r = fd_packet__send(w->sock, &first, sizeof(first), w->dir, 0);
	if (r == 0 && !hear(w, wait_ms, &answer))
		r = -ETIMEDOUT;
	if (r == 0)
		r = answer.r;
	if (r < 0) {
		gone(w);
		return r;
	}
	take_news(w, &answer.news);
	if (!w->starts++)
		w->next_seq = answer.news.next_seq;
	return 0;
}

int writer__start(struct writer *w, struct err *err)
{
	int r;

	w->sock = -1;
	r = begin(w, START_MS);
	return r < 0 ? err__set(err, r, "can't read the windows in '%s': %s", w->path,
				strerror(-r)) :
		       0;
}

static void drop_first(struct writer *w)
{
	close(w->wait[0].text);
	w->wait_bytes -= w->wait[0].bytes;
	w->n--;
	memmove(w->wait, w->wait + 1, w->n * sizeof(*w->wait));
}

void writer__add(struct writer *w, uint64_t seq, int text)
{
	struct writer_window window = {.seq = seq, .text = text};
	struct stat st;

	if (fstat(text, &st) == 0)
		window.bytes = (uint64_t)st.st_size;
	GROW(w->wait, w->n, w->cap);
	w->wait[w->n++] = window;
	w->wait_bytes += window.bytes;
	/* the first may be what is being written: then the next one goes */
	while (w->n > 1U + w->busy && w->wait_bytes > w->max_bytes) {
		struct writer_window *oldest = &w->wait[w->busy];

		close(oldest->text);
		w->wait_bytes -= oldest->bytes;
		w->n--;
		memmove(oldest, oldest + 1, (w->n - w->busy) * sizeof(*oldest));
		w->lost++;
	}
	writer__step(w);
}

static void take_answers(struct writer *w)
{
	struct answer answer;

	while (w->busy && hear(w, 0, &answer)) {
		w->busy = false;
		w->trouble = answer.r;
		take_news(w, &answer.news);
		if (answer.r == -EFBIG)
			w->lost++;
		else if (answer.r == 0)
			w->written++;
		else {
			w->retry_ns = now_ns() + RETRY_NS; /* it waits */
			return;
		}
		drop_first(w);
	}
}

static void send_next(struct writer *w)
{
	struct packet packet;

	if (w->busy || !w->n || now_ns() < w->retry_ns)
		return;
	packet = (struct packet){w->wait[0].seq, w->every_ns, w->bounds.keep_ns,
				 w->bounds.max_bytes};
	if (fd_packet__send(w->sock, &packet, sizeof(packet), w->wait[0].text, MSG_DONTWAIT) < 0)
		gone(w);
	else
		w->busy = true;
}

void writer__step(struct writer *w)
{
	take_answers(w);
	if (w->sock < 0 && now_ns() >= w->retry_ns && begin(w, RESTART_MS) < 0) {
		w->trouble = -EPIPE;
		w->retry_ns = now_ns() + RETRY_NS;
	}
	if (w->sock >= 0)
		send_next(w);
}

void writer__drain(struct writer *w, int wait_ms)
{
	enum { STEP_MS = 50 };

	w->retry_ns = 0;
	for (; w->n && wait_ms > 0 && now_ns() >= w->retry_ns; wait_ms -= STEP_MS) {
		struct pollfd fd = {.fd = w->sock, .events = POLLIN};

		writer__step(w);
		if (w->n)
			poll(&fd, 1, STEP_MS);
	}
}

void writer__done(struct writer *w)
{
	if (w->pid && w->busy)
		kill(w->pid, SIGKILL);
	cleanup_close(&w->sock);
	if (w->pid)
		waitpid(w->pid, NULL, w->busy ? WNOHANG : 0);
	while (w->n)
		drop_first(w);
	free(w->wait);
	w->wait = NULL;
	w->pid = 0;
	w->sock = -1;
}
