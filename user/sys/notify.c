// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"

/* "@name" is an abstract one. */
static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	_cleanup_close_ int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t len = strlen(path);

	if (sock < 0 || (*path != '/' && *path != '@') || len < 2 || len >= sizeof(to.sun_path))
		return -1;
	memcpy(to.sun_path, path, len);
	if (*path == '@')
		to.sun_path[0] = '\0';
	if (connect(sock, (struct sockaddr *)&to,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		return -1;
	return TAKE_FD(sock);
}

void notify__open(struct notify *n)
{
	const char *path = getenv("NOTIFY_SOCKET"), *us = getenv("WATCHDOG_USEC");
	const char *whom = getenv("WATCHDOG_PID");
	uint64_t pid = 0;

	*n = (struct notify){.sock = path ? connect_to(path) : -1};
	if (n->sock >= 0 && us && num__parse_u64(us, &n->watchdog_ns) == 0 &&
	    n->watchdog_ns < UINT64_MAX / 1000)
		n->watchdog_ns *= 1000;
	else
		n->watchdog_ns = 0;
	if (whom && (num__parse_u64(whom, &pid) < 0 || pid != (uint64_t)getpid()))
		n->watchdog_ns = 0;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void notify__say(const struct notify *n, const char *text)
{
	if (n->sock >= 0)
		send(n->sock, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void notify__close(struct notify *n)
{
	cleanup_close(&n->sock);
	n->sock = -1;
}
