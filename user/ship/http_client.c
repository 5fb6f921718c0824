// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/http_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/write.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/memory_file.h"
#include "sys/reexec.h"

enum {
	START_MS = 10000,
	GRACE_MS = 5000, /* beyond the time that a request has */
	SECRET_BYTES_MAX = 4096,
	CA_BYTES_MAX = 4 << 20,
	DEFLATE_GZIP = 16 + MAX_WBITS,
};

struct http_client {
	pid_t pid; /* 0: none */
	int sock;
	uint32_t seq;
	bool no_more;
	uint8_t hello;   /* enum http_hello: of the last one that was started */
	uint32_t reason; /* errno of that; 0: none was said */
	const struct ship_url *url;
	const struct http_secrets *secrets;
	char message[SYMD_MSG_MAX];
};

/* ---------------------------------------------------------------- the process */

static void end_process(struct http_client *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		close(c->sock);
		waitpid(c->pid, NULL, 0);
	}
	c->pid = 0;
	c->sock = -1;
}

/* The body of the next message, or a negative errno; then the process is of no use any more. */
static int receive(struct http_client *c, uint16_t type, uint64_t until_ns, struct cursor *ret)
{
	struct symd_header header;
	ssize_t n;

	for (;;) {
		struct pollfd p = {.fd = c->sock, .events = POLLIN};
		uint64_t now = now_ns();
		int r = poll(&p, 1, now < until_ns ? (int)((until_ns - now) / 1000000) + 1 : 0);

		if (r == 0)
			return -ETIMEDOUT;
		if (r > 0)
			break;
		if (errno != EINTR)
			return -errno;
	}
	n = symd_msg__recv(c->sock, c->message, NULL, MSG_DONTWAIT);
	if (n <= 0)
		return n ? (int)n : -EPIPE;
	if (symd_msg__parse(c->message, (size_t)n, &header, ret) < 0 || header.type != type ||
	    header.seq != c->seq)
		return -EPROTO;
	return 0;
}

static int say_server(struct http_client *c)
{
	_cleanup_(buf__done) struct buf message = {0};
	bool own = c->url->kind != SHIP_CLICKHOUSE;
	struct cursor body;
	int r;

	symd_msg__begin(&message, HTTP_SERVER, ++c->seq);
	symd_msg__put_text(&message, c->url->base, HTTP_PATH_MAX);
	/* of the others, requests are signed by who makes them, or have their own headers */
	symd_msg__put_text(&message, own ? NULL : c->secrets->user, SECRET_BYTES_MAX);
	symd_msg__put_text(&message, own ? NULL : c->secrets->password, SECRET_BYTES_MAX);
	symd_msg__end(&message);
	r = symd_msg__send(c->sock, &message, c->secrets->ca, 0);
	explicit_bzero(message.data, message.len);
	if (r == 0)
		r = receive(c, HTTP_SERVER, now_ns() + START_MS * 1000000ULL, &body);
	return r;
}

static int take_hello(struct http_client *c, struct cursor *body)
{
	c->hello = cursor__u8(body);
	c->reason = cursor__u32(body);
	return c->hello == HTTP_READY ? 0 : c->hello == HTTP_LIBRARY_MISSING ? -ELIBACC : -EPERM;
}

static int start(struct http_client *c)
{
	const struct reexec what = {.command = "http"};
	struct cursor body;
	int r;

	if (c->pid > 0)
		return 0;
	if (c->no_more)
		return -ECHILD;
	c->seq = 0;
	r = reexec_start(&what, &c->pid, &c->sock);
	if (r < 0)
		c->pid = 0;
	if (r == 0)
		r = receive(c, HTTP_HELLO, now_ns() + START_MS * 1000000ULL, &body);
	if (r == 0)
		r = take_hello(c, &body);
	if (r == 0)
		r = say_server(c);
	if (r < 0)
		end_process(c);
	return r;
}

static int explain(const struct http_client *c, struct err *err)
{
	if (c->hello == HTTP_LIBRARY_MISSING)
		return err__cannot(err, "libcurl isn't installed, and servers are asked by it "
					"(Debian, Ubuntu: libcurl4)");
	if (c->hello == HTTP_NOT_NOBODY)
		return err__cannot(err, "the process that asks the server can't become nobody: "
					"for that root needs CAP_SETUID and CAP_SETGID");
	return err__cannot(err,
			   "the process that asks the server can't have all else forbidden to it "
			   "(Landlock, seccomp): %s; a container's profile of system calls has to "
			   "allow that",
			   strerror((int)c->reason));
}

int http_client__new(struct http_client **ret, const struct ship_url *url,
		     const struct http_secrets *secrets, struct err *err)
{
	struct http_client *c = xcalloc(1, sizeof(*c));
	int r;

	c->sock = -1;
	c->hello = HTTP_READY;
	c->url = url;
	c->secrets = secrets;
	r = start(c);
	if (r == 0) {
		*ret = c;
		return 0;
	}
	if (c->hello != HTTP_READY)
		r = explain(c, err);
	else
		err__set(err, r, "the process that asks the server doesn't start: %s",
			 strerror(-r));
	http_client__free(c);
	return r;
}

void http_client__start_no_more(struct http_client *c)
{
	c->no_more = true;
}

bool http_client__is_over(const struct http_client *c)
{
	return c->no_more && c->pid <= 0;
}

void http_client__free(struct http_client *c)
{
	if (!c)
		return;
	end_process(c);
	free(c);
}

/* ---------------------------------------------------------------- requests */

static int write_gzip(int fd, const void *data, size_t len)
{
	_cleanup_free_ uint8_t *out = NULL;
	z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	int r;

	if (len > UINT32_MAX ||
	    deflateInit2(&z, 1, Z_DEFLATED, DEFLATE_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -EINVAL;
	z.avail_out = (uInt)deflateBound(&z, len);
	z.next_out = out = xcalloc(1, z.avail_out);
	r = deflate(&z, Z_FINISH) == Z_STREAM_END ? write_all(fd, out, z.total_out) : -EINVAL;
	deflateEnd(&z);
	return r;
}

/* The process has no place of its own for it, nor for what it gets. */
static int body_of(const struct http_request *request)
{
	_cleanup_close_ int fd = memory_file__new("body");
	int r;

	if (fd < 0)
		return fd;
	r = request->gzip ? write_gzip(fd, request->body, request->len) :
			    write_all(fd, request->body, request->len);
	return r < 0 ? r : TAKE_FD(fd);
}

static void put_path(const struct http_client *c, const struct http_request *request,
		     struct buf *out)
{
	if (request->path) {
		buf__puts(out, request->path);
		return;
	}
	buf__puts(out, "/?wait_end_of_query=1&database=");
	url__put(out, c->url->database);
	if (request->extra)
		buf__puts(out, request->extra);
	if (request->query) {
		buf__puts(out, "&query=");
		url__put(out, request->query);
	}
}

static int send_request(struct http_client *c, const struct http_request *request, int fd)
{
	_cleanup_(buf__done) struct buf message = {0};
	_cleanup_(buf__done) struct buf path = {0};

	put_path(c, request, &path);
	if (path.len > HTTP_PATH_MAX)
		return -E2BIG;
	symd_msg__begin(&message, HTTP_POST, ++c->seq);
	symd_msg__put_text(&message, path.data, HTTP_PATH_MAX);
	symd_msg__put_u8(&message, request->gzip);
	symd_msg__put_u8(&message, request->method);
	symd_msg__put_text(&message, request->headers, HTTP_PATH_MAX);
	symd_msg__put_u64(&message, request->max_bytes);
	symd_msg__put_u32(&message, request->ms);
	symd_msg__end(&message);
	return symd_msg__send(c->sock, &message, fd, 0);
}

static int map_reply(int fd, uint64_t at, uint64_t max_bytes, struct http_reply *ret)
{
	struct stat st;
	uint64_t len;
	void *data;

	/* whoever has written it must not take it away while it is read */
	if (memory_file__seal(fd) < 0 || fstat(fd, &st) < 0)
		return -EPROTO;
	len = (uint64_t)st.st_size > at ? (uint64_t)st.st_size - at : 0;
	if (len > max_bytes)
		return -EPROTO;
	if (!len)
		return 0;
	data = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, (off_t)at);
	if (data == MAP_FAILED)
		return -errno;
	ret->data = data;
	ret->len = ret->mapped = (size_t)len;
	return 0;
}

static int take_reply(struct http_client *c, const struct http_request *request, int fd,
		      uint64_t at, struct http_reply *ret)
{
	struct cursor body;
	size_t len;
	const char *why;
	int r = receive(c, HTTP_POST, now_ns() + (request->ms + GRACE_MS) * 1000000ULL, &body);

	if (r < 0)
		return r;
	ret->outcome = cursor__u8(&body);
	ret->status = cursor__u16(&body);
	ret->wait_s = cursor__u32(&body);
	len = cursor__u16(&body);
	why = cursor__bytes(&body, len);
	if (!cursor__done(&body) || ret->outcome > HTTP_NO_LIBRARY || len >= sizeof(ret->why))
		return -EPROTO;
	memcpy(ret->why, why, len);
	return map_reply(fd, at, request->max_bytes, ret);
}

static void fail(struct http_reply *ret, enum http_outcome outcome, const char *what, int r)
{
	http_reply__done(ret);
	*ret = (struct http_reply){.outcome = outcome};
	snprintf(ret->why, sizeof(ret->why), "%s: %s", what, strerror(-r));
}

void http_client__post(struct http_client *c, const struct http_request *request,
		       struct http_reply *ret)
{
	_cleanup_close_ int fd = -1;
	struct stat st = {0};
	int r = start(c);

	*ret = (struct http_reply){0};
	if (r < 0) {
		fail(ret, HTTP_NOT_SENT, "the process that asks the server doesn't start", r);
		return;
	}
	r = fd = body_of(request);
	if (r >= 0)
		r = fstat(fd, &st) < 0 ? -errno : send_request(c, request, fd);
	if (r < 0) {
		fail(ret, HTTP_NOT_SENT, "the request can't be handed over", r);
		end_process(c);
		return;
	}
	r = take_reply(c, request, fd, http_reply_at((uint64_t)st.st_size), ret);
	if (r < 0) {
		fail(ret, HTTP_UNKNOWN, "the process that asks the server has no answer", r);
		end_process(c);
	}
}

void http_reply__done(struct http_reply *r)
{
	if (r->mapped)
		munmap((void *)r->data, r->mapped);
	r->data = NULL;
	r->len = r->mapped = 0;
}

/* ---------------------------------------------------------------- secrets */

static int parse_secret(struct http_secrets *s, char *text, const char *path, struct err *err)
{
	char *end = strpbrk(text, "\r\n"), *colon;

	if (end)
		*end = '\0';
	colon = strchr(text, ':');
	if (!colon || colon == text)
		return err__set(err, -EINVAL,
				"--credentials '%s': its first line is not "
				"USER:PASSWORD",
				path);
	*colon = '\0';
	for (const char *c = text; *c; c++) {
		if (*c < ' ')
			return err__set(err, -EINVAL,
					"--credentials '%s': a control character is "
					"in its first line",
					path);
	}
	s->user = xstrdup(text);
	s->password = xstrdup(colon + 1);
	return 0;
}

static int check_secret(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err__set(err, -EINVAL, "--credentials '%s' is not a file", path);
	if (st.st_mode & 077)
		return err__set(err, -EPERM,
				"--credentials '%s' can be read by others (its mode is %04o): "
				"chmod 600 it",
				path, st.st_mode & 07777);
	return 0;
}

static int read_secret(struct http_secrets *s, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[SECRET_BYTES_MAX];
	ssize_t n;
	int r;

	if (fd < 0)
		return err__set(err, -errno, "can't read --credentials '%s': %s", path,
				strerror(errno));
	r = check_secret(fd, path, err);
	if (r < 0)
		return r;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return err__set(err, -errno, "can't read --credentials '%s': %s", path,
				strerror(errno));
	text[n] = '\0';
	r = parse_secret(s, text, path, err);
	explicit_bzero(text, sizeof(text));
	return r;
}

int http_secrets__load(struct http_secrets *s, const char *path, const struct ship_url *url,
		       struct err *err)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	_cleanup_free_ char *given =
		folder && !path ? xasprintf("%s/%s", folder, ship_kind__name(url->kind)) : NULL;
	int r;

	if (given && access(given, F_OK) == 0)
		path = given;
	if (!path)
		return 0;
	if (!url->https && !url->loopback)
		return err__usage(err,
				  "credentials over plain http can be read by everybody on the "
				  "way: use https, or a server on this host");
	r = read_secret(s, path, err);
	return r;
}

int http_secrets__load_ca(struct http_secrets *s, const char *path, struct err *err)
{
	struct stat st;

	s->ca = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->ca < 0)
		return err__set(err, -errno, "can't read --ca '%s': %s", path, strerror(errno));
	if (fstat(s->ca, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0 ||
	    st.st_size > CA_BYTES_MAX)
		return err__set(err, -EINVAL, "--ca '%s' is not a file of certificates (PEM)",
				path);
	return 0;
}

void http_secrets__done(struct http_secrets *s)
{
	if (s->password)
		explicit_bzero(s->password, strlen(s->password));
	free(s->user);
	free(s->password);
	cleanup_close(&s->ca);
	*s = (struct http_secrets){.ca = -1};
}
