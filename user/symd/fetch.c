// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hard thing: the library keeps what it gets in a cache folder, which must neither be root's
 * nor stay behind, however this process ends. So root gives it a /tmp of its own, in a mount
 * namespace that goes when the process goes, before it becomes nobody.
 */
#include "symd/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "symd/protocol.h"
#include "sys/drop.h"

/* Of elfutils/debuginfod.h, which is in a package of its own. */
typedef struct debuginfod_client debuginfod_client;
typedef int (*find_fn)(debuginfod_client *client, const unsigned char *build_id, int len,
		       char **path);
static struct {
	debuginfod_client *(*begin)(void);
	find_fn find[N_FETCH_WHICH];
	void (*end)(debuginfod_client *client);
} lib;

static bool load_library(void)
{
	static const struct library_function functions[] = {
		{"debuginfod_begin", &lib.begin},
		{"debuginfod_find_debuginfo", &lib.find[FETCH_DEBUG_FILE]},
		{"debuginfod_find_executable", &lib.find[FETCH_PROGRAM]},
		{"debuginfod_end", &lib.end},
	};

	return library_load("libdebuginfod.so.1", functions, ARRAY_SIZE(functions));
}

/* A folder for the cache; empty if there is none. */
static char cache[] = "/tmp/pmubpf-debuginfod.XXXXXX";
static bool cache_is_private; /* nobody else sees it, and nothing of it is left */

static void make_cache(void)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%dm,mode=0700,uid=%d", FETCH_FILE_MIB, NOBODY);
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0)
		cache_is_private = true;
}

static int drop_privileges(void)
{
	int r = drop_new_privileges();

	return r < 0 ? r : drop_to_nobody();
}

static void limit(int what, uint64_t value)
{
	struct rlimit r = {value, value};

	setrlimit(what, &r);
}

static void set_environment(void)
{
	char text[32];

	setenv("HOME", cache, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("DEBUGINFOD_PROGRESS");
	unsetenv("DEBUGINFOD_VERBOSE");
	snprintf(text, sizeof(text), "%d", FETCH_FILE_S);
	setenv("DEBUGINFOD_TIMEOUT", text, 1);
	setenv("DEBUGINFOD_MAXTIME", text, 1);
	snprintf(text, sizeof(text), "%d", FETCH_FILE_MIB * 1024 * 1024);
	setenv("DEBUGINFOD_MAXSIZE", text, 1);
}

static int prepare(void)
{
	int r;

	prctl(PR_SET_NAME, "pmubpf-fetch");
	make_cache();
	r = drop_privileges();
	/* becoming another user has cleared it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (r < 0)
		return r;
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, FETCH_CPU_S);
	limit(RLIMIT_NOFILE, FETCH_FILES);
	limit(RLIMIT_FSIZE, (uint64_t)FETCH_FILE_MIB << 20);
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_DATA, 1 << 30);
#endif
	if (!mkdtemp(cache))
		return -errno;
	set_environment();
	return fetch_forbid_calls();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path) < 0 ? -1 : 0;
}

/* The file's descriptor, or -1. */
static int fetch(enum fetch_which which, const uint8_t *build_id, size_t len)
{
	debuginfod_client *client = lib.begin();
	char *path = NULL;
	int fd;

	if (!client)
		return -1;
	fd = lib.find[which](client, build_id, (int)len, &path);
	lib.end(client);
	/* its room is for the next */
	if (fd >= 0 && path)
		unlink(path);
	free(path);
	return fd >= 0 ? fd : -1;
}

static int serve(int sock, bool loaded)
{
	static char request[SYMD_MSG_MAX];
	_cleanup_(buf__done) struct buf reply = {0};
	struct symd_header header;
	struct cursor body;
	ssize_t n;

	symd_msg__begin(&reply, SYMD_HELLO, 0);
	symd_msg__end(&reply);
	if (symd_msg__send(sock, &reply, -1, 0) < 0)
		return 1;
	while ((n = symd_msg__recv(sock, request, NULL, 0)) > 0) {
		_cleanup_close_ int fd = -1;
		size_t len;
		const uint8_t *id;
		uint8_t which;

		if (symd_msg__parse(request, (size_t)n, &header, &body) < 0)
			return 1;
		which = cursor__u8(&body);
		len = cursor__u8(&body);
		id = cursor__bytes(&body, len);
		if (header.type != SYMD_FETCH || !cursor__done(&body) || which >= N_FETCH_WHICH ||
		    len > SYMD_BUILD_ID_MAX)
			return 1;
		if (loaded && len)
			fd = fetch(which, id, len);
		symd_msg__begin(&reply, header.type, header.seq);
		symd_msg__put_u8(&reply, !loaded ? FETCH_NO_LIBRARY :
						   (fd >= 0 ? FETCH_FOUND : FETCH_NOTHING));
		symd_msg__end(&reply);
		if (symd_msg__send(sock, &reply, fd, 0) < 0)
			return 1;
	}
	return n == 0 ? 0 : 1;
}

int fetch_main(int sock)
{
	int status;

	if (prepare() < 0)
		return 1;
	status = serve(sock, load_library());
	if (!cache_is_private)
		nftw(cache, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}
