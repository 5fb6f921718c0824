/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ownership in the declaration: `_cleanup_(f) T x` owns x until the scope ends or TAKE_PTR/TAKE_FD
 * hands it on. Every destructor accepts the empty value (NULL, -1), so nothing is ever freed twice.
 */
#ifndef PMUBPF_BASE_CLEANUP_H
#define PMUBPF_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

#define TAKE_PTR(p)                     \
	({                              \
		typeof(p) _taken = (p); \
		(p) = NULL;             \
		_taken;                 \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define TAKE_FD(fd) take_fd(&(fd))

#endif
