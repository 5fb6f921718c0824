/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that has the network: asks one server over HTTP, by libcurl, which is loaded in it
 * alone. It runs as nobody, reads no files but the system's, writes none, and starts nothing; what
 * it is to send and what it got travels as descriptors of memory. Whoever asks it reads neither
 * HTTP nor TLS. Messages are packets as those of symd/protocol.h:
 *
 * 	HELLO	it speaks first			u8 enum http_hello
 * 	SERVER	text base URL, text user,	-
 * 		text password, +fd of CAs
 * 		(none: the system's)
 * 	POST	text path, u8 gzip'd, u8 which	u8 outcome, u16 status, u32 seconds to
 * 		method, text lines of headers,	wait, text what went wrong
 * 		u64 most bytes of a reply,
 * 		u32 ms, +fd of the body
 *
 * The reply is written behind the body, from http_reply_at() on (sys/memory_file.h says why).
 */
#ifndef PMUBPF_SHIP_HTTP_H
#define PMUBPF_SHIP_HTTP_H

#include <stdint.h>

enum http_message { HTTP_HELLO = 1, HTTP_SERVER, HTTP_POST };

/* Whether it can do its work: not without libcurl, nor as anybody but nobody, nor if the kernel
 * doesn't forbid it all else. */
enum http_hello { HTTP_LIBRARY_MISSING, HTTP_READY, HTTP_NOT_NOBODY, HTTP_NOT_ENCLOSED };

enum http_method { HTTP_METHOD_POST, HTTP_METHOD_PUT, HTTP_METHOD_GET };

enum http_outcome {
	HTTP_ANSWERED,   /* status is the server's */
	HTTP_NOT_SENT,   /* nobody was reached: nothing has come of it */
	HTTP_UNKNOWN,    /* it was sent, and what has come of it isn't known */
	HTTP_TOO_LARGE,  /* the reply was longer than allowed */
	HTTP_NO_LIBRARY, /* libcurl isn't installed */
};

enum {
	HTTP_CONNECT_MS = 10000,
	/* without a byte that long is an end: a server adds an hour of 100 hosts up in 25 s before
	 * it sends the first */
	HTTP_SLOW_S = 60,
	HTTP_PATH_MAX = 4096,
	HTTP_TEXT_MAX = 512,
	HTTP_HEADERS_MAX = 65536, /* bytes of a reply's */
	HTTP_FILES = 64,          /* descriptors at a time */
};

/* A page's beginning, however large they are. */
static inline uint64_t http_reply_at(uint64_t body_len)
{
	return (body_len + 65535) & ~65535ULL;
}

/* As symd_main(). */
int http_main(int sock);

#endif
