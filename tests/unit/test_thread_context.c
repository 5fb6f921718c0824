// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* This program exports the variable, and asks about itself. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <linux/types.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "pmubpf/thread_context.h"
#include "symd/elf_tls.h"
#include "symd/protocol.h"
#include "symd/thread_context.h"
#include "sys/procfs.h"

__attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

/* ---------------------------------------------------------------- messages */

static size_t put(uint8_t *to, uint8_t tag, const void *bytes, size_t n)
{
	to[0] = tag;
	to[1] = (uint8_t)n;
	memcpy(to + 2, bytes, n);
	return n + 2;
}

/* An attribute whose value is a list of texts; at most so long that each length is one byte. */
static size_t put_list(uint8_t *to, uint8_t tag, const char *key, const char *const *texts,
		       size_t n)
{
	uint8_t list[100], array[110], value[60], all[180];
	size_t at = 0, len;

	for (size_t i = 0; i < n; i++) {
		len = put(value, 0x0a, texts[i], strlen(texts[i]));
		at += put(list + at, 0x0a, value, len);
	}
	at = put(array, 0x2a, list, at);
	len = put(all, 0x0a, key, strlen(key));
	len += put(all + len, 0x12, array, at);
	return put(to, tag, all, len);
}

static const char KEYS[] = "threadlocal.attribute_key_map";
static const char *const names[] = {"http_route", "user"};

static void expect_keys(const void *message, size_t len, const char *const *want, size_t n)
{
	void *copy = xmemdup(message, len ? len : 1);
	struct buf reply = {0};
	struct cursor c;

	thread_context__put_keys(copy, len, &reply);
	c = cursor__over(reply.data, reply.len);
	cr_expect_eq(cursor__u16(&c), n);
	for (size_t i = 0; i < n; i++) {
		size_t size = cursor__u16(&c);
		const char *text = cursor__bytes(&c, size);

		cr_expect(size == strlen(want[i]) && memcmp(text, want[i], size) == 0);
	}
	cr_expect(cursor__done(&c));
	buf__done(&reply);
	free(copy);
}

Test(thread_context, keys_are_found_among_a_resources_attributes)
{
	static const char *const others[] = {"x"};
	uint8_t inner[120], message[256];
	size_t len = put_list(inner, 0x0a, "other", others, 1), all;

	all = put(message, 0x0a, inner, len);
	len = put_list(inner, 0x0a, KEYS, names, 2);
	all += put(message + all, 0x0a, inner, len);
	expect_keys(message, all, names, 2);
}

Test(thread_context, and_beside_the_resource)
{
	uint8_t message[256] = {0x08, 0x05, 0x15, 1, 2, 3, 4}; /* numbers before it */
	size_t len = 7;

	len += put_list(message + len, 0x12, KEYS, names, 2);
	expect_keys(message, len, names, 2);
}

Test(thread_context, what_is_no_text_keeps_its_place)
{
	static const char *const want[] = {"a", "", "b"};
	/* AnyValue of a number amid texts */
	static const uint8_t list[] = {0x0a, 3, 0x0a, 1, 'a',  0x0a, 2,
				       0x18, 1, 0x0a, 3, 0x0a, 1,    'b'};
	uint8_t array[40], all[100], message[120];
	size_t at = put(array, 0x2a, list, sizeof(list));
	size_t len = put(all, 0x0a, KEYS, strlen(KEYS));

	len += put(all + len, 0x12, array, at);
	len = put(message, 0x0a, all, len);
	expect_keys(message, len, want, 3);
}

Test(thread_context, a_message_that_ends_early_has_none)
{
	uint8_t message[256];
	size_t len = put_list(message, 0x0a, KEYS, names, 2);

	for (size_t n = 0; n + 40 < len; n++)
		expect_keys(message, n, NULL, 0);
}

/* ---------------------------------------------------------------- where */

static Elf *elf_of(const char *path, int *ret_fd)
{
	elf_version(EV_CURRENT);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(*ret_fd >= 0);
	return elf_begin(*ret_fd, ELF_C_READ, NULL);
}

static void *at_offset(int64_t offset)
{
	return (char *)__builtin_thread_pointer() + offset;
}

Test(thread_context, a_programs_variable_lies_where_the_linker_put_it)
{
	struct elf_bytes self;
	struct elf_tls tls;
	int fd;

	self.elf = elf_of("/proc/self/exe", &fd);
	self = (struct elf_bytes){.elf = self.elf, .fd = fd};
	elf_tls__find(&self, "otel_thread_ctx_v1", &tls);
	cr_assert_eq(tls.kind, ELF_TLS_KNOWN);
	cr_expect_eq(at_offset(tls.offset), &otel_thread_ctx_v1);
	elf_tls__find(&self, "otel_thread_ctx_v2", &tls);
	cr_expect_eq(tls.kind, ELF_TLS_NONE);
	elf_end(self.elf);
	close(fd);
}

/* The C library's errno, whose offset its loader has written. */
Test(thread_context, a_librarys_variable_lies_where_the_loader_says)
{
	struct elf_bytes libc;
	struct elf_tls tls;
	Dl_info info;
	int fd;

	cr_assert(dladdr((void *)(uintptr_t)malloc, &info));
	libc.elf = elf_of(info.dli_fname, &fd);
	libc = (struct elf_bytes){.elf = libc.elf, .fd = fd};
	elf_tls__find(&libc, "errno", &tls);
	cr_assert_eq(tls.kind, ELF_TLS_OFFSET);
	cr_expect_eq(at_offset(*(int64_t *)((char *)info.dli_fbase + tls.slot)), &errno);
	elf_end(libc.elf);
	close(fd);
}

/* ---------------------------------------------------------------- all of it */

struct published {
	char signature[8];
	uint32_t version, size;
	uint64_t when, message;
};

static void find_self(uint64_t *ret_start, uint64_t *ret_off)
{
	char line[8192];
	FILE *maps = fopen("/proc/self/maps", "re");
	struct map_line map;

	while (fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (procfs_parse_map(line, &map) && map.start <= (uintptr_t)find_self &&
		    (uintptr_t)find_self < map.end) {
			*ret_start = map.start;
			*ret_off = map.file_off;
		}
	}
	fclose(maps);
}

static struct cursor ask(struct elf_file *elf, uint64_t published, struct buf *reply)
{
	uint64_t start = 0, file_off = 0;
	struct buf request = {0};
	struct cursor c;
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	find_self(&start, &file_off);
	symd_msg__put_u64(&request, start);
	symd_msg__put_u64(&request, file_off);
	symd_msg__put_u8(&request, 2);
	symd_msg__put_u64(&request, 16); /* nothing is there */
	symd_msg__put_u64(&request, published);
	c = cursor__over(request.data, request.len);
	cr_assert_eq(thread_context__answer(elf, &c, mem, reply), 0);
	close(mem);
	buf__done(&request);
	return cursor__over(reply->data, reply->len);
}

Test(thread_context, a_process_says_where_and_what_its_keys_are_called)
{
	uint8_t message[256];
	struct published p = {"OTEL_CTX", 2, (uint32_t)put_list(message, 0x0a, KEYS, names, 2), 1,
			      (uintptr_t)message};
	struct elf_file *elf;
	struct buf reply = {0};
	struct cursor c;

	cr_assert_eq(elf_file__open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), &elf), 0);
	c = ask(elf, (uintptr_t)&p, &reply);
	cr_expect_eq(cursor__u8(&c), SYMD_CONTEXT_FOUND);
	cr_expect_eq(cursor__u32(&c), PMB_CONTEXT_STATIC);
	cr_expect_eq(cursor__u32(&c), 0);
	cr_expect_eq(at_offset((int64_t)cursor__u64(&c)), &otel_thread_ctx_v1);
	cr_expect_eq(cursor__u16(&c), 2);

	/* while it is written, and one that claims too much */
	for (int i = 0; i < 3; i++) {
		struct published bad = p;

		if (i == 0)
			bad.when = 0;
		else if (i == 1)
			bad.size = 1 << 20;
		else
			bad.message = 8;
		buf__clear(&reply);
		c = ask(elf, (uintptr_t)&bad, &reply);
		cr_expect_eq(cursor__u8(&c), SYMD_CONTEXT_FOUND);
		cursor__skip(&c, 16);
		cr_expect_eq(cursor__u16(&c), 0);
		cr_expect(cursor__done(&c));
	}
	buf__done(&reply);
	elf_file__free(elf);
}
