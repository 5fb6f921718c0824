// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What Kubernetes puts behind names, a hash of the template and five random characters, has few
 * characters: no vowels, so that no words come of it, and in hashes, which are decimal numbers
 * written otherwise, only ten. That tells it from names that people give, nearly always: a
 * DaemonSet called "x-456789" loses its number here.
 */
#include "proc/workload.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define RANDOM "bcdfghjklmnpqrstvwxz2456789"
#define HASH "456789bcdf"
#define DIGITS "0123456789"

enum { RANDOM_CHARS = 5, HASH_LEAST = 6, HASH_MOST = 10, TIME_LEAST = 8, ORDINAL_MOST = 5 };

char *pod_namespace(const char *pod)
{
	const char *slash = strchr(pod, '/');

	return slash && slash > pod ? xstrndup(pod, (size_t)(slash - pod)) : NULL;
}

/* The length without a last word of so many of these characters; len: its last word is another. */
static size_t without(const char *name, size_t len, const char *chars, size_t least, size_t most)
{
	size_t n = 0;

	while (n < len && n <= most && strchr(chars, name[len - n - 1]))
		n++;
	return n >= least && n <= most && len > n + 1 && name[len - n - 1] == '-' ? len - n - 1 :
										    len;
}

char *pod_workload(const char *pod)
{
	const char *slash = strchr(pod, '/'), *name = slash ? slash + 1 : pod;
	size_t len = strlen(name), replica = without(name, len, RANDOM, RANDOM_CHARS, RANDOM_CHARS);
	size_t owner;

	if (replica == len)
		return xstrndup(name, without(name, len, DIGITS, 1, ORDINAL_MOST));
	owner = without(name, replica, HASH, HASH_LEAST, HASH_MOST);
	if (owner == replica) /* minutes since 1970 */
		owner = without(name, replica, DIGITS, TIME_LEAST, HASH_MOST);
	return xstrndup(name, owner);
}
