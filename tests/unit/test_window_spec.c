// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of --window: what it stands for, and what is said of one that stands for nothing. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "pmu/window_spec.h"

static struct window_spec parse(const char *text)
{
	struct window_spec spec;
	struct err err = {0};

	cr_assert_eq(window_spec__parse(&spec, "--window", false, text, &err), 0, "%s: %s", text,
		     err.text);
	return spec;
}

/* "u FILE GROUP NAME OFFSET" */
static char *words(const struct window_probe *p)
{
	static const char *const kinds[] = {"-", "u", "usdt", "t", "k", "f", "x", "e"};

	return xasprintf("%s %s %s %s %llu", kinds[p->kind], p->file ? p->file : "-",
			 p->group ? p->group : "-", p->name ? p->name : "-",
			 (unsigned long long)p->offset);
}

Test(window_spec, windows_without_probes)
{
	static const struct {
		const char *text, *name;
		enum window_kind kind;
		const char *call;
	} cases[] = {
		{"loop", "loop", WINDOW_LOOP, NULL},
		{"request=loop", "request", WINDOW_LOOP, NULL},
		{"run", "run", WINDOW_RUN, NULL},
		{"syscall", "syscall", WINDOW_SYSCALL, NULL},
		{"syscall:read", "syscall:read", WINDOW_SYSCALL, "read"},
		{"io_2=syscall:pread64", "io_2", WINDOW_SYSCALL, "pread64"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(window_spec__done) struct window_spec spec = parse(cases[i].text);

		cr_expect_eq(spec.kind, cases[i].kind, "%s", cases[i].text);
		cr_expect_str_eq(spec.name, cases[i].name);
		cr_expect(cases[i].call ? spec.call && !strcmp(spec.call, cases[i].call) :
					  !spec.call);
	}
}

Test(window_spec, probes)
{
	static const struct {
		const char *text, *from, *to;
	} cases[] = {
		{"u:handle", "u - - handle 0", NULL},
		{"u:/usr/bin/x:handle", "u /usr/bin/x - handle 0", NULL},
		{"u:/usr/lib/../bin/x:ns::handle", "u /usr/lib/../bin/x - ns::handle 0", NULL},
		{"u:operator+", "u - - operator+ 0", NULL},
		{"w=k:vfs_read", "k - - vfs_read 0", NULL},
		{"f:do_sys_openat2", "f - - do_sys_openat2 0", NULL},
		{"u:/x:ns::C::f(int, const char *)..u:/x:ns::(anonymous namespace)::g",
		 "u /x - ns::C::f(int, const char *) 0", "u /x - ns::(anonymous namespace)::g 0"},
		{"u:/x:_ZN4$LT$a..b..c$GT$1f17h0E", "u /x - _ZN4$LT$a..b..c$GT$1f17h0E 0", NULL},
		{"u:/x:a::operator++8..u:/x:<a::T as b::U>::f", "u /x - a::operator+ 8",
		 "u /x - <a::T as b::U>::f 0"},
		{"u:f+4..u:/a/b:g+0x1c", "u - - f 4", "u /a/b - g 28"},
		{"t:block:block_rq_issue..t:block:block_rq_complete", "t - block block_rq_issue 0",
		 "t - block block_rq_complete 0"},
		{"usdt:/b:p:n..usdt:/b:p:n__done", "usdt /b p n 0", "usdt /b p n__done 0"},
		{"x:0x401136..x:4198711", "x - - mem:0x401136:x 4198710",
		 "x - - mem:0x401137:x 4198711"},
		{"page-faults/period=1/..page-faults/period=1/", "e - - page-faults/period=1/ 0",
		 "e - - page-faults/period=1/ 0"},
		{"mem:0x10:w..u:/x/..y:f", "e - - mem:0x10:w 0", "u /x/..y - f 0"},
		{"u:f..cpu/event=0x3c,period=1000/", "u - - f 0",
		 "e - - cpu/event=0x3c,period=1000/ 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(window_spec__done) struct window_spec spec = parse(cases[i].text);
		_cleanup_free_ char *from = words(&spec.from), *to = words(&spec.to);

		cr_expect_str_eq(from, cases[i].from, "%s: %s", cases[i].text, from);
		cr_expect_str_eq(to, cases[i].to ? cases[i].to : "- - - - 0", "%s: %s",
				 cases[i].text, to);
		cr_expect_eq(spec.kind, cases[i].to ? WINDOW_BETWEEN : WINDOW_FUNCTION);
	}
}

Test(window_spec, what_is_refused_and_what_to_write_instead)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "--window loop"},
		{"a=", "--window loop"},
		{"1a=loop", "begins with a letter"},
		{"loops", "use loop, run, syscall"},
		{"Loop", "use loop, run, syscall"},
		{"syscall:", "syscall:read"},
		{"syscall:a b", "syscall:read"},
		{"syscall read", "syscall:read"},
		{"u:", "u:FUNCTION"},
		{"u:/bin/x", "u:/bin/x:FUNCTION"},
		{"u:/bin/x:", "u:/bin/x:FUNCTION"},
		{"u:f+4", "A..B"},
		{"u:/bin/x:ns::f..", "second probe is missing"},
		{"u:f+4x..u:g", "+0x1c"},
		{"t:sched:sched_switch", "t:sched:sched_switch..t:sched:sched_switch"},
		{"t:sched..t:sched:b", "t:CATEGORY:NAME"},
		{"t:sched:..t:sched:b", "t:CATEGORY:NAME"},
		{"usdt:a:b:c..usdt:/a:b:c", "FILE begins with /"},
		{"usdt:/a:b:..u:f", "usdt:FILE:PROVIDER:NAME"},
		{"k:", "vfs_read"},
		{"k:a b", "vfs_read"},
		{"x:0..x:1", "0x401136"},
		{"x:main..x:1", "0x401136"},
		{"cycles", "EVENT/period=N/"},
		{"page-faults/period=1/", "page-faults/period=1/..page-faults/period=1/"},
		{"..u:f", "is neither a window nor a probe"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(window_spec__done) struct window_spec spec;
		struct err err = {0};
		int r = window_spec__parse(&spec, "--window", false, cases[i].text, &err);

		cr_expect_eq(r, -EINVAL, "%s", cases[i].text);
		cr_expect_eq(err.exit_code, EXIT_USAGE);
		cr_expect(strstr(err.text, cases[i].says), "%s: %s", cases[i].text, err.text);
	}
}

/* Where hits are taken, a moment is one, and everything else is what it was. */
Test(window_spec, a_moment_where_hits_are_taken)
{
	static const struct {
		const char *text;
		enum window_kind kind;
	} cases[] = {
		{"t:sched:sched_switch", WINDOW_HITS},
		{"turn=t:sched:sched_switch", WINDOW_HITS},
		{"x:0x401136", WINDOW_HITS},
		{"t:a:b..t:a:b", WINDOW_BETWEEN},
		{"u:f", WINDOW_FUNCTION},
		{"loop", WINDOW_LOOP},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(window_spec__done) struct window_spec spec;
		struct err err = {0};

		cr_expect_eq(window_spec__parse(&spec, "--per", true, cases[i].text, &err), 0, "%s",
			     err.text);
		cr_expect_eq(spec.kind, cases[i].kind, "%s", cases[i].text);
	}
}

Test(window_spec, sentences_name_the_option)
{
	_cleanup_(window_spec__done) struct window_spec spec;
	struct err err = {0};

	cr_expect_eq(window_spec__parse(&spec, "--per", true, "lop", &err), -EINVAL);
	cr_expect(strstr(err.text, "--per 'lop': "), "%s", err.text);
}
