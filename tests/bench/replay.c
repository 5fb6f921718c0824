// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replays a recorded stream (stream.h) through the user side of pmubpf, without BPF: decode, order, account,
 * fold. Deterministic, so that its instructions can be counted; and a machine larger than this one can be made
 * of a small recording, by replaying it several times at once:
 *
 *	replay [OPTIONS] STREAM [COPIES=1]
 *	  --rings       each copy comes from CPUs and threads of its own
 *	  --processes   …and from processes of its own
 *	  --containers  …in a cgroup of its own, by which rows are told apart
 *	  --stacks      …and with leaves of its own: no stack of one copy is one of another
 *	  --folded FILE what comes out of it
 *
 * One line of JSON: the work (records, samples, rows), the time of each half, memory, allocations. Frames are
 * named after their addresses: finding names is the helper's work.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "out/folded.h"
#include "prof/recorded.h"
#include "session/internal.h"
#include "sym/texts.h"
#include "stream.h"

/* What copies of one recording are told apart by. */
enum { TASK_BITS = 16, CGROUPS_APART = 1 << 20, LEAVES_APART = 16, FILES = 64 };

static struct {
	bool rings, processes, containers, stacks;
	const char *folded;
} how;

static uint64_t allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static double cpu_s(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

/* The program's files, which may not be here, are as many empty ones that are. */
static struct {
	char *theirs, *ours;
	struct stat st;
} known_files[FILES];

static void use_own_file(struct life *life, const char *dir)
{
	size_t i = 0;

	while (i < FILES - 1 && known_files[i].theirs &&
	       strcmp(known_files[i].theirs, life->path) != 0)
		i++;
	if (!known_files[i].theirs) {
		known_files[i].theirs = xstrdup(life->path);
		known_files[i].ours = xasprintf("%s/%zu", dir, i);
		close(open(known_files[i].ours, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		stat(known_files[i].ours, &known_files[i].st);
	}
	life->path = known_files[i].ours;
	life->inode = known_files[i].st.st_ino;
	life->inode_generation = 0;
}

static uint32_t apart(uint32_t task, uint32_t copy, bool wanted)
{
	return task && wanted ? (copy << TASK_BITS) + (task & ((1 << TASK_BITS) - 1)) : task;
}

static uint64_t other_id(uint64_t id, uint32_t copy)
{
	return id && copy ? (id ^ copy) * 0x9e3779b97f4a7c15ULL : id;
}

static void play_stack(struct session *s, struct pmb_stack *stack, uint32_t copy)
{
	if (!how.stacks && !how.processes && copy)
		return; /* sent once */
	stack->id = other_id(stack->id, copy);
	stack->tgid = apart(stack->tgid, copy, how.processes);
	if (how.stacks && stack->tgid)
		stack->frames[0] += (uint64_t)copy * LEAVES_APART;
	session__ring_record(s, stack, stack->rec.size);
}

static void play_sample(struct session *s, struct pmb_sample *sample, uint32_t copy)
{
	sample->tgid = apart(sample->tgid, copy, how.processes);
	sample->tid = apart(sample->tid, copy, how.rings);
	sample->cpu += how.rings ? copy : 0;
	if (how.containers)
		sample->cgroup += (uint64_t)copy * CGROUPS_APART;
	if (how.stacks || how.processes) {
		sample->user_stack = other_id(sample->user_stack, copy);
		sample->kernel_stack = other_id(sample->kernel_stack, copy);
	}
	session__ring_record(s, sample, sample->rec.size);
}

static void play_life(struct session *s, struct life *life, uint32_t copy, const char *dir)
{
	if (copy && !how.processes)
		return;
	life->path = (const char *)(life + 1);
	if (life->inode)
		use_own_file(life, dir);
	life->tgid = apart(life->tgid, copy, true);
	life->tid = apart(life->tid, copy, true);
	life->parent_tgid = apart(life->parent_tgid, copy, true);
	session__life(s, life);
}

static void play(struct session *s, const struct stream_head *head, uint32_t copy, const char *dir)
{
	union {
		struct pmb_rec rec;
		struct pmb_stack stack;
		struct pmb_sample sample;
		struct life life;
		uint8_t bytes[sizeof(struct pmb_slice) + PMB_SLICE_MAX];
	} now; /* a copy, to be changed */

	if (head->size > sizeof(now))
		return;
	memcpy(&now, head + 1, head->size);
	if (head->kind == STREAM_LIFE)
		play_life(s, &now.life, copy, dir);
	else if (now.rec.type == PMB_REC_STACK)
		play_stack(s, &now.stack, copy);
	else if (now.rec.type == PMB_REC_SAMPLE)
		play_sample(s, &now.sample, copy);
}

static const struct stream_head *next(const struct stream_head *head)
{
	return (const void *)((const uint8_t *)(head + 1) + head->size);
}

/* Each round as often as there are copies: one ring after the other, as the tool drains them. */
__attribute__((noinline)) static void play_all(struct session *s, const struct buf *stream,
					       uint32_t copies, const char *dir)
{
	const struct stream_head *end = (const void *)(stream->data + stream->len);
	const struct stream_head *from = (const void *)stream->data, *head = from;

	while (from < end) {
		for (uint32_t copy = 0; copy < copies; copy++) {
			for (head = from; head < end && head->kind != STREAM_ROUND;
			     head = next(head))
				play(s, head, copy, dir);
		}
		if (head >= end)
			break;
		from = next(head);
		session__settle(s, *(const uint64_t *)(head + 1), from >= end);
	}
}

static void name_all(struct names *names, const struct profile *profile, const struct files *files)
{
	const struct frame *frames;

	names->n = profile__frames(profile, &frames);
	names->places = xcalloc(names->n, sizeof(*names->places));
	names->n_build_ids = files__count(files);
	names->build_ids = xcalloc(names->n_build_ids, sizeof(*names->build_ids));
	names->texts = texts__new(0);
	for (size_t i = 0; i < names->n; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "f%lx", (unsigned long)frames[i].off);

		names->places[i] = (struct sym_name){
			.frame = {.name = texts__add(names->texts, text, (size_t)len)},
			.vaddr = frames[i].off,
		};
	}
}

/* Returns the number of rows. */
__attribute__((noinline)) static size_t fold(const struct session_result *result, FILE *out)
{
	_cleanup_(names__done) struct names names = {0};
	const struct measure measure = {.unit = NUMBER_TIME, .is_time = true};
	const char *const event = "cpu-clock", *const by[] = {"container", NULL};
	const struct format_opts opts = {.unit = -1, .by = how.containers ? by : NULL};
	const struct recorded recorded = {
		.profile = result->profile,
		.files = result->files,
		.names = &names,
		.measures = &measure,
		.events = &event,
		.n_events = 1,
		.cgroups = result->cgroups,
	};
	struct prof *prof;
	size_t n;

	name_all(&names, result->profile, result->files);
	prof = prof__recorded(&recorded);
	folded__write(out, prof, &opts);
	n = prof->n_samples;
	prof__free(prof);
	return n;
}

static void report(const struct session_result *result, uint32_t copies, size_t processes,
		   size_t rows, const double *at)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("{\"copies\": %u, \"processes\": %zu, \"samples\": %lu, \"stacks\": %lu, \"rows\": %zu, \"account_s\": %.3f, "
	       "\"fold_s\": %.3f, \"rss_mb\": %.1f, \"allocations\": %lu}\n",
	       copies, processes, (unsigned long)result->ledger.events[0].decoded,
	       (unsigned long)result->ledger.stacks_received, rows, at[1] - at[0], at[2] - at[1],
	       (double)ru.ru_maxrss / 1024, (unsigned long)allocations);
}

static void replay(const struct buf *stream, uint32_t copies, const char *dir, FILE *out)
{
	struct event event = {.name = (char *)"cpu-clock", .unit = UNIT_NS};
	struct event_list events = {.events = &event, .n = 1};
	struct session_opts opts = {
		.events = &events,
		.kernel = kernel_names__new(),
		.labels = how.containers ? LABEL_CGROUP : 0,
	};
	struct session_result result = {.profile = profile__new(), .files = files__new(NULL)};
	struct session s = {.opts = &opts,
			    .result = &result,
			    .by_place = true,
			    .n_cpus = (int)copies + 64};
	double at[3];
	size_t rows;

	result.cgroups = how.containers ? cgroups__new(NULL) : NULL;
	result.ledger.events = xcalloc(1, sizeof(*result.ledger.events));
	result.ledger.n_events = 1;
	s.cpu_sampled = xcalloc((size_t)s.n_cpus, sizeof(*s.cpu_sampled));
	s.processes = processes__new(result.files);
	kernel_names__read(opts.kernel);
	allocations = 0;
	at[0] = cpu_s();
	play_all(&s, stream, copies, dir);
	at[1] = cpu_s();
	rows = fold(&result, out);
	at[2] = cpu_s();
	report(&result, copies, processes__count(s.processes), rows, at);
	processes__free(s.processes);
	raw_stacks__done(&s.stacks);
	slices__done(&s.slices);
	queue__done(&s.queue);
	free(s.cpu_sampled);
	kernel_names__free(opts.kernel);
	session_result__done(&result);
}

static int read_stream(const char *path, struct buf *ret)
{
	gzFile file = gzopen(path, "rb");
	char chunk[65536];
	int n;

	if (!file)
		return -errno;
	while ((n = gzread(file, chunk, sizeof(chunk))) > 0)
		buf__add(ret, chunk, (size_t)n);
	gzclose(file);
	return n;
}

static bool take_option(char ***argv)
{
	const char *option = **argv;

	if (!option || strncmp(option, "--", 2) != 0)
		return false;
	how.processes |= strcmp(option, "--processes") == 0;
	how.containers |= strcmp(option, "--containers") == 0;
	how.stacks |= strcmp(option, "--stacks") == 0;
	how.rings |= strcmp(option, "--rings") == 0 || how.processes;
	if (strcmp(option, "--folded") == 0)
		how.folded = *++*argv;
	++*argv;
	return true;
}

static void remove_files(const char *dir)
{
	for (size_t i = 0; i < FILES && known_files[i].ours; i++) {
		unlink(known_files[i].ours);
		free(known_files[i].ours);
		free(known_files[i].theirs);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/pmb-replay.XXXXXX";
	_cleanup_(buf__done) struct buf stream = {0};
	FILE *out;

	(void)argc;
	argv++;
	while (take_option(&argv))
		;
	out = fopen(how.folded ? how.folded : "/dev/null", "we");
	if (!argv[0] || !out || !mkdtemp(dir) || read_stream(argv[0], &stream) < 0) {
		fprintf(stderr, "usage: replay [--rings] [--processes] [--containers] [--stacks] "
				"[--folded FILE] STREAM [COPIES]\n");
		return 2;
	}
	replay(&stream, argv[1] ? (uint32_t)strtoul(argv[1], NULL, 10) : 1, dir, out);
	fclose(out);
	remove_files(dir);
	return 0;
}
