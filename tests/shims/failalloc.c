// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The Nth allocation fails: SHIM_AT=N, and SHIM_MORE=1: all after it, too. With SHIM_COUNT=FILE the
 * number of allocations that a process made is appended to FILE at its end. Those of libbpf itself
 * don't count: 1.1 follows null pointers when some of them fail while it loads programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "shim.h"

/* glibc's own, under the names that it has for them */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static bool on;
static long n, at, more;
static const char *count_file;
static uintptr_t libbpf_start, libbpf_end;

static int find_libbpf(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size, (void)ctx;
	if (!strstr(info->dlpi_name, "/libbpf.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		libbpf_start = info->dlpi_addr + ph->p_vaddr;
		libbpf_end = libbpf_start + ph->p_memsz;
	}
	return 1;
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	on = shim_wanted(argc, argv);
	at = shim_number("SHIM_AT", 0);
	more = shim_number("SHIM_MORE", 0);
	count_file = getenv("SHIM_COUNT");
	dl_iterate_phdr(find_libbpf, NULL);
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	int fd = on && count_file ?
			 open(count_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) :
			 -1;

	on = false;
	if (fd >= 0 && write(fd, text, (size_t)snprintf(text, sizeof(text), "%ld\n", n)) < 0)
		_exit(99);
}

static bool fails(const void *caller)
{
	if (!on || ((uintptr_t)caller >= libbpf_start && (uintptr_t)caller < libbpf_end))
		return false;
	n++;
	if (n != at && !(more && at && n > at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, bytes);
}
