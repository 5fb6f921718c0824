// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replays a recorded stream (stream.h) through the user side of pmubpf, without BPF: decode, order,
 * account, fold. Deterministic, so that its instructions can be counted; and a machine larger than
 * this one can be made of a small recording, by replaying it several times at once:
 *
 *	replay [OPTIONS] STREAM [COPIES=1]
 *	  --rings       each copy comes from CPUs and threads of its own
 *	  --processes   …and from processes of its own
 *	  --containers  …in a cgroup of its own, by which rows are told apart
 *	  --stacks      …and with leaves of its own: no stack of one copy is one of another
 *	  --folded FILE what comes out of it
 *	  --cut         it is cut before its last round, and what that costs is told in a line of its own
 *
 * One line of JSON: the work (records, samples, rows), the time of each half, memory, allocations.
 * Frames are named after their addresses: finding names is the helper's work.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "assemble/assembly.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "prof/recorded.h"
#include "render/folded.h"
#include "sym/idle.h"
#include "sym/kernel_names.h"
#include "sym/texts.h"
#include "sys/clock.h"
#include "sys/usage.h"
#include "stream.h"

/* What copies of one recording are told apart by. */
enum { TASK_BITS = 16, CGROUPS_APART = 1 << 20, LEAVES_APART = 16, FILES = 64 };

static struct {
	bool rings, processes, containers, stacks, cut;
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

static void play_stack(struct assembly *a, struct pmb_stack *stack, uint32_t copy)
{
	if (!how.stacks && !how.processes && copy)
		return; /* sent once */
	stack->id = other_id(stack->id, copy);
	stack->tgid = apart(stack->tgid, copy, how.processes);
	if (how.stacks && stack->tgid)
		stack->frames[0] += (uint64_t)copy * LEAVES_APART;
	assembly__record(a, stack, stack->rec.size);
}

static void play_sample(struct assembly *a, struct pmb_sample *sample, uint32_t copy)
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
	assembly__record(a, sample, sample->rec.size);
}

static void play_life(struct assembly *a, struct life *life, uint32_t copy, const char *dir)
{
	if (copy && !how.processes)
		return;
	life->path = (const char *)(life + 1);
	if (life->inode)
		use_own_file(life, dir);
	life->tgid = apart(life->tgid, copy, true);
	life->tid = apart(life->tid, copy, true);
	life->parent_tgid = apart(life->parent_tgid, copy, true);
	assembly__life(a, life);
}

static void play(struct assembly *a, const struct stream_head *head, uint32_t copy, const char *dir)
{
	union {
		struct pmb_rec rec;
		struct pmb_stack stack;
		struct pmb_sample sample;
		struct life life;
		uint8_t bytes[sizeof(struct pmb_stack_dump) + PMB_DUMP_MAX];
	} now; /* a copy, to be changed */

	if (head->size > sizeof(now))
		return;
	memcpy(&now, head + 1, head->size);
	if (head->kind == STREAM_LIFE)
		play_life(a, &now.life, copy, dir);
	else if (now.rec.type == PMB_REC_STACK)
		play_stack(a, &now.stack, copy);
	else if (now.rec.type == PMB_REC_SAMPLE)
		play_sample(a, &now.sample, copy);
}

static const struct stream_head *next(const struct stream_head *head)
{
	return (const void *)((const uint8_t *)(head + 1) + head->size);
}

static void settle(struct assembly *a, uint64_t horizon, bool last)
{
	assembly__settle(a, last ? UINT64_MAX : horizon);
	assembly__tidy(a, horizon);
	if (!files__many(a->opts.files))
		return;
	assembly__keep_files(a);
	files__sweep(a->opts.files);
}

static void name_all(struct names *names, const struct profile *profile, const struct files *files)
{
	const struct frame *frames;

	names->n = profile__frames(profile, &frames);
	names->locations = xcalloc(names->n, sizeof(*names->locations));
	names->n_build_ids = files__count(files);
	names->build_ids = xcalloc(names->n_build_ids, sizeof(*names->build_ids));
	names->texts = texts__new(0);
	for (size_t i = 0; i < names->n; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "f%lx", (unsigned long)frames[i].off);

		names->locations[i] = (struct sym_name){
			.frame = {.name = texts__add(names->texts, text, (size_t)len)},
			.vaddr = frames[i].off,
		};
	}
}

static struct prof *make_prof(const struct profile *profile, const struct files *files,
			      const struct names *names, struct cgroups *cgroups)
{
	static const struct measure measure = {.unit = NUMBER_TIME, .is_time = true};
	static const char *const event = "cpu-clock";
	const struct recorded recorded = {
		.profile = profile,
		.files = files,
		.names = names,
		.measures = &measure,
		.events = &event,
		.n_events = 1,
		.cgroups = cgroups,
	};

	return prof__recorded(&recorded);
}

/* Returns the number of rows. */
__attribute__((noinline)) static size_t fold(const struct assembly *a, struct cgroups *cgroups,
					     FILE *out)
{
	_cleanup_(names__done) struct names names = {0};
	const char *const by[] = {"container", NULL};
	const struct format_opts opts = {.unit = -1, .by = how.containers ? by : NULL};
	struct prof *prof;
	size_t n;

	name_all(&names, a->profile, a->opts.files);
	prof = make_prof(a->profile, a->opts.files, &names, cgroups);
	folded__write(out, prof, &opts);
	n = prof->n_samples;
	prof__free(prof);
	return n;
}

/* CPU time, in ms. */
static double build(const struct profile *profile, const struct assembly *a,
		    const struct names *names)
{
	uint64_t begin = usage_thread_ns();
	struct prof *prof = make_prof(profile, a->opts.files, names, NULL);
	double ms = (double)(usage_thread_ns() - begin) / 1e6;

	prof__free(prof);
	return ms;
}

/* One line of JSON: CPU time of the cut, and of the named profile that is built of what it hands
 * out: the first pays for the memory that later ones find (the third: glibc's heap has grown). */
static void cut_here(struct assembly *a)
{
	_cleanup_(names__done) struct names names = {0};
	const struct profile_row *rows;
	uint64_t begin = usage_thread_ns();
	struct assembled part;
	double cut, first, later;

	part = assembly__cut(a, a->queue.n ? a->queue.items[0].time : 0);
	ledger__count_rows(&part.books, part.profile);
	cut = (double)(usage_thread_ns() - begin) / 1e6;
	name_all(&names, part.profile, a->opts.files);
	first = build(part.profile, a, &names);
	build(part.profile, a, &names);
	later = build(part.profile, a, &names);
	printf("{\"cut_rows\": %zu, \"held\": %lu, \"cut_ms\": %.3f, \"build_ms\": %.3f, "
	       "\"build_first_ms\": %.3f}\n",
	       profile__rows(part.profile, &rows), (unsigned long)part.books.events[0].out.held,
	       cut, later, first);
	profile__free(part.profile);
	ledger__done(&part.books);
}

/* Each round as often as there are copies: one ring after the other, as the tool drains them. */
__attribute__((noinline)) static void play_all(struct assembly *a, const struct buf *stream,
					       uint32_t copies, const char *dir)
{
	const struct stream_head *end = (const void *)(stream->data + stream->len);
	const struct stream_head *from = (const void *)stream->data, *head = from;

	while (from < end) {
		for (uint32_t copy = 0; copy < copies; copy++) {
			for (head = from; head < end && head->kind != STREAM_ROUND;
			     head = next(head))
				play(a, head, copy, dir);
		}
		if (head >= end)
			break;
		from = next(head);
		if (how.cut && from >= end)
			cut_here(a);
		settle(a, *(const uint64_t *)(head + 1), from >= end);
	}
}

static void report(const struct assembly *a, uint32_t copies, size_t rows, const double *at)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	printf("{\"copies\": %u, \"processes\": %zu, \"samples\": %lu, \"stacks\": %lu, \"rows\": %zu, \"account_s\": %.3f, "
	       "\"fold_s\": %.3f, \"rss_mb\": %.1f, \"allocations\": %lu}\n",
	       copies, processes__count(a->processes), (unsigned long)a->books.events[0].decoded,
	       (unsigned long)a->books.stacks_received, rows, at[1] - at[0], at[2] - at[1],
	       (double)ru.ru_maxrss / 1024, (unsigned long)allocations);
}

/* What the assembly needs of the kernel side. */
struct context {
	struct kernel_names *kernel;
	struct cgroups *cgroups;
};

static bool may_be_sampled(void *context, uint32_t tgid)
{
	(void)context;
	return tgid;
}

static bool is_idle(void *context, uint64_t ip)
{
	const struct context *c = context;
	struct kernel_name name;

	kernel_names__find(c->kernel, ip, &name);
	return name.name && idle_function(name.name);
}

static bool is_wanted(void *context, const struct pmb_sample *sample)
{
	const struct context *c = context;

	if (c->cgroups)
		cgroups__meet(c->cgroups, sample->cgroup, (pid_t)sample->tgid);
	return true;
}

static void nothing(void *context)
{
	(void)context;
}

static void is_settled(void *context, uint64_t id)
{
	(void)context;
	(void)id;
}

static void replay(const struct buf *stream, uint32_t copies, const char *dir, FILE *out)
{
	static const struct assembly_fns fns = {
		.now = now_ns,
		.may_be_sampled = may_be_sampled,
		.is_idle = is_idle,
		.is_wanted = is_wanted,
	};
	static const struct cgroups_fns look_up_fns = {is_settled, nothing};
	struct context context = {
		.kernel = kernel_names__new(),
		.cgroups = how.containers ? cgroups__new(NULL) : NULL,
	};
	struct files *files = files__new(NULL);
	const struct assembly_opts opts = {
		.fns = &fns,
		.ctx = &context,
		.n_events = 1,
		.labels = how.containers ? LABEL_CGROUP : 0,
		.n_cpus = (int)copies + 64,
		.files = files,
	};
	struct assembly assembly;
	double at[3];
	size_t rows;

	assembly__init(&assembly, &opts);
	kernel_names__read(context.kernel);
	allocations = 0;
	at[0] = cpu_s();
	play_all(&assembly, stream, copies, dir);
	at[1] = cpu_s();
	if (context.cgroups)
		cgroups__look_up(context.cgroups, &look_up_fns, &context);
	rows = fold(&assembly, context.cgroups, out);
	at[2] = cpu_s();
	report(&assembly, copies, rows, at);
	assembly__done(&assembly);
	kernel_names__free(context.kernel);
	cgroups__free(context.cgroups);
	files__free(files);
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
	how.cut |= strcmp(option, "--cut") == 0;
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
		fprintf(stderr,
			"usage: replay [--rings] [--processes] [--containers] [--stacks] [--cut] "
			"[--folded FILE] STREAM [COPIES]\n");
		return 2;
	}
	replay(&stream, argv[1] ? (uint32_t)strtoul(argv[1], NULL, 10) : 1, dir, out);
	fclose(out);
	remove_files(dir);
	return 0;
}
