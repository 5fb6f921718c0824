// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which function of a stack memory belongs to. */
#include <criterion/criterion.h>

#include "prof/site.h"
#include "prof_build.h"

static void expect(const char *stack, const char *want)
{
	struct prof *p = build_clock_and_misses();
	struct prof_frames frames = {0};
	struct buf text = {0};

	prof__put_site(p, *stack ? build_stack(p, stack) : 0, &frames, &text);
	cr_expect_str_eq(text.len ? text.data : "", want, "%s: %s", stack,
			 text.len ? text.data : "");
	buf__done(&text);
	prof_frames__done(&frames);
	prof__free(p);
}

Test(site, of_stacks)
{
	expect("fill,main", "fill");
	expect("__memset_evex_unaligned_erms@/lib/x86_64-linux-gnu/libc.so.6,fill,main", "fill");
	expect("@/lib/libc-2.31.so,@/lib/libc-2.31.so,fill,main", "fill");
	expect("sysmalloc@/lib/libc.so.6,_int_malloc@/lib/libc.so.6,operator new(unsigned "
	       "long)@/lib/libstdc++.so.6,grow,main",
	       "grow");
	expect("arena_malloc@/usr/lib/libjemalloc.so.2,load,main", "load");
	expect("", "");
}

Test(site, of_what_is_linked_statically)
{
	expect("__memset_avx2,calloc,fill,main", "fill");
	expect("memset,fill,main", "fill");
	expect("memset_pages,main", "memset_pages");
	expect("std::vector<int>::push_back(int const&),fill,main", "fill");
	expect("void std::vector<a>::_M_realloc_insert<b>(c),operator new(unsigned long),fill",
	       "fill");
	expect("core::ptr::write,<alloc::vec::Vec<T> as Extend>::extend,fill", "fill");
	expect("runtime.mallocgc,main.fill", "main.fill");
	expect("memset+fill,main", "fill"); /* inlined */
	expect("standard,main", "standard");
}

/* Better than nobody. */
Test(site, of_nothing_else)
{
	expect("_dl_relocate_object@/lib64/ld-linux-x86-64.so.2,_start@/lib64/ld-linux-x86-64.so.2",
	       "_dl_relocate_object");
	expect("@/lib/libc.so.6", "[libc.so.6]");
	expect("memset@/lib/libc.so.6,@", ""); /* who called it isn't known */
}
