// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which of Intel's tables are for this CPU, and which of their events is meant. What they say of an
 * event goes into it where the kernel and this tool don't know better.
 */
#include "pmu/event_db.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/num.h"
#include "pmu/event.h"
#include "pmu/event_db_json.h"
#include "sys/cpuinfo.h"
#include "sys/procfs.h"

#define DEFAULT_PERIOD 1000003

char *event_db_cpu(const char *cpuinfo)
{
	_cleanup_free_ char *vendor = cpuinfo_value(cpuinfo, "vendor_id");
	static const char *const keys[] = {"cpu family", "model", "stepping"};
	uint64_t numbers[3];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_cleanup_free_ char *text = cpuinfo_value(cpuinfo, keys[i]);

		if (!text || num__parse_u64(text, &numbers[i]) < 0)
			return NULL;
	}
	return vendor ? xasprintf("%s-%u-%X-%X", vendor, (unsigned)numbers[0], (unsigned)numbers[1],
				  (unsigned)numbers[2]) :
			NULL;
}

static char *this_cpu(void)
{
	_cleanup_free_ char *cpuinfo = NULL;

	if (getenv("PMUBPF_CPUID"))
		return xstrdup(getenv("PMUBPF_CPUID"));
	cpuinfo = file_read("/proc/cpuinfo");
	return cpuinfo ? event_db_cpu(cpuinfo) : NULL;
}

/*
 * A pattern may leave the stepping out. Alternatives and classes are all that Intel's have; what
 * repeats or refers back could cost regcomp() and regexec() any time and memory.
 */
bool event_db_cpu_matches(const char *pattern, const char *cpu)
{
	_cleanup_free_ char *whole = xasprintf("^(%s)(-[0-9A-F]+)?$", pattern);
	regex_t regex;
	bool matches;

	if (strpbrk(pattern, "*+?{\\"))
		return false;
	if (regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB | REG_ICASE) != 0)
		return false;
	matches = regexec(&regex, cpu, 0, NULL, 0) == 0;
	regfree(&regex);
	return matches;
}

enum { FAMILY_MODEL, VERSION, FILENAME, EVENT_TYPE, CORE_TYPE, MODEL_ID, ROLE, N_FIELDS };

/* The PMU whose events a line of mapfile.csv names; NULL if they are not of a core. */
static const char *line_pmu(char *const fields[N_FIELDS])
{
	static const struct {
		const char *role, *pmu;
	} roles[] = {{"Core", "cpu_core"}, {"Atom", "cpu_atom"}, {"LowPower_Atom", "cpu_lowpower"}};

	if (strcmp(fields[EVENT_TYPE], "core") == 0)
		return "cpu";
	if (strcmp(fields[EVENT_TYPE], "hybridcore") != 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		if (strcmp(fields[ROLE], roles[i].role) == 0)
			return roles[i].pmu;
	}
	return NULL;
}

static int event_db__read_line(struct event_db *db, char *line, struct buf *about, struct err *err)
{
	char *fields[N_FIELDS], *rest = line, *slash;
	_cleanup_free_ char *path = NULL;
	const char *pmu;
	bool metrics;

	line[strcspn(line, "\r")] = '\0';
	for (int i = 0; i < N_FIELDS; i++) {
		fields[i] = rest ? strsep(&rest, ",") : NULL;
		if (!fields[i])
			fields[i] = (char *)"";
	}
	pmu = line_pmu(fields);
	metrics = strcmp(fields[EVENT_TYPE], "metrics") == 0 && !*fields[ROLE];
	if ((!pmu && !metrics) || !event_db_cpu_matches(fields[FAMILY_MODEL], db->cpu))
		return 0;
	path = xasprintf("%s/%s", db->dir, fields[FILENAME] + strspn(fields[FILENAME], "/"));
	if (metrics) {
		free(db->metrics);
		db->metrics = TAKE_PTR(path);
		return 0;
	}
	slash = strrchr(fields[FILENAME], '/');
	buf__printf(about, "%s%s %s", about->len ? ", " : "", slash ? slash + 1 : fields[FILENAME],
		    fields[VERSION]);
	return event_db__read_file(db, path, pmu, err);
}

static int event_db__read_map(struct event_db *db, struct err *err)
{
	_cleanup_free_ char *path = xasprintf("%s/mapfile.csv", db->dir);
	_cleanup_free_ char *map = file_read(path);
	_cleanup_(buf__done) struct buf about = {0};
	char *rest = map, *line;
	int r;

	if (!map)
		return err__set(err, -errno,
				"event database: can't read %s: %s; the folder is a copy of "
				"github.com/intel/perfmon",
				path, strerror(errno));
	while ((line = strsep(&rest, "\n"))) {
		r = event_db__read_line(db, line, &about, err);
		if (r < 0)
			return r;
	}
	if (!db->n_documents)
		return err__set(err, -ENODEV,
				"event database: %s has no core events for this CPU (%s)", path,
				db->cpu);
	db->about = buf__take(&about);
	return 0;
}

static void cleanup_db(struct event_db **db)
{
	event_db__free(*db);
}

int event_db__read(struct event_db **ret, const char *dir, const char *cpu, struct err *err)
{
	_cleanup_(cleanup_db) struct event_db *db = xcalloc(1, sizeof(*db));
	int r;

	db->dir = xstrdup(dir);
	db->cpu = cpu ? xstrdup(cpu) : this_cpu();
	if (!db->cpu)
		return err__set(err, -ENOENT,
				"event database: %s is Intel's, and /proc/cpuinfo names no x86 CPU",
				dir);
	r = event_db__read_map(db, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < db->n; i++)
		db->entries[i].db = db;
	*ret = TAKE_PTR(db);
	return 0;
}

void event_db__free(struct event_db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->n; i++)
		free(db->entries[i].terms);
	free(db->entries);
	event_db__free_documents(db);
	free(db->dir);
	free(db->cpu);
	free(db->about);
	free(db->metrics);
	free(db);
}

const struct event_db_entry *event_db__find(const struct event_db *db, const char *name,
					    const char *pmu)
{
	for (size_t i = 0; db && i < db->n; i++) {
		if (strcasecmp(db->entries[i].name, name) == 0 &&
		    (!pmu || strcmp(db->entries[i].pmu, pmu) == 0))
			return &db->entries[i];
	}
	return NULL;
}

/* A name that is in use goes before one that was given up. */
const struct event_db_entry *event_db__match(const struct event_db *db, const char *pmu,
					     uint64_t config, uint64_t config1)
{
	const struct event_db_entry *deprecated = NULL;

	for (size_t i = 0; db && i < db->n; i++) {
		const struct event_db_entry *entry = &db->entries[i];

		if (entry->config != config || entry->config1 != config1 ||
		    strcmp(entry->pmu, pmu) != 0)
			continue;
		if (!entry->deprecated)
			return entry;
		if (!deprecated)
			deprecated = entry;
	}
	return deprecated;
}

int event_db__open(struct event_db **ret, const char *dir, struct err *trouble, struct err *err)
{
	static const char *const standard[] = {"/usr/local/share/pmubpf/perfmon",
					       "/usr/share/pmubpf/perfmon"};
	int r = -ENOENT;

	*ret = NULL;
	*trouble = (struct err){0};
	if (dir && *dir) {
		r = event_db__read(ret, dir, NULL, err);
		if (r < 0 && err)
			err->exit_code = r == -ENOSYS || r == -ENODEV ? EXIT_CANNOT : EXIT_USAGE;
		return r;
	}
	dir = getenv("PMUBPF_EVENT_DB");
	if (dir && *dir)
		r = event_db__read(ret, dir, NULL, trouble);
	for (size_t i = 0; i < ARRAY_SIZE(standard) && r == -ENOENT && !(dir && *dir); i++) {
		if (access(standard[i], F_OK) == 0)
			r = event_db__read(ret, standard[i], NULL, trouble);
	}
	return 0;
}

void event_db__offer(const struct event_db *db, struct nearest *nearest)
{
	for (size_t i = 0; db && i < db->n; i++)
		nearest__offer(nearest, db->entries[i].name, NULL);
}

static void replace(char **text, const char *by)
{
	free(*text);
	*text = xstrdup(by);
}

void event__from_db(struct event *event, const struct event_db_entry *entry, uint32_t pmu_type)
{
	event->attr.type = pmu_type;
	event->attr.config = entry->config;
	event->attr.config1 = entry->config1;
	event->period = DEFAULT_PERIOD;
	replace(&event->title, entry->title);
	replace(&event->counts, "events");
	replace(&event->pmu, entry->pmu);
	free(event->maps_to);
	event->maps_to = xasprintf("%s/%s/", entry->pmu, entry->terms);
}

void event__enrich(struct event *event, const struct event_db_entry *entry)
{
	bool by_words = event->attr.type != PERF_TYPE_HARDWARE &&
			event->attr.type != PERF_TYPE_HW_CACHE;

	event->db = entry;
	event->taken_alone = entry->alone;
	if (entry->precise == DB_PRECISE_ONLY && !event->attr.precise_ip)
		event->precise_max = true;
	if (entry->has_addr && (event->attr.precise_ip || event->precise_max))
		event->has_addr = true;
	if (!by_words) /* the kernel's own events have titles and periods already */
		return;
	replace(&event->title, entry->title);
	if (entry->period)
		event->period = period__prime(entry->period);
	if (entry->cycles) {
		event->unit = UNIT_CYCLES;
		event->is_clock = entry->clock;
		replace(&event->counts, "cycles");
	}
}
