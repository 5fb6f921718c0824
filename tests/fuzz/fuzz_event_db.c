// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as Intel's tables: mapfile.csv, and after a NUL the file that it names, if it is called
 * x.json. Every entry that is kept can be found by its name and becomes a whole event.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "pmu/event.h"
#include "pmu/event_db.h"

static char dir[] = "/dev/shm/pmubpf-fuzz-XXXXXX";

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void put(const char *name, const uint8_t *data, size_t len)
{
	_cleanup_free_ char *path = path_of(name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
}

static void remove_dir(void)
{
	_cleanup_free_ char *map = path_of("mapfile.csv"), *file = path_of("x.json");

	unlink(map);
	unlink(file);
	rmdir(dir);
}

static void use(const struct event_db *db)
{
	for (size_t i = 0; i < db->n; i++) {
		const struct event_db_entry *e = &db->entries[i];
		struct event event = {0};

		if (!event_db__find(db, e->name, e->pmu))
			abort();
		event_db__match(db, e->pmu, e->config, e->config1);
		event__from_db(&event, e, 4);
		event__done(&event);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *nul = memchr(data, '\0', len);
	size_t n = nul ? (size_t)(nul - data) : len;
	struct event_db *db = NULL;
	struct err err = {0};
	static bool made;

	if (!made) {
		made = true;
		if (!mkdtemp(dir))
			abort();
		atexit(remove_dir);
	}
	put("mapfile.csv", data, n);
	put("x.json", nul ? nul + 1 : data, nul ? len - n - 1 : 0);
	if (event_db__read(&db, dir, "GenuineIntel-6-55-4", &err) == 0)
		use(db);
	else if (!*err.text)
		abort();
	event_db__free(db);
	return 0;
}
