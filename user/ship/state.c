// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "ship/binary.h"
#include "sys/lock.h"

#define HEAD "pmubpf-ship 1"
enum { STATE_NAME_SIZE = 64 };

void ship_state__print(const struct ship_state *s, const char *to, struct buf *out)
{
	buf__printf(out, "%s\nto %s\n", HEAD, to);
	for (size_t i = 0; i < s->n_boots; i++)
		buf__printf(out, "next %s %" PRIu64 "\n", s->next[i].boot, s->next[i].seq);
	if (*s->sending.boot)
		buf__printf(out, "sending %s %" PRIu64 "\n", s->sending.boot, s->sending.seq);
	buf__printf(out, "sent %" PRIu64 "\nrefused %" PRIu64 "\n", s->sent, s->refused);
	buf__printf(out, "expired %" PRIu64 "\nuncertain %" PRIu64 "\nend\n", s->expired,
		    s->uncertain);
}

/* "BOOT SEQ" */
static bool parse_window(struct window_id *ret, const char *text)
{
	enum { BOOT = BOOT_ID_SIZE - 1 };

	if (strspn(text, "0123456789abcdef") != BOOT || text[BOOT] != ' ' ||
	    num__parse_u64(text + BOOT + 1, &ret->seq) < 0)
		return false;
	memcpy(ret->boot, text, BOOT);
	ret->boot[BOOT] = '\0';
	return true;
}

static bool parse_line(struct ship_state *s, const char *word, const char *rest)
{
	const struct {
		const char *word;
		uint64_t *at;
	} counts[] = {
		{"sent", &s->sent},
		{"refused", &s->refused},
		{"expired", &s->expired},
		{"uncertain", &s->uncertain},
	};

	if (strcmp(word, "next") == 0)
		return s->n_boots < STATE_BOOTS && parse_window(&s->next[s->n_boots++], rest);
	if (strcmp(word, "sending") == 0)
		return parse_window(&s->sending, rest);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (strcmp(word, counts[i].word) == 0)
			return num__parse_u64(rest, counts[i].at) == 0;
	}
	return false;
}

bool ship_state__parse(struct ship_state *s, const char *text, const char *to)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *at = copy, *line;
	unsigned n = 0;

	*s = (struct ship_state){0};
	while ((line = strsep(&at, "\n"))) {
		char *blank = strchr(line, ' ');

		if (n > 1 && strcmp(line, "end") == 0)
			return true;
		if (!blank)
			return false;
		*blank = '\0';
		if (n == 0 ? strcmp(line, "pmubpf-ship") != 0 || strcmp(blank + 1, "1") != 0 :
		    n == 1 ? strcmp(line, "to") != 0 || strcmp(blank + 1, to) != 0 :
			     !parse_line(s, line, blank + 1))
			return false;
		n++;
	}
	return false;
}

int64_t ship_state__next(const struct ship_state *s, const char *boot)
{
	for (size_t i = 0; i < s->n_boots; i++) {
		if (strcmp(s->next[i].boot, boot) == 0)
			return (int64_t)s->next[i].seq;
	}
	return -1;
}

void ship_state__set_next(struct ship_state *s, const struct window_id *next)
{
	size_t i = 0;

	while (i < s->n_boots && strcmp(s->next[i].boot, next->boot) != 0)
		i++;
	if (i == STATE_BOOTS) {
		memmove(s->next, s->next + 1, sizeof(s->next) - sizeof(*s->next));
		i--;
	}
	if (i == s->n_boots)
		s->n_boots++;
	s->next[i] = *next;
}

/* That of the destination's hash. */
static void file_name(const char *to, char ret[static STATE_NAME_SIZE])
{
	uint64_t hash = binary_hash__end(binary_hash__add(BINARY_HASH, to, strlen(to)));

	snprintf(ret, STATE_NAME_SIZE, "ship-%016" PRIx64, hash);
}

int ship_state__open(const char *path, const char *option, int wait_ms, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err__set(err, -errno, "can't make %s '%s': %s", option, path,
				strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err__set(err, -errno, "can't open %s '%s': %s", option, path,
				strerror(errno));
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))
		return err__set(err, -EPERM,
				"%s '%s' is another user's, or others may write to it: name a "
				"folder of your own",
				option, path);
	if (lock_alone(fd, wait_ms) < 0)
		return err__set(err, -EBUSY,
				"another one that sends has %s '%s': two would send windows twice",
				option, path);
	return TAKE_FD(fd);
}

int ship_state__lock(int dir, const char *to, int wait_ms, struct err *err)
{
	char name[STATE_NAME_SIZE], lock[STATE_NAME_SIZE + 8];
	_cleanup_close_ int fd = -1;
	int r;

	file_name(to, name);
	snprintf(lock, sizeof(lock), ".%s.lock", name);
	fd = openat(dir, lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : lock_alone(fd, wait_ms);
	if (r < 0)
		return err__set(err, r, "can't lock '%s' in --state: %s", lock, strerror(-r));
	return TAKE_FD(fd);
}

int ship_state__load(struct ship_state *s, int dir, const char *to, struct err *err)
{
	char name[STATE_NAME_SIZE];
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = xcalloc(1, STATE_BYTES_MAX);
	ssize_t n;

	*s = (struct ship_state){0};
	file_name(to, name);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	n = fd < 0 ? -1 : read(fd, text, STATE_BYTES_MAX - 1);
	if (n < 0)
		return err__set(err, -errno, "can't read how far was sent, '%s' in --state: %s",
				name, strerror(errno));
	if (!ship_state__parse(s, text, to))
		return err__set(err, -EBADMSG,
				"'%s' in --state isn't a file of ours, or damaged: remove it; then "
				"the server is asked for each window that is there",
				name);
	return 0;
}

static int write_file(int dir, const char *temp, const struct buf *text)
{
	_cleanup_close_ int fd =
		openat(dir, temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, text->data, text->len);

	if (n < 0)
		return -errno;
	if ((size_t)n != text->len)
		return -ENOSPC;
	return fsync(fd) < 0 ? -errno : 0;
}

int ship_state__save(const struct ship_state *s, int dir, const char *to, struct err *err)
{
	_cleanup_(buf__done) struct buf text = {0};
	char name[STATE_NAME_SIZE], temp[STATE_NAME_SIZE + 8];
	int r;

	file_name(to, name);
	snprintf(temp, sizeof(temp), ".%s.part", name);
	ship_state__print(s, to, &text);
	r = write_file(dir, temp, &text);
	if (r == 0 && renameat(dir, temp, dir, name) < 0)
		r = -errno;
	if (r == 0 && fsync(dir) < 0 && errno != EINVAL)
		r = -errno;
	if (r < 0)
		return err__set(err, r, "can't write down how far was sent, '%s' in --state: %s",
				name, strerror(-r));
	return 0;
}

static int by_number(const void *pa, const void *pb)
{
	const struct window_id *a = pa, *b = pb;
	int r = strcmp(a->boot, b->boot);

	return r ? r : CMP3(a->seq, b->seq);
}

int ship_state__list(const struct ship_state *s, int spool, struct window_id **list, size_t *ret_n,
		     size_t *cap, struct err *err)
{
	_cleanup_close_ int fd = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	size_t n = 0;

	*ret_n = 0;
	if (!dir)
		return err__set(err, -errno, "can't list the windows in --from: %s",
				strerror(errno));
	TAKE_FD(fd);
	while ((entry = readdir(dir))) {
		struct window_id id;

		if (!window_name__parse(entry->d_name, &id) ||
		    (int64_t)id.seq < ship_state__next(s, id.boot))
			continue;
		GROW(*list, n, *cap);
		(*list)[n++] = id;
	}
	if (n)
		qsort(*list, n, sizeof(**list), by_number);
	*ret_n = n;
	return 0;
}
