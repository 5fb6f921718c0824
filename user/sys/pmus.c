// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * PMUs from sysfs. The one hard thing: a format field may be scattered over a config word
 * ("config:0-7,32-35"), so its value is dealt out range by range, lowest bits first.
 */
#include "sys/pmus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

#define SYSFS_PAGE 4096 /* no attribute of sysfs is larger */

/* The file's text without trailing white space; NULL if it can't be read or holds a NUL. */
static char *read_text(int dir_fd, const char *path)
{
	_cleanup_close_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[SYSFS_PAGE + 1];
	size_t len = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	while (len < SYSFS_PAGE) {
		n = read(fd, text + len, SYSFS_PAGE - len);
		if (n < 0)
			return NULL;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	text[len] = '\0';
	return strlen(text) == len ? xstrdup(text) : NULL;
}

static DIR *open_dir(int dir_fd, const char *path)
{
	_cleanup_close_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	DIR *dir;

	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (dir)
		TAKE_FD(fd);
	return dir;
}

static bool take_text(const char **p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

/* "0-7,32-35" or "21" */
static int parse_ranges(const char *p, struct pmu_field *field)
{
	uint64_t lo, hi;

	for (;;) {
		if (field->n_ranges == PMU_FIELD_RANGES || !num__take_u64(&p, &lo))
			return -EINVAL;
		hi = lo;
		if (*p == '-') {
			p++;
			if (!num__take_u64(&p, &hi))
				return -EINVAL;
		}
		if (lo > hi || hi > 63)
			return -ERANGE;
		field->ranges[field->n_ranges].lo = (uint8_t)lo;
		field->ranges[field->n_ranges++].hi = (uint8_t)hi;
		if (!*p)
			return 0;
		if (*p++ != ',')
			return -EINVAL;
	}
}

int pmu_field__parse(const char *text, struct pmu_field *ret)
{
	struct pmu_field field = {.name = ret->name};
	int r;

	if (!take_text(&text, "config"))
		return -EINVAL;
	if (*text >= '1' && *text < '0' + PMU_CONFIGS)
		field.config = (unsigned)(*text++ - '0');
	if (*text++ != ':')
		return -EINVAL;
	r = parse_ranges(text, &field);
	if (r < 0)
		return r;
	*ret = field;
	return 0;
}

unsigned pmu_field__width(const struct pmu_field *field)
{
	unsigned width = 0;

	for (unsigned i = 0; i < field->n_ranges; i++)
		width += field->ranges[i].hi - field->ranges[i].lo + 1u;
	return width < 64 ? width : 64;
}

int pmu_field__put(const struct pmu_field *field, uint64_t value, uint64_t *word)
{
	unsigned width = pmu_field__width(field), n, lo;
	uint64_t mask;

	if (width < 64 && value >> width)
		return -ERANGE;
	for (unsigned i = 0; i < field->n_ranges; i++) {
		lo = field->ranges[i].lo;
		n = field->ranges[i].hi - lo + 1u;
		mask = n < 64 ? (1ULL << n) - 1 : ~0ULL;
		*word = (*word & ~(mask << lo)) | (value & mask) << lo;
		value = n < 64 ? value >> n : 0;
	}
	return 0;
}

static int by_field_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu_field *)a)->name, ((const struct pmu_field *)b)->name);
}

static int by_event_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu_event *)a)->name, ((const struct pmu_event *)b)->name);
}

static int by_pmu_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

static void read_fields(struct pmu *pmu, int pmu_fd)
{
	_cleanup_closedir_ DIR *dir = open_dir(pmu_fd, "format");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *text = read_text(dirfd(dir), entry->d_name);
		struct pmu_field field = {0};

		if (!text || pmu_field__parse(text, &field) < 0)
			continue;
		field.name = xstrdup(entry->d_name);
		GROW(pmu->fields, pmu->n_fields, pmu->cap_fields);
		pmu->fields[pmu->n_fields++] = field;
	}
	if (pmu->n_fields)
		qsort(pmu->fields, pmu->n_fields, sizeof(*pmu->fields), by_field_name);
}

/* Beside an event "x" lie x.unit, x.scale, x.snapshot, x.per-pkg: how to print a count of it. */
static bool is_side_file(const char *name)
{
	static const char *const endings[] = {".unit", ".scale", ".snapshot", ".per-pkg"};
	size_t len = strlen(name), n;

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		n = strlen(endings[i]);
		if (len >= n && strcmp(name + len - n, endings[i]) == 0)
			return true;
	}
	return false;
}

/* One of the files beside an event. */
static char *read_side(int dir_fd, const char *name, const char *ending)
{
	_cleanup_free_ char *path = xasprintf("%s.%s", name, ending);

	return read_text(dir_fd, path);
}

static struct pmu_event read_event(int dir_fd, const char *name, char *text)
{
	_cleanup_free_ char *scale = read_side(dir_fd, name, "scale");
	struct pmu_event event = {.name = xstrdup(name), .text = text};

	event.unit = read_side(dir_fd, name, "unit");
	if (scale)
		(void)num__parse_f64(scale, &event.scale);
	return event;
}

static void read_events(struct pmu *pmu, int pmu_fd)
{
	_cleanup_closedir_ DIR *dir = open_dir(pmu_fd, "events");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *text = NULL;

		if (is_side_file(entry->d_name))
			continue;
		text = read_text(dirfd(dir), entry->d_name);
		if (!text || !*text)
			continue;
		GROW(pmu->events, pmu->n_events, pmu->cap_events);
		pmu->events[pmu->n_events++] =
			read_event(dirfd(dir), entry->d_name, TAKE_PTR(text));
	}
	if (pmu->n_events)
		qsort(pmu->events, pmu->n_events, sizeof(*pmu->events), by_event_name);
}

/* A folder without a readable type is no PMU. */
static int read_pmu(int root_fd, const char *name, struct pmu *ret)
{
	_cleanup_close_ int fd = openat(root_fd, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	_cleanup_free_ char *type = NULL, *precise = NULL;
	struct pmu pmu = {.max_precise = -1};
	uint64_t number;

	if (fd < 0)
		return -errno;
	type = read_text(fd, "type");
	if (!type || num__parse_u64(type, &number) < 0 || number > UINT32_MAX)
		return -EINVAL;
	pmu.type = (uint32_t)number;
	pmu.name = xstrdup(name);
	pmu.cpus = read_text(fd, "cpus");
	pmu.cpumask = read_text(fd, "cpumask");
	precise = read_text(fd, "caps/max_precise");
	if (precise)
		(void)num__parse_int(precise, 0, 3, &pmu.max_precise);
	read_fields(&pmu, fd);
	read_events(&pmu, fd);
	*ret = pmu;
	return 0;
}

int pmus__read(struct pmus *pmus, const char *root)
{
	_cleanup_closedir_ DIR *dir = opendir(root ? root : PMUS_ROOT);
	struct dirent *entry;
	struct pmu pmu;

	*pmus = (struct pmus){.recorded = root != NULL};
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || read_pmu(dirfd(dir), entry->d_name, &pmu) < 0)
			continue;
		GROW(pmus->pmus, pmus->n, pmus->cap);
		pmus->pmus[pmus->n++] = pmu;
	}
	if (pmus->n)
		qsort(pmus->pmus, pmus->n, sizeof(*pmus->pmus), by_pmu_name);
	return 0;
}

static void pmu__done(struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->n_fields; i++)
		free(pmu->fields[i].name);
	for (size_t i = 0; i < pmu->n_events; i++) {
		free(pmu->events[i].name);
		free(pmu->events[i].text);
		free(pmu->events[i].unit);
	}
	free(pmu->fields);
	free(pmu->events);
	free(pmu->name);
	free(pmu->cpus);
	free(pmu->cpumask);
}

void pmus__done(struct pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++)
		pmu__done(&pmus->pmus[i]);
	free(pmus->pmus);
	*pmus = (struct pmus){0};
}

const struct pmu *pmus__find(const struct pmus *pmus, const char *name)
{
	for (size_t i = 0; i < pmus->n; i++) {
		if (strcmp(pmus->pmus[i].name, name) == 0)
			return &pmus->pmus[i];
	}
	return NULL;
}

/* PERF_TYPE_RAW (4) is the type of x86's, POWER's and s390's; hybrid and ARM PMUs have "cpus". */
bool pmu__is_core(const struct pmu *pmu)
{
	return pmu->type == 4 || strcmp(pmu->name, "cpu") == 0 || pmu->cpus;
}

bool pmu__is_numbered(const struct pmu *pmu, const char *name)
{
	static const char prefix[] = "uncore_", digits[] = "0123456789";
	size_t len = strlen(name), skipped = strlen(prefix);
	const char *own = pmu->name;

	if (strncmp(own, prefix, skipped) == 0 && strncmp(name, prefix, skipped) != 0)
		own += skipped;
	return strncmp(own, name, len) == 0 && own[len] == '_' && own[len + 1] &&
	       !own[len + 1 + strspn(own + len + 1, digits)];
}

const struct pmu *pmus__core(const struct pmus *pmus)
{
	for (size_t i = 0; i < pmus->n; i++) {
		if (pmu__is_core(&pmus->pmus[i]))
			return &pmus->pmus[i];
	}
	return NULL;
}

const struct pmu_field *pmu__field(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_fields; i++) {
		if (strcmp(pmu->fields[i].name, name) == 0)
			return &pmu->fields[i];
	}
	return NULL;
}

const struct pmu_event *pmu__event(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->n_events; i++) {
		if (strcasecmp(pmu->events[i].name, name) == 0)
			return &pmu->events[i];
	}
	return NULL;
}
