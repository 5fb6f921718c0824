// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/frame_count.h"
#include "prof/pprof_read.h"
#include "render/pprof.h"

/* Location 1 is an address without a function, location 2 has 65,536. */
static struct prof *inlined(void)
{
	_cleanup_free_ struct prof_line *lines = xcalloc(1 << 16, sizeof(*lines));
	struct prof *p = prof__new();

	cr_assert_eq(prof__location(p, 0, 1, NULL, 0), 1);
	cr_assert_eq(prof__location(p, 0, 2, lines, 1 << 16), 2);
	return p;
}

Test(frame_count, of_one_stack)
{
	const uint32_t stack[] = {2, 2, 2, 2, 1};
	struct prof *p = inlined();
	uint64_t all = 0;

	cr_expect(frame_count__add(&all, p, stack, 4, 100));
	cr_expect_eq(all, FRAMES_OF_STACK);
	cr_expect_not(frame_count__add(&all, p, stack, 5, 100));
	prof__free(p);
}

/* What a stack of ordinary depth takes in a file allows for it. */
Test(frame_count, of_all_stacks)
{
	const uint32_t stack[] = {2, 1};
	const size_t large = 2 * FRAMES_OF_FILE / FRAMES_OF_BYTE;
	struct prof *p = inlined();
	uint64_t all = FRAMES_OF_FILE - 1;

	cr_expect(frame_count__add(&all, p, stack + 1, 1, 100));
	cr_expect_not(frame_count__add(&all, p, stack + 1, 1, 100));
	cr_expect(frame_count__add(&all, p, stack, 2, large));
	all = (uint64_t)large * FRAMES_OF_BYTE;
	cr_expect_not(frame_count__add(&all, p, stack + 1, 1, large));
	prof__free(p);
}

/* In a file of a few kB. */
Test(frame_count, readers_refuse_it)
{
	const uint32_t stack[] = {2, 2, 2, 2, 2};
	struct prof *p = inlined(), *again = NULL;
	_cleanup_close_ int fd = memfd_create("profile", MFD_CLOEXEC);
	_cleanup_fclose_ FILE *file = fdopen(dup(fd), "w");
	struct err err = {0};

	prof__type(p, "cpu", "nanoseconds");
	prof__sample(p, prof__stack(p, stack, 5), 0)[0] = 1;
	cr_assert_eq(pprof__write(file, p), 0);
	cr_assert_eq(fflush(file), 0);
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	cr_expect_eq(pprof__read(&again, fd, "'it'", NULL, &err), -EBADMSG);
	cr_expect_str_eq(err.text,
			 "'it' is damaged: sample 0 is one too many for its inlined functions");
	prof__free(p);
}
