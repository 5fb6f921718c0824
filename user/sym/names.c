// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pmubpf/budgets.h"
#include "sym/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/known.h"
#include "sym/mapped_file.h"
#include "sym/texts.h"
#include "symd/protocol.h"
#include "sys/clock.h"

/* Frames of one file, ascending by offset: how the symbol tables are searched fastest. */
struct group {
	const struct frame *frames; /* of the whole profile */
	const uint32_t *ids;
	size_t n;
	uint64_t weight; /* of the file (or the program whose JIT it is), in samples */
	bool hot;
	bool put_off; /* it took longer than what others left it: it is asked about again */
};

struct resolver {
	struct names *names;
	const struct files *files;
	struct kernel_names *kernel;
	const struct objects *objects;
	struct sym *sym;
	struct debuginfod *servers; /* NULL: nobody is asked */
	struct known *known;        /* NULL: nothing is */
	const bool *leaves;         /* by frame: its block is asked for; NULL: of none */
	uint64_t n_known;
	uint64_t until_ns;
};

/* All of it may take so long, and downloads besides; who asks for an end gets it, but names for
 * the heaviest files first. */
#define NAMES_NS (BUDGET_NAMING_S * 1000000000ULL)
#define NAMES_WITH_DWARF_NS (BUDGET_NAMING_DWARF_S * 1000000000ULL)
#define DOWNLOADS_NS (90 * 1000000000ULL)
#define NAMES_LEAST_NS 1000000000ULL
/* What a file may take at most before all others had their turn; a large one with honest symbols
 * takes 50 ms. */
#define PATIENCE_NS (BUDGET_PATIENCE_MS * 1000000ULL)
/* And at least, when they had. */
#define SECOND_PATIENCE_NS (BUDGET_SECOND_PATIENCE_MS * 1000000ULL)

static int compare_frames(const void *a, const void *b, void *ctx)
{
	const struct frame *frames = ctx;
	const struct frame *x = &frames[*(const uint32_t *)a], *y = &frames[*(const uint32_t *)b];

	if (x->kind != y->kind)
		return CMP3(x->kind, y->kind);
	if (x->file != y->file)
		return CMP3(x->file, y->file);
	return CMP3(x->off, y->off);
}

static bool wants_block(const struct resolver *r, uint32_t frame)
{
	return r->leaves && r->leaves[frame];
}

static void set(struct names *names, uint32_t id, const char *text, enum sym_reason reason)
{
	sym_name__done(&names->locations[id]);
	names->locations[id] = (struct sym_name){.frame = {.name = text}, .reason = reason};
}

/* What stands for code that is in no file, where it has no name. */
static const char *text_without_name(enum sym_reason reason)
{
	return reason == SYM_TIME ? "[not named: out of time]" :
	       reason == SYM_ROOM ? "[not named: no room]" :
				    "[unknown]";
}

static void name_unknown(struct names *names, const struct group *g, enum sym_reason reason)
{
	for (size_t i = 0; i < g->n; i++)
		set(names, g->ids[i], text_without_name(reason), reason);
}

static const char *add_text(struct names *names, const char *text)
{
	return texts__add(names->texts, text, strlen(text));
}

static void name_in_module(struct names *names, uint32_t id, const struct kernel_name *name)
{
	_cleanup_free_ char *text = xasprintf("[%s]+0x%" PRIx64, name->module, name->offset);

	set(names, id, add_text(names, text), name->reason);
}

static void name_kernel(struct names *names, const struct group *g, struct kernel_names *kernel)
{
	_cleanup_free_ uint64_t *addrs = xcalloc(g->n, sizeof(*addrs));

	for (size_t i = 0; i < g->n; i++)
		addrs[i] = g->frames[g->ids[i]].off;
	kernel_names__expect(kernel, addrs, g->n);
	for (size_t i = 0; i < g->n; i++) {
		struct kernel_name name;

		kernel_names__find(kernel, addrs[i], &name);
		if (name.name)
			set(names, g->ids[i], add_text(names, name.name), SYM_NAMED);
		else if (name.module)
			name_in_module(names, g->ids[i], &name);
		else
			set(names, g->ids[i], text_without_name(name.reason), name.reason);
		names->locations[g->ids[i]].vaddr = name.offset;
	}
}

static char *build_id_of(const struct sym *sym)
{
	const uint8_t *id;
	size_t n = sym__build_id(sym, &id);
	struct buf hex = {0};

	for (size_t i = 0; i < n; i++)
		buf__printf(&hex, "%02x", id[i]);
	return n ? buf__take(&hex) : NULL;
}

/* If the helper failed on it, the file gets into the list. */
static void note_trouble(struct names *names, struct sym *sym, const char *file,
			 const struct sym_name *found, size_t n)
{
	const char *lost = "inlined calls, lines and types";
	char *trouble = sym__take_trouble(sym);

	for (size_t i = 0; i < n; i++) {
		if (found[i].reason == SYM_HELPER)
			lost = "names";
	}
	if (trouble)
		set_aside__add(&names->aside, file, lost, trouble);
}

/* Sets the names that are known, and puts the others' frames into ids; returns how many these
 * are. */
static size_t take_known(struct resolver *r, const struct group *g, const struct file *file,
			 uint32_t *ids)
{
	const char *build_id = r->known ? known__build_id(r->known, file->serial) : NULL;
	char **to = &r->names->build_ids[g->frames[g->ids[0]].file];
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct sym_name *location = &r->names->locations[g->ids[i]], known;

		if (r->known && known__find(r->known, file->serial, g->frames[g->ids[i]].off,
					    wants_block(r, g->ids[i]), &known)) {
			sym_name__done(location);
			*location = known;
			r->n_known++;
		} else {
			ids[n++] = g->ids[i];
		}
	}
	if (build_id && !*to)
		*to = xstrdup(build_id);
	return n;
}

/* Servers may yet have a name where the file has none. */
static void keep_known(const struct resolver *r, const struct group *g, const struct file *file)
{
	if (!r->known)
		return;
	for (size_t i = 0; i < g->n; i++) {
		const struct sym_name *name = &r->names->locations[g->ids[i]];

		if (name->reason == SYM_NAMED || !r->servers)
			known__keep(r->known, file->serial, g->frames[g->ids[i]].off, name);
	}
	known__keep_build_id(r->known, file->serial,
			     r->names->build_ids[g->frames[g->ids[0]].file]);
}

static void ask_file(const struct resolver *r, struct group *g, const struct file *file)
{
	struct names *names = r->names;
	uint32_t number = g->frames[g->ids[0]].file;
	bool stopped = r->sym && sym__is_stopped(r->sym);
	_cleanup_close_ int late = file->fd < 0 && !stopped ? files__reopen(r->files, number) : -1;
	_cleanup_free_ uint64_t *offs = xcalloc(g->n, sizeof(*offs));
	_cleanup_free_ struct sym_name *found = xcalloc(g->n, sizeof(*found));
	struct sym_file ask = sym_file__of(r->files, file, late);

	ask.servers = g->hot ? r->servers : NULL;
	for (size_t i = 0; i < g->n; i++) {
		offs[i] = g->frames[g->ids[i]].off |
			  (wants_block(r, g->ids[i]) ? SYMD_BLOCK_MARK : 0);
		found[i] = (struct sym_name){.vaddr = g->frames[g->ids[i]].off,
					     .reason = !r->sym ? SYM_HELPER :
						       stopped ? SYM_TIME :
								 SYM_NO_FILE};
	}
	if (ask.fd >= 0 && r->sym) {
		sym__elf(r->sym, &ask, offs, g->n, found);
		note_trouble(names, r->sym, file->path, found, g->n);
		free(names->build_ids[number]);
		names->build_ids[number] = build_id_of(r->sym);
		g->put_off = sym__was_put_off(r->sym);
	}
	for (size_t i = 0; i < g->n; i++) {
		sym_name__done(&names->locations[g->ids[i]]);
		names->locations[g->ids[i]] = found[i];
		names->locations[g->ids[i]].block_asked = wants_block(r, g->ids[i]);
	}
}

static void name_file(struct resolver *r, struct group *g)
{
	const struct file *file = files__get(r->files, g->frames[g->ids[0]].file);
	_cleanup_free_ uint32_t *ids = xcalloc(g->n, sizeof(*ids));
	struct group ask = *g;

	ask.ids = ids;
	ask.n = take_known(r, g, file, ids);
	ask.put_off = false;
	if (ask.n) {
		ask_file(r, &ask, file);
		keep_known(r, &ask, file);
	}
	g->put_off = ask.put_off;
}

/* Asks one file of a JIT about those of the frames that have no name yet. */
static void name_jit_by(struct names *names, struct group *g, enum sym_jit kind, int lent,
			const char *path, struct sym *sym)
{
	_cleanup_close_ int fd = lent;
	_cleanup_free_ uint32_t *ids = xcalloc(g->n, sizeof(*ids));
	_cleanup_free_ uint64_t *addrs = xcalloc(g->n, sizeof(*addrs));
	_cleanup_free_ struct sym_name *found = xcalloc(g->n, sizeof(*found));
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (names->locations[g->ids[i]].reason == SYM_NAMED)
			continue;
		ids[n] = g->ids[i];
		addrs[n++] = g->frames[g->ids[i]].off;
	}
	if (fd < 0)
		return;
	sym__jit(sym, kind, fd, addrs, n, found);
	note_trouble(names, sym, path, found, n);
	g->put_off |= sym__was_put_off(sym);
	for (size_t i = 0; i < n; i++) {
		if (!found[i].frame.name)
			found[i].frame.name = text_without_name(found[i].reason);
		sym_name__done(&names->locations[ids[i]]);
		names->locations[ids[i]] = found[i];
	}
}

/* A JIT that makes a dump tells more there than in a map. What was read from its memory names what
 * they don't. */
static void name_jit(struct names *names, struct group *g, const struct files *files,
		     struct sym *sym)
{
	uint32_t number = g->frames[g->ids[0]].file;
	const struct file *map = files__get(files, number);
	const struct file *dump = files__get(files, map->dump);
	const struct file *code = files__get(files, map->code);
	_cleanup_close_ int late_map = map->fd < 0 ? files__reopen(files, number) : -1;
	_cleanup_close_ int late_dump = dump && dump->fd < 0 ? files__reopen(files, map->dump) : -1;
	int map_fd = map->fd < 0 ? late_map : map->fd;
	int dump_fd = dump && dump->fd >= 0 ? dump->fd : late_dump;
	_cleanup_free_ char *map_path = xasprintf("/tmp/perf-%d.map", map->ns_tgid);

	g->put_off = false;
	name_unknown(names, g, map_fd == -EPERM ? SYM_UNTRUSTED_MAP : SYM_NO_PERF_MAP);
	if (dump_fd >= 0)
		name_jit_by(names, g, SYM_JITDUMP, files__lend(files, map->dump, dump_fd),
			    dump->path, sym);
	if (code && code->fd >= 0)
		name_jit_by(names, g, SYM_CODE_MAP, files__lend(files, map->code, code->fd),
			    "[anon]", sym);
	if (map_fd >= 0)
		name_jit_by(names, g, SYM_PERF_MAP, files__lend(files, number, map_fd), map_path,
			    sym);
}

static void name_objects(struct resolver *r, const struct group *g)
{
	_cleanup_free_ uint64_t *places = xcalloc(g->n, sizeof(*places));
	_cleanup_free_ struct sym_name *found = xcalloc(g->n, sizeof(*found));

	for (size_t i = 0; i < g->n; i++) {
		places[i] = g->frames[g->ids[i]].off;
		found[i].reason = SYM_HELPER;
	}
	if (r->sym)
		sym__objects(r->sym, r->objects, places, g->n, found);
	for (size_t i = 0; i < g->n; i++) {
		if (object_number(places[i]) == OBJECT_NO_ROOM)
			found[i].reason = SYM_ROOM;
		set(r->names, g->ids[i],
		    found[i].frame.name ? found[i].frame.name : text_without_name(found[i].reason),
		    found[i].reason);
		r->names->locations[g->ids[i]].frame.file = found[i].frame.file;
		r->names->locations[g->ids[i]].frame.line = found[i].frame.line;
		r->names->locations[g->ids[i]].frame.start_line = found[i].frame.start_line;
		sym_name__done(&found[i]);
	}
}

static void name_artificial(struct names *names, const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		set(names, g->ids[i], artificial_names[g->frames[g->ids[i]].off], SYM_NAMED);
}

static void name_group(struct resolver *r, struct group *g)
{
	switch ((enum frame_kind)g->frames[g->ids[0]].kind) {
	case FRAME_KERNEL:
		name_kernel(r->names, g, r->kernel);
		return;
	case FRAME_FILE:
	case FRAME_DATA:
		name_file(r, g);
		return;
	case FRAME_JIT:
		if (r->sym && !sym__is_stopped(r->sym))
			name_jit(r->names, g, r->files, r->sym);
		else
			name_unknown(r->names, g, r->sym ? SYM_TIME : SYM_HELPER);
		return;
	case FRAME_OBJECT:
	case FRAME_SCRIPT:
		name_objects(r, g);
		return;
	case FRAME_ARTIFICIAL:
		name_artificial(r->names, g);
		return;
	case FRAME_UNKNOWN:
		break;
	}
	name_unknown(r->names, g, SYM_NO_MAPPING);
}

/* In how many frames of samples each file stands; by number. The caller frees it. */
static uint64_t *weigh_files(const struct profile *profile, const struct files *files,
			     uint64_t *ret_total)
{
	uint64_t *weights = xcalloc(files__count(files), sizeof(*weights));
	const struct profile_row *rows;
	const struct frame *frames;
	size_t n = profile__rows(profile, &rows);

	*ret_total = 0;
	profile__frames(profile, &frames);
	for (size_t i = 0; i < n; i++) {
		const uint32_t *ids;
		uint32_t depth = profile__stack_frames(profile, rows[i].key.user_stack, &ids);

		for (uint32_t k = 0; k < depth; k++) {
			if (frames[ids[k]].kind == FRAME_FILE || frames[ids[k]].kind == FRAME_JIT)
				weights[frames[ids[k]].file] += rows[i].samples;
		}
		*ret_total += rows[i].samples;
	}
	return weights;
}

/* The heaviest first: what there is of time and of room for texts goes to them. */
static int compare_groups(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->weight != b->weight)
		return CMP3(b->weight, a->weight);
	return CMP3(a->ids, b->ids);
}

/* Groups of frames by file, in the order in which to name them; the caller frees them. ids gets
 * sorted. */
static struct group *make_groups(const struct profile *profile, const struct files *files,
				 uint32_t *ids, size_t *ret_n)
{
	struct group *groups = NULL;
	const struct frame *frames;
	size_t n = profile__frames(profile, &frames), end, n_groups = 0, cap = 0;
	uint64_t total;
	_cleanup_free_ uint64_t *weights = weigh_files(profile, files, &total);

	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	qsort_r(ids, n, sizeof(*ids), compare_frames, (void *)frames);
	for (size_t i = 0; i < n; i = end) {
		const struct frame *first = &frames[ids[i]];
		struct group g = {.frames = frames, .ids = ids + i};

		for (end = i; end < n && frames[ids[end]].kind == first->kind &&
			      frames[ids[end]].file == first->file;)
			end++;
		g.n = end - i;
		if (first->kind != FRAME_UNKNOWN && first->kind != FRAME_KERNEL &&
		    first->kind != FRAME_ARTIFICIAL && !frame_kind__is_object(first->kind))
			g.weight = weights[first->file];
		g.hot = (first->kind == FRAME_FILE || first->kind == FRAME_DATA) && g.weight &&
			g.weight >= total / 100 * DEBUGINFOD_HOT_PERCENT;
		GROW(groups, n_groups, cap);
		groups[n_groups++] = g;
	}
	if (n_groups)
		qsort(groups, n_groups, sizeof(*groups), compare_groups);
	*ret_n = n_groups;
	return groups;
}

/* Of half of the time that is left, what all of n get alike; at least so much, at most that. */
static uint64_t share_ns(const struct resolver *r, size_t n, uint64_t least, uint64_t most)
{
	uint64_t now = now_ns(), left = now < r->until_ns ? r->until_ns - now : 0;
	uint64_t share = left / 2 / n;

	return share > most ? most : share < least ? least : share;
}

/* Those that were put off, each for its share. Whoever takes more is begun anew each time, so
 * shares are not small. */
static void name_put_off(struct resolver *r, struct group *groups, size_t n, uint64_t least)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		left += groups[i].put_off;
	for (size_t i = 0; i < n; i++) {
		if (!groups[i].put_off || sym__is_stopped(r->sym))
			continue;
		sym__set_patience(r->sym, least ? share_ns(r, left--, least, UINT64_MAX) : 0);
		name_group(r, &groups[i]);
	}
}

/* All have a turn of half a second at most, whoever takes more a second one, and what time there
 * is then. */
static void name_groups(struct resolver *r, struct group *groups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (r->sym)
			sym__set_patience(r->sym, groups[i].hot && r->servers ?
							  0 :
							  share_ns(r, n - i, 1, PATIENCE_NS));
		name_group(r, &groups[i]);
	}
	if (!r->sym)
		return;
	name_put_off(r, groups, n, SECOND_PATIENCE_NS);
	name_put_off(r, groups, n, 0);
	sym__set_patience(r->sym, 0);
}

static void count_work(const struct resolver *r)
{
	struct texts_totals texts = texts__totals(r->names->texts);

	r->names->work = (struct names_work){
		.bytes = texts.bytes,
		.cut = texts.cut,
		.refused = texts.refused,
		.known = r->n_known,
	};
	if (!r->sym)
		return;
	r->names->work.lookups = sym__work(r->sym).lookups;
	r->names->work.files = sym__work(r->sym).files;
	r->names->work.helper_failures = sym__failures(r->sym);
	r->names->work.helper_ns = sym__helper_ns(r->sym);
	r->names->work.helper_rss_bytes = sym__helper_rss_bytes(r->sym);
	if (r->servers)
		r->names->work.downloads = debuginfod__work(r->servers);
}

/* Whether a helper has to be started: something is in files, and isn't known yet. */
static bool asks_helper(const struct resolver *r, const struct profile *profile)
{
	const struct frame *frames;
	size_t n = profile__frames(profile, &frames);

	for (size_t i = 1; i < n; i++) {
		const struct frame *f = &frames[i];

		bool in_file = f->kind == FRAME_FILE || f->kind == FRAME_DATA;

		if (f->kind == FRAME_JIT || frame_kind__is_object(f->kind) ||
		    (in_file && !r->known))
			return true;
		if (in_file && !known__has(r->known, files__get(r->files, f->file)->serial, f->off))
			return true;
	}
	return !r->known;
}

/* Frames in which samples were taken. */
static bool *find_leaves(const struct profile *profile, size_t n_frames)
{
	bool *leaves = xcalloc(n_frames, sizeof(*leaves));
	const struct profile_row *rows;
	const struct frame *frames;
	size_t n = profile__rows(profile, &rows);

	profile__frames(profile, &frames);
	for (size_t i = 0; i < n; i++) {
		uint32_t leaf = profile__leaf(profile, &rows[i].key);

		leaves[leaf] = frames[leaf].kind == FRAME_FILE;
	}
	return leaves;
}

int names__resolve(struct names *ret, const struct profile *profile, const struct files *files,
		   const struct names_opts *opts, struct err *err)
{
	const struct frame *frames;
	size_t n = profile__frames(profile, &frames), n_groups;
	_cleanup_free_ uint32_t *ids = xcalloc(n, sizeof(*ids));
	_cleanup_free_ struct group *groups = NULL;
	_cleanup_free_ bool *leaves = opts->blocks ? find_leaves(profile, n) : NULL;
	struct resolver r = {.names = ret,
			     .files = files,
			     .kernel = opts->kernel,
			     .servers = opts->servers,
			     .objects = opts->objects,
			     .known = opts->known,
			     .leaves = leaves};
	uint64_t now = now_ns();
	bool with_dwarf = opts->inlined || opts->lines || opts->types;
	int error;

	if (opts->known)
		known__begin(opts->known);
	error = asks_helper(&r, profile) ? sym__new(&r.sym, err) : 0;
	if (error < 0)
		r.sym = NULL;
	*ret = (struct names){
		.locations = xcalloc(n, sizeof(*ret->locations)),
		.n = n,
		.texts = opts->known ? known__texts(opts->known) : texts__new(opts->max_bytes),
		.texts_lent = opts->known != NULL,
		.build_ids = xcalloc(files__count(files), sizeof(*ret->build_ids)),
		.n_build_ids = files__count(files),
	};
	if (r.servers) {
		debuginfod__stop_by(r.servers, opts->stop_fd, now + NAMES_LEAST_NS);
		debuginfod__meanwhile(r.servers, opts->meanwhile, opts->meanwhile_ctx);
	}
	r.until_ns = now + (with_dwarf ? NAMES_WITH_DWARF_NS : NAMES_NS) +
		     (r.servers ? DOWNLOADS_NS : 0);
	if (r.sym) {
		sym__put_texts(r.sym, ret->texts);
		sym__want(r.sym, opts->inlined, opts->lines, opts->types);
		if (opts->blocks)
			sym__want_blocks(r.sym);
		sym__meanwhile(r.sym, opts->meanwhile, opts->meanwhile_ctx);
		sym__until(r.sym, r.until_ns, opts->stop_fd, now + NAMES_LEAST_NS);
	}
	groups = make_groups(profile, files, ids, &n_groups);
	name_groups(&r, groups, n_groups);
	count_work(&r);
	sym__free(r.sym);
	return error;
}

void names__forget_locations(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		sym_name__done(&names->locations[i]);
	free(names->locations);
	names->locations = NULL;
	names->n = 0;
	names->texts = names->texts_lent ? NULL : texts__free(names->texts);
}

void names__done(struct names *names)
{
	names__forget_locations(names);
	for (size_t i = 0; i < names->n_build_ids; i++)
		free(names->build_ids[i]);
	set_aside__done(&names->aside);
	free(names->build_ids);
	*names = (struct names){0};
}
