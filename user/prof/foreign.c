// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

#define CONVERT_PERF                                                                      \
	"perf.data, not pprof: record with `pmubpf record -o FILE.pb.gz`, or convert it " \
	"(perf_data_converter's perf_to_profile)"

static const struct {
	const char *magic;
	size_t len;
	const char *what;
} magics[] = {
#define M(bytes, text)                         \
	{                                      \
		bytes, sizeof(bytes) - 1, text \
	}
	M("PERFILE2", CONVERT_PERF),
	M("2ELIFREP", CONVERT_PERF),
	M("\177ELF", "an ELF program or library, not a profile"),
	M("PK\003\004", "a zip archive: unpack it first"),
	M("\x28\xb5\x2f\xfd",
	  "compressed by zstd: uncompress it first (zstd -dc FILE | pmubpf … -)"),
	M("\xfd"
	  "7zXZ",
	  "compressed by xz: uncompress it first (xz -dc FILE | pmubpf … -)"),
	M("BZh", "compressed by bzip2: uncompress it first (bzip2 -dc FILE | pmubpf … -)"),
	M("\x1f\x8b", "gzip'd twice: uncompress it once (gzip -dc FILE | pmubpf … -)"),
	M("FLR\0", "a recording of Java Flight Recorder, not pprof"),
	M("JiTD", "a jitdump, not pprof"),
	M("DTiJ", "a jitdump, not pprof"),
	M("SQLite format 3", "an SQLite database, not pprof"),
	M("go 1.", "an execution trace of Go: `go tool trace` reads it"),
	M("<!DOCTYPE", "HTML, not pprof"),
	M("<!doctype", "HTML, not pprof"),
	M("<html", "HTML, not pprof"),
	M("<?xml", "XML or SVG, not pprof"),
	M("<svg", "SVG, not pprof"),
	M("--- heapz 1 ---",
	  "the text form of a Java heap profile: `pprof -proto FILE` converts it"),
	M("--- contentionz 1 ---",
	  "the text form of a Java lock profile: `pprof -proto FILE` converts it"),
	M("--- threadz ", "the text form of C++ threads' stacks: `pprof -proto FILE` converts it"),
	M("heap_v2/", "jemalloc's heap profile: `jeprof` reads it"),
	M("goroutine profile:", "the text form of Go's goroutine profile: get it without debug=1"),
	M("--- ", "the text form of a profile of Go: get it without debug=1"),
#undef M
};

/* gperftools' CPU profiles, and Java's like them, begin with the words 0, 3 and 0 or 1, as large as
 * the program's and in its order. */
static const char *cpu_words(const uint8_t *data, size_t len)
{
	static const unsigned sizes[] = {8, 4};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		unsigned size = sizes[i / 2], low = i % 2 ? size - 1 : 0;
		uint8_t words[3 * 8] = {0};
		bool java;

		if (len < 3 * size)
			continue;
		java = data[2 * size + low] == 1;
		words[size + low] = 3;
		words[2 * size + low] = java;
		if (memcmp(data, words, 3 * size) == 0)
			return java ? "a Java agent's CPU profile (java.cpu): `pprof -proto FILE` "
				      "converts "
				      "it" :
				      "gperftools' own format: `pprof -proto FILE` converts it";
	}
	return NULL;
}

/* "heap profile: 1: 32 [2: 64] @ heap/1048576" is Go's; C++ has heapprofile, heap_v2/524288,
 * growthz… there. */
static const char *heap_text(const uint8_t *data, size_t len)
{
	static const char begin[] = "heap profile:";
	const uint8_t *end = memchr(data, '\n', len), *at;

	if (len < sizeof(begin) - 1 || memcmp(data, begin, sizeof(begin) - 1) != 0)
		return NULL;
	len = end ? (size_t)(end - data) : len;
	at = memchr(data, '@', len);
	if (!at || memmem(at, len - (size_t)(at - data), "@ heap/", 7))
		return "the text form of Go's heap profile: get it without debug=1";
	return "the text form of a C++ heap profile (gperftools, tcmalloc): `pprof -proto FILE` "
	       "converts it";
}

/* "main;work;inner 17" */
static bool is_folded_line(const char *line, size_t len)
{
	size_t digits = 0;

	while (digits < len && isdigit((unsigned char)line[len - 1 - digits]))
		digits++;
	return digits && digits + 1 < len && line[len - 1 - digits] == ' ';
}

static bool is_text(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] < 0x20 && !strchr("\t\n\r", data[i] ? data[i] : 1))
			return false;
	}
	return len > 0;
}

static const char *text_format(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	size_t first = end ? (size_t)(end - text) : len;

	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
		first -= !!first;
	}
	if (len && (*text == '{' || *text == '['))
		return "JSON, not pprof";
	if (end && is_folded_line(text, first))
		return "folded stacks, not pprof: record with `-o FILE.pb.gz` to have both";
	if (memmem(text, len, "\n\t", 2))
		return "text like that of perf script, not pprof";
	return "text, not pprof";
}

const char *foreign_format(const uint8_t *data, size_t len)
{
	enum { LOOK_AT = 4096 };
	const char *what;

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		if (len >= magics[i].len && memcmp(data, magics[i].magic, magics[i].len) == 0)
			return magics[i].what;
	}
	if (len > LOOK_AT)
		len = LOOK_AT;
	what = heap_text(data, len);
	if (!what)
		what = cpu_words(data, len);
	if (what)
		return what;
	return is_text(data, len) ? text_format((const char *)data, len) : NULL;
}
