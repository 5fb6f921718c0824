// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#define PLAIN "clickhouse+http://"
#define SECURE "clickhouse+https://"
#define S3_PLAIN "s3+http://"
#define S3_SECURE "s3+https://"
#define PYROSCOPE_PLAIN "pyroscope+http://"
#define PYROSCOPE_SECURE "pyroscope+https://"
#define OTLP_PLAIN "otlp+http://"
#define OTLP_SECURE "otlp+https://"
#define DEFAULT_REGION "us-east-1"
#define LETTERS_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define HOST_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

bool ship_url__is(const char *text)
{
	return starts_with(text, PLAIN) || starts_with(text, SECURE);
}

/* "127.0.0.1" in all of its forms is "127." and digits and dots. */
static bool is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (starts_with(host, "127.") && strspn(host, "0123456789.") == strlen(host));
}

static size_t host_length(const char *text)
{
	const char *end = strchr(text, ']');

	if (*text != '[')
		return strspn(text, HOST_CHARS);
	if (!end || strspn(text + 1, "0123456789abcdefABCDEF:.") != (size_t)(end - text - 1))
		return 0;
	return (size_t)(end - text + 1);
}

/* ":8123/pmubpf" */
static int parse_rest(struct ship_url *ret, const char *host, const char *rest)
{
	const char *slash = strchr(rest, '/');
	size_t len = slash ? (size_t)(slash - rest) : strlen(rest);
	_cleanup_free_ char *port = xstrndup(rest, len);
	int number = ret->https ? 8443 : 8123;

	if (len && (*port != ':' || num__parse_int(port + 1, 1, 65535, &number) < 0))
		return -1;
	if (!slash || !slash[1])
		return -1;
	for (const char *c = slash + 1; *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != '_')
			return -1;
	}
	ret->database = xstrdup(slash + 1);
	ret->base = xasprintf("%s://%s:%d", ret->https ? "https" : "http", host, number);
	return 0;
}

/* "/bucket/prefix?region=x". Names are those that need no escapes. */
static int parse_object(struct ship_url *ret, const char *text)
{
	size_t len = strspn(text, LETTERS_DIGITS "-_./");
	static const char region[] = "?region=";
	const char *end = text + len;

	if (*text != '/' || len < 2 || text[1] == '/' || strstr(text, "//") || strstr(text, "/."))
		return -1;
	ret->path = xstrndup(text, text[len - 1] == '/' ? len - 1 : len);
	if (!*end) {
		ret->region = xstrdup(DEFAULT_REGION);
		return 0;
	}
	if (!starts_with(end, region))
		return -1;
	end += sizeof(region) - 1;
	ret->region = xstrdup(end);
	return *end && strspn(end, LETTERS_DIGITS "-") == strlen(end) ? 0 : -1;
}

/* "/prefix?tenant=x", or nothing. */
static int parse_tenant(struct ship_url *ret, const char *text)
{
	size_t len = strspn(text, LETTERS_DIGITS "-_./");
	static const char tenant[] = "?tenant=";
	const char *end = text + len;

	if (strstr(text, "//") || strstr(text, "/."))
		return -1;
	if (len && text[len - 1] == '/')
		len--;
	ret->path = len ? xstrndup(text, len) : NULL;
	if (!*end)
		return 0;
	if (!starts_with(end, tenant))
		return -1;
	end += sizeof(tenant) - 1;
	ret->tenant = xstrdup(end);
	return *end && strspn(end, LETTERS_DIGITS "-_.") == strlen(end) ? 0 : -1;
}

/* ":9000/bucket" */
static int parse_place(struct ship_url *ret, const char *host, const char *rest)
{
	size_t len = strcspn(rest, "/?");
	_cleanup_free_ char *port = xstrndup(rest, len);
	bool is_s3 = ret->kind == SHIP_S3;
	int plain = is_s3 ? 80 : ret->kind == SHIP_OTLP ? 4318 : 4040;
	int usual = ret->https ? 443 : plain, number = usual;

	if (len && (*port != ':' || num__parse_int(port + 1, 1, 65535, &number) < 0))
		return -1;
	ret->base = xasprintf("%s://%s:%d", ret->https ? "https" : "http", host, number);
	if (!is_s3)
		return parse_tenant(ret, rest + len);
	ret->authority = number == usual ? xstrdup(host) : xasprintf("%s:%d", host, number);
	return parse_object(ret, rest + len);
}

/* What it is isn't repeated: there may be a password in it. */
static int refuse_secret(const char *option, struct err *err)
{
	return err__usage(err,
			  "%s: a user or a password in a URL can be seen by everybody who "
			  "lists processes; put USER:PASSWORD into a file of yours and name "
			  "it with --credentials",
			  option);
}

bool ship_url__is_s3(const char *text)
{
	return starts_with(text, S3_PLAIN) || starts_with(text, S3_SECURE);
}

const char *ship_kind__name(enum ship_kind kind)
{
	static const char *const names[] = {
		[SHIP_CLICKHOUSE] = "clickhouse",
		[SHIP_S3] = "s3",
		[SHIP_PYROSCOPE] = "pyroscope",
		[SHIP_OTLP] = "otlp",
	};

	return names[kind];
}

static int refuse_place(const struct ship_url *url, const char *text, const char *option,
			struct err *err)
{
	if (url->kind == SHIP_S3)
		return err__usage(err,
				  "%s '%s': that is not %sHOST:PORT/BUCKET[/PREFIX]"
				  "[?region=REGION] (or s3+https), of letters, digits, and - _ .",
				  option, text, S3_PLAIN);
	return err__usage(err,
			  "%s '%s': that is not %s+http://HOST:PORT[/PREFIX][?tenant=NAME] (or "
			  "%s+https), of letters, digits, and - _ .",
			  option, text, ship_kind__name(url->kind), ship_kind__name(url->kind));
}

int ship_url__parse_any(struct ship_url *ret, const char *text, const char *option, struct err *err)
{
	static const struct {
		const char *start;
		enum ship_kind kind;
		bool https;
	} kinds[] = {
		{S3_PLAIN, SHIP_S3, false},
		{S3_SECURE, SHIP_S3, true},
		{PYROSCOPE_PLAIN, SHIP_PYROSCOPE, false},
		{PYROSCOPE_SECURE, SHIP_PYROSCOPE, true},
		{OTLP_PLAIN, SHIP_OTLP, false},
		{OTLP_SECURE, SHIP_OTLP, true},
	};
	const char *at = NULL;
	_cleanup_free_ char *host = NULL;
	size_t len;

	*ret = (struct ship_url){0};
	for (size_t i = 0; !at && i < ARRAY_SIZE(kinds); i++) {
		if (!starts_with(text, kinds[i].start))
			continue;
		at = text + strlen(kinds[i].start);
		ret->kind = kinds[i].kind;
		ret->https = kinds[i].https;
	}
	if (!at)
		return ship_url__parse(ret, text, option, err);
	if (strchr(at, '@'))
		return refuse_secret(option, err);
	len = host_length(at);
	host = xstrndup(at, len);
	ret->loopback = is_loopback(host);
	if (len && parse_place(ret, host, at + len) == 0)
		return 0;
	refuse_place(ret, text, option, err);
	ship_url__done(ret);
	return -EINVAL;
}

int ship_url__parse(struct ship_url *ret, const char *text, const char *option, struct err *err)
{
	const char *host_at;
	_cleanup_free_ char *host = NULL;
	size_t len;

	*ret = (struct ship_url){.https = starts_with(text, SECURE)};
	if (!ship_url__is(text))
		return err__usage(err,
				  "%s '%s': that is none of %sHOST:PORT/DATABASE, "
				  "s3+https://HOST/BUCKET, pyroscope+http://HOST:PORT and "
				  "otlp+http://HOST:PORT",
				  option, text, PLAIN);
	host_at = text + strlen(ret->https ? SECURE : PLAIN);
	if (strchr(host_at, '@'))
		return refuse_secret(option, err);
	len = host_length(host_at);
	host = xstrndup(host_at, len);
	ret->loopback = is_loopback(host);
	if (!len || parse_rest(ret, host, host_at + len) < 0) {
		ship_url__done(ret);
		return err__usage(err,
				  "%s '%s': that is not %sHOST:PORT/DATABASE (or "
				  "clickhouse+https); a database's name is letters, digits and _",
				  option, text, PLAIN);
	}
	return 0;
}

void ship_url__done(struct ship_url *url)
{
	free(url->base);
	free(url->database);
	free(url->path);
	free(url->region);
	free(url->authority);
	free(url->tenant);
	*url = (struct ship_url){0};
}

void sql__put_text(struct buf *out, const char *text)
{
	buf__putc(out, '\'');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\'' || c == '\\')
			buf__printf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			buf__printf(out, "\\x%02x", c);
		else
			buf__putc(out, (char)c);
	}
	buf__putc(out, '\'');
}

void url__put(struct buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && (isalnum(c) || strchr("-_.~", c)))
			buf__putc(out, (char)c);
		else
			buf__printf(out, "%%%02X", c);
	}
}
