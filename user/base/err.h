/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors for humans. Functions return 0 or a negative errno; where the number alone would lose the
 * meaning, a last parameter `struct err *` carries one sentence (what failed, on what, why, what to
 * do next) and the exit status it deserves; of one that is too long the middle is left out. Only
 * cmd/ prints it. A NULL err is allowed.
 */
#ifndef PMUBPF_BASE_ERR_H
#define PMUBPF_BASE_ERR_H

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,  /* the command line is wrong */
	EXIT_CANNOT = 3, /* this machine or this user can't: privilege or feature */
	EXIT_ALARM = 4,  /* stat --alarm-exit */
};

struct err {
	int exit_code;
	char text[1024];
};

/* Each formats the sentence and returns its second argument (a negative errno), or -EINVAL and
 * -EOPNOTSUPP for the two that take none. */
int err__set(struct err *err, int ret, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err__usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err__cannot(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
