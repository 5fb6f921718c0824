// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>

#include "prof/waited_lock.h"
#include "prof_build.h"

#define CALL "schedule@[kernel.kallsyms],__x64_sys_futex@[kernel.kallsyms],"
#define COND "__futex_wait@/lib/libc.so.6,___pthread_cond_timedwait64@/lib/libc.so.6,"

static void expect(const char *text, const char *word)
{
	struct prof *p = build_clock_and_misses();
	const uint32_t *stack;
	size_t n = prof__stack_locations(p, build_stack(p, text), &stack);
	const char *got = waited_lock(p, stack, n);

	cr_expect_str_eq(got ?: "", word, "%s: %s", text, got ?: "none");
	prof__free(p);
}

Test(waited_lock, of_python)
{
	expect(CALL COND "take_gil@/usr/lib/libpython3.11.so.1.0,main@/usr/bin/app", "gil");
	/* stripped */
	expect(CALL COND "@/usr/bin/python3.11,main@/usr/bin/python3.11", "gil");
	expect(CALL "f@/lib/libc.so.6,__pthread_cond_wait_common+pthread_cond_wait@/lib/libc.so.6,"
		    "@/usr/bin/python3.11",
	       "gil");
	/* a lock of threads */
	expect(CALL "__new_sem_wait_slow64@/lib/libc.so.6,PyThread_acquire_lock_timed@/usr/bin/"
		    "python3.11",
	       "");
	/* a library's own, which Python called */
	expect(CALL COND "wait_for_work@/opt/libx.so,call@/usr/bin/python3.11", "");
	expect(CALL COND, "");
}

Test(waited_lock, of_java)
{
	expect(CALL COND "os::PlatformEvent::park@/jdk/libjvm.so,"
			 "ObjectMonitor::EnterI(JavaThread*)@/jdk/libjvm.so,"
			 "ObjectMonitor::enter@/jdk/libjvm.so",
	       "monitor");
	expect(CALL COND "os::PlatformEvent::park@/jdk/libjvm.so,"
			 "ObjectMonitor::wait@/jdk/libjvm.so",
	       "notify");
	expect(CALL COND "Parker::park@/jdk/libjvm.so,Unsafe_Park@/jdk/libjvm.so", "park");
	expect(CALL COND "os::PlatformEvent::park_nanos@/jdk/libjvm.so,"
			 "JavaThread::sleep@/jdk/libjvm.so,JVM_Sleep@/jdk/libjvm.so",
	       "sleep");
	expect(CALL COND "Monitor::wait@/jdk/libjvm.so,VMThread::run@/jdk/libjvm.so", "");
	/* the word alone is no proof */
	expect(CALL COND "Parker::park@/opt/app", "");
}
