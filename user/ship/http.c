// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing is what an outcome means: a server that was never reached has done nothing, one
 * whose answer got lost may have done everything. libcurl's errors are told apart by that alone.
 */
#include "ship/http.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "symd/fetch.h"
#include "symd/protocol.h"
#include "sys/drop.h"
#include "sys/landlock.h"

enum { CA_BYTES_MAX = 4 << 20 };

/* Of curl/curl.h, which is in a package of its own; the numbers are part of its ABI. */
enum {
	OPT_WRITEDATA = 10001,
	OPT_URL = 10002,
	OPT_PROXY = 10004,
	OPT_READDATA = 10009,
	OPT_ERRORBUFFER = 10010,
	OPT_USERAGENT = 10018,
	OPT_HTTPHEADER = 10023,
	OPT_HEADERDATA = 10029,
	OPT_CAINFO_BLOB = 40309,
	OPT_WRITEFUNCTION = 20011,
	OPT_READFUNCTION = 20012,
	OPT_HEADERFUNCTION = 20079,
	OPT_INFILESIZE_LARGE = 30115,
	OPT_POSTFIELDSIZE_LARGE = 30120,
	OPT_LOW_SPEED_LIMIT = 19,
	OPT_LOW_SPEED_TIME = 20,
	OPT_UPLOAD = 46,
	OPT_POST = 47,
	OPT_FOLLOWLOCATION = 52,
	OPT_SSL_VERIFYPEER = 64,
	OPT_SSL_VERIFYHOST = 81,
	OPT_HTTP_VERSION = 84,
	OPT_HTTPGET = 80,
	OPT_NOSIGNAL = 99,
	OPT_TIMEOUT_MS = 155,
	OPT_CONNECTTIMEOUT_MS = 156,
	OPT_PROTOCOLS = 181,
	HTTP_1_1 = 2,
	PROTOCOLS_HTTP = 1 | 2, /* and https */
	INFO_RESPONSE_CODE = 0x200002,
	GLOBAL_ALL = 3,
	FAILED_RESOLVE = 6,
	FAILED_CONNECT = 7,
	WRITE_ERROR = 23,
	BAD_CERTIFICATE = 60,
	SSL_CONNECT_ERROR = 35,
	ABORTED = 42,
};
struct curl_blob {
	const void *data;
	size_t len;
	unsigned flags;
};

static struct {
	int (*global_init)(long flags);
	void *(*init)(void);
	int (*setopt)(void *curl, int option, ...);
	int (*perform)(void *curl);
	int (*getinfo)(void *curl, int info, ...);
	void (*cleanup)(void *curl);
	void (*reset)(void *curl);
	void *(*append)(void *list, const char *text);
	void (*free_all)(void *list);
	const char *(*strerror)(int code);
} lib;

static bool load_library(void)
{
	static const struct library_function functions[] = {
		{"curl_global_init", &lib.global_init}, {"curl_easy_init", &lib.init},
		{"curl_easy_setopt", &lib.setopt},      {"curl_easy_perform", &lib.perform},
		{"curl_easy_getinfo", &lib.getinfo},    {"curl_easy_cleanup", &lib.cleanup},
		{"curl_slist_append", &lib.append},     {"curl_slist_free_all", &lib.free_all},
		{"curl_easy_strerror", &lib.strerror},  {"curl_easy_reset", &lib.reset},
	};

	return (library_load("libcurl.so.4", functions, ARRAY_SIZE(functions)) ||
		library_load("libcurl-gnutls.so.4", functions, ARRAY_SIZE(functions))) &&
	       lib.global_init(GLOBAL_ALL) == 0;
}

/* ---------------------------------------------------------------- what it may */

static void limit(int what, uint64_t value)
{
	struct rlimit r = {value, value};

	setrlimit(what, &r);
}

/* Names of hosts, certificates and libraries: what everybody may read. */
static int restrict_files(void)
{
	static const char *const folders[] = {"/etc", "/usr", "/lib", "/lib64",
					      "/run/systemd/resolve"};
	int r = landlock_read_only(folders, ARRAY_SIZE(folders));

	return r == -ENOSYS ? 0 : r;
}

static int become_nobody(void)
{
	int r;

	prctl(PR_SET_NAME, "pmubpf-http");
	r = drop_new_privileges();
	if (r < 0)
		return r;
	r = drop_to_nobody();
	/* becoming another user has cleared it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return r;
}

static int enclose(void)
{
	int r;

	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, HTTP_FILES);
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_DATA, 256 << 20);
#endif
	r = restrict_files();
	return r < 0 ? r : fetch_forbid_calls();
}

/* ---------------------------------------------------------------- one request */

struct server {
	char *url, *user, *password;
	uint8_t *ca;
	size_t ca_len;
};

struct post {
	int file; /* of memory: the body, and then the reply */
	uint64_t at, len;
	uint64_t got, max_bytes, headers;
	uint32_t wait_s;
	bool too_large, sent;
};

static size_t give_body(char *to, size_t size, size_t n, void *ctx)
{
	struct post *p = ctx;
	uint64_t left = p->len - p->at;
	size_t room = size * n;
	ssize_t got = pread(p->file, to, left < room ? left : room, (off_t)p->at);

	p->sent = true;
	if (got < 0)
		return 0x10000000; /* CURL_READFUNC_ABORT */
	p->at += (uint64_t)got;
	return (size_t)got;
}

static size_t take_reply(char *data, size_t size, size_t n, void *ctx)
{
	struct post *p = ctx;
	size_t len = size * n;

	if (len > p->max_bytes - p->got) {
		p->too_large = true;
		return 0;
	}
	for (size_t at = 0; at < len;) {
		ssize_t did = pwrite(p->file, data + at, len - at,
				     (off_t)(http_reply_at(p->len) + p->got + at));

		if (did <= 0)
			return 0;
		at += (size_t)did;
	}
	p->got += len;
	return len;
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char retry[] = "retry-after:";
	struct post *p = ctx;
	size_t len = size * n;
	char text[32] = "";
	uint64_t s;

	p->headers += len;
	if (p->headers > HTTP_HEADERS_MAX) {
		p->too_large = true;
		return 0;
	}
	if (len > sizeof(retry) && strncasecmp(data, retry, sizeof(retry) - 1) == 0) {
		size_t from = sizeof(retry) - 1;

		while (from < len && data[from] == ' ')
			from++;
		for (size_t i = 0; from < len && data[from] > ' ' && i < sizeof(text) - 1; i++)
			text[i] = data[from++];
		if (num__parse_u64(text, &s) == 0)
			p->wait_s = s > UINT32_MAX ? UINT32_MAX : (uint32_t)s;
	}
	return len;
}

static void *add_header(void *list, const char *name, const char *value)
{
	_cleanup_free_ char *line = xasprintf("%s: %s", name, value);

	return lib.append(list, line);
}

/* What is asked, as it came. */
struct asked {
	char *path, *headers;
	bool gzip;
	enum http_method method;
	uint32_t ms;
};

static void asked__done(struct asked *a)
{
	free(a->path);
	free(a->headers);
}

static void *add_lines(void *list, const char *lines)
{
	_cleanup_free_ char *copy = xstrdup(lines);
	char *at = copy, *line;

	while ((line = strsep(&at, "\n"))) {
		if (*line)
			list = lib.append(list, line);
	}
	return list;
}

static void *make_headers(const struct server *server, const struct asked *asked)
{
	/* a body isn't announced first, and is no form */
	void *list = lib.append(NULL, "Expect:");

	if (!starts_with(asked->headers, "Content-Type:"))
		list = add_header(list, "Content-Type", "application/octet-stream");
	list = add_lines(list, asked->headers);
	if (asked->gzip)
		list = add_header(list, "Content-Encoding", "gzip");
	if (*server->user) {
		list = add_header(list, "X-ClickHouse-User", server->user);
		list = add_header(list, "X-ClickHouse-Key", server->password);
	}
	return list;
}

static void set_bounds(void *curl, uint32_t ms)
{
	lib.setopt(curl, OPT_PROTOCOLS, (long)PROTOCOLS_HTTP);
	lib.setopt(curl, OPT_FOLLOWLOCATION, 0L);
	lib.setopt(curl, OPT_HTTP_VERSION, (long)HTTP_1_1);
	lib.setopt(curl, OPT_NOSIGNAL, 1L);
	lib.setopt(curl, OPT_PROXY, "");
	lib.setopt(curl, OPT_CONNECTTIMEOUT_MS,
		   (long)(ms < HTTP_CONNECT_MS ? ms : HTTP_CONNECT_MS));
	lib.setopt(curl, OPT_TIMEOUT_MS, (long)ms);
	lib.setopt(curl, OPT_LOW_SPEED_LIMIT, 1L);
	lib.setopt(curl, OPT_LOW_SPEED_TIME, (long)HTTP_SLOW_S);
	lib.setopt(curl, OPT_SSL_VERIFYPEER, 1L);
	lib.setopt(curl, OPT_SSL_VERIFYHOST, 2L);
}

static void set_body(void *curl, struct post *p, enum http_method method)
{
	bool put = method == HTTP_METHOD_PUT;

	if (method == HTTP_METHOD_GET) {
		lib.setopt(curl, OPT_HTTPGET, 1L);
	} else {
		lib.setopt(curl, put ? OPT_UPLOAD : OPT_POST, 1L);
		lib.setopt(curl, put ? OPT_INFILESIZE_LARGE : OPT_POSTFIELDSIZE_LARGE,
			   (int64_t)p->len);
		lib.setopt(curl, OPT_READFUNCTION, give_body);
		lib.setopt(curl, OPT_READDATA, p);
	}
	lib.setopt(curl, OPT_WRITEFUNCTION, take_reply);
	lib.setopt(curl, OPT_WRITEDATA, p);
	lib.setopt(curl, OPT_HEADERFUNCTION, take_header);
	lib.setopt(curl, OPT_HEADERDATA, p);
}

static enum http_outcome outcome_of(int code, const struct post *p)
{
	if (code == 0)
		return HTTP_ANSWERED;
	if (p->too_large)
		return HTTP_TOO_LARGE;
	if (code == FAILED_RESOLVE || code == FAILED_CONNECT || code == BAD_CERTIFICATE ||
	    code == SSL_CONNECT_ERROR || !p->sent)
		return HTTP_NOT_SENT;
	return HTTP_UNKNOWN;
}

/*
 * Of GET connections are kept: it can be asked twice without harm, and many are asked one after the
 * other. All else has one of its own, so that what libcurl does over one that has just been closed
 * is no riddle.
 */
static void *handle_of(enum http_method method)
{
	static void *kept;

	if (method != HTTP_METHOD_GET)
		return lib.init();
	if (!kept)
		kept = lib.init();
	return kept;
}

static void give_back(void *curl, enum http_method method)
{
	if (method == HTTP_METHOD_GET)
		lib.reset(curl);
	else
		lib.cleanup(curl);
}

/* why has HTTP_TEXT_MAX bytes, libcurl's CURL_ERROR_SIZE is 256. */
static enum http_outcome perform(const struct server *server, const struct asked *asked,
				 struct post *p, long *ret_status, char *why)
{
	_cleanup_free_ char *url = xasprintf("%s%s", server->url, asked->path);
	struct curl_blob ca = {server->ca, server->ca_len, 0};
	void *curl = handle_of(asked->method), *headers;
	int code;

	if (!curl)
		return HTTP_NOT_SENT;
	headers = make_headers(server, asked);
	lib.setopt(curl, OPT_URL, url);
	lib.setopt(curl, OPT_ERRORBUFFER, why);
	lib.setopt(curl, OPT_USERAGENT, "pmubpf");
	lib.setopt(curl, OPT_HTTPHEADER, headers);
	set_bounds(curl, asked->ms);
	set_body(curl, p, asked->method);
	if (server->ca_len && lib.setopt(curl, OPT_CAINFO_BLOB, &ca) != 0) {
		snprintf(why, HTTP_TEXT_MAX, "this libcurl is older than 7.77 and knows no --ca");
		code = SSL_CONNECT_ERROR;
	} else {
		code = lib.perform(curl);
	}
	lib.getinfo(curl, INFO_RESPONSE_CODE, ret_status);
	give_back(curl, asked->method);
	lib.free_all(headers);
	if (code && !*why)
		snprintf(why, HTTP_TEXT_MAX, "%s", lib.strerror(code));
	return outcome_of(code, p);
}

/* ---------------------------------------------------------------- serving */

static char *take_text(struct cursor *c)
{
	size_t len = cursor__u16(c);
	const char *text = cursor__bytes(c, len);

	return text ? xstrndup(text, len) : xstrdup("");
}

static void server__done(struct server *s)
{
	free(s->url);
	free(s->user);
	free(s->password);
	free(s->ca);
	*s = (struct server){0};
}

static int read_ca(struct server *s, int fd)
{
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > CA_BYTES_MAX)
		return -EINVAL;
	s->ca_len = (size_t)st.st_size;
	s->ca = xcalloc(1, s->ca_len);
	return pread(fd, s->ca, s->ca_len, 0) == st.st_size ? 0 : -EIO;
}

static int take_server(struct server *s, struct cursor *body, int fd)
{
	server__done(s);
	s->url = take_text(body);
	s->user = take_text(body);
	s->password = take_text(body);
	return cursor__done(body) ? read_ca(s, fd) : -EPROTO;
}

static int post(const struct server *s, struct cursor *body, int fd, struct buf *reply)
{
	_cleanup_(asked__done) struct asked asked = {.path = take_text(body)};
	char why[HTTP_TEXT_MAX] = "";
	struct post p = {.file = fd};
	enum http_outcome outcome;
	long status = 0;
	struct stat st;

	asked.gzip = cursor__u8(body);
	asked.method = cursor__u8(body);
	asked.headers = take_text(body);
	p.max_bytes = cursor__u64(body);
	asked.ms = cursor__u32(body);
	if (!cursor__done(body) || !s->url || fd < 0 || fstat(fd, &st) < 0)
		return -EPROTO;
	p.len = (uint64_t)st.st_size;
	outcome = perform(s, &asked, &p, &status, why);
	symd_msg__put_u8(reply, (uint8_t)outcome);
	symd_msg__put_u16(reply, status > 0 && status <= UINT16_MAX ? (uint16_t)status : 0);
	symd_msg__put_u32(reply, p.wait_s);
	symd_msg__put_text(reply, why, HTTP_TEXT_MAX);
	return 0;
}

static int serve(int sock)
{
	static char request[SYMD_MSG_MAX];
	_cleanup_(server__done) struct server server = {0};
	_cleanup_(buf__done) struct buf reply = {0};
	struct symd_header header;
	struct cursor body;

	for (;;) {
		_cleanup_close_ int fd = -1;
		ssize_t n = symd_msg__recv(sock, request, &fd, 0);
		int r;

		if (n <= 0 || symd_msg__parse(request, (size_t)n, &header, &body) < 0)
			return n == 0 ? 0 : 1;
		symd_msg__begin(&reply, header.type, header.seq);
		r = header.type == HTTP_SERVER ? take_server(&server, &body, fd) :
		    header.type == HTTP_POST   ? post(&server, &body, fd, &reply) :
						 -EPROTO;
		symd_msg__end(&reply);
		if (r < 0 || symd_msg__send(sock, &reply, -1, 0) < 0)
			return 1;
	}
}

int http_main(int sock)
{
	_cleanup_(buf__done) struct buf hello = {0};
	/* its libraries are read as whoever called */
	enum http_hello what = load_library() ? HTTP_READY : HTTP_LIBRARY_MISSING;
	int r = 0;

	if (become_nobody() < 0)
		what = HTTP_NOT_NOBODY;
	else if ((r = enclose()) < 0)
		what = HTTP_NOT_ENCLOSED;
	symd_msg__begin(&hello, HTTP_HELLO, 0);
	symd_msg__put_u8(&hello, what);
	symd_msg__put_u32(&hello, (uint32_t)-r);
	symd_msg__end(&hello);
	if (symd_msg__send(sock, &hello, -1, 0) < 0 || what != HTTP_READY)
		return 1;
	return serve(sock);
}
