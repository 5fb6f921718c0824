// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an address of a process is, now or for a sample that has to wait. */
#include <linux/types.h>

#include "pmubpf/data_place.h"
#include "pmubpf/hotspot.h"
#include "proc/processes_internal.h"
#include "sys/clock.h"

/* Its files are looked for anew, those that failed. */
#define PIN_AGAIN_NS 100000000ULL

/* Read from /proc after an exec that this address belongs before: the mappings are another
 * program's. */
static bool process__snapshot_void(const struct process *p, uint64_t time)
{
	return p->snapshot_time && time < p->exec_arrived && p->exec_arrived < p->snapshot_time;
}

const struct mappings *process__mappings(const struct process *p)
{
	return process__snapshot_void(p, p->last_sample) ? NULL : p->maps;
}

static void process__pin(struct processes *all, const struct process *p, const struct mapping *m)
{
	const struct fair_who who = process__who(p);

	files__pin(all->files, m->file, &who, m->start, m->end);
}

static uint32_t process__jit_file(struct processes *all, struct process *p)
{
	const struct fair_who who = process__who(p);

	process__found_jit(all, p);
	files__pin(all->files, p->jit_file, &who, 0, 0);
	return p->jit_file;
}

/* All its files, of which it may have 65,000: from where the last call stopped, and not each
 * time. */
static void process__pin_all(struct processes *all, struct process *p)
{
	const struct fair_who who = process__who(p);
	uint64_t now = now_ns();
	size_t n = mappings__count(p->maps), i;

	if (now < p->pin_from && (p->pinned_to || p->pinned_generation == p->generation))
		return;
	for (i = p->pinned_to < n ? p->pinned_to : 0; i < n; i++) {
		const struct mapping *m = mappings__at(p->maps, i);

		if (!m->file && !m->uprobes)
			process__found_jit(all, p);
		if (!files__pin(all->files, m->file, &who, m->start, m->end))
			break;
	}
	p->pinned_to = i < n ? i : 0;
	p->pinned_generation = p->generation;
	p->pin_from = now + PIN_AGAIN_NS;
}

struct process_view process__view(struct processes *all, struct process *p)
{
	struct process_view view = {0};

	if (!process__mappings(p))
		return view;
	process__pin_all(all, p);
	view.maps = mappings__ref(p->maps);
	if (p->jit_file)
		view.jit_file = process__jit_file(all, p);
	return view;
}

void process_view__keep_files(const struct process_view *view, struct files *files)
{
	files__keep(files, view->jit_file);
	for (size_t i = 0; i < mappings__count(view->maps); i++)
		files__keep(files, mappings__at(view->maps, i)->file);
}

void process_view__mark_files(const struct process_view *view, bool *used, size_t n_used)
{
	for (size_t i = 0; i < mappings__count(view->maps); i++) {
		if (mappings__at(view->maps, i)->file < n_used)
			used[mappings__at(view->maps, i)->file] = true;
	}
	if (view->jit_file < n_used)
		used[view->jit_file] = true;
}

/* Of an address in a mapping, of a file or of the kernel's making; otherwise it is the JIT's, or
 * its interpreter's. */
static bool locate_in(const struct mapping *m, uint64_t addr, struct frame *ret)
{
	*ret = (struct frame){0};
	if (PMB_IS_METHOD(addr))
		return false;
	if (m && m->file)
		*ret = (struct frame){FRAME_FILE, m->file, m->file_off + (addr - m->start)};
	else if (m && m->uprobes)
		*ret = (struct frame){FRAME_ARTIFICIAL, 0, ARTIFICIAL_UPROBES};
	return !m || m->file || m->uprobes;
}

struct frame process_view__locate(const struct process_view *view, uint64_t addr)
{
	struct frame frame;

	if (locate_in(mappings__find(view->maps, addr), addr, &frame))
		return frame;
	return (struct frame){FRAME_JIT, view->jit_file, addr};
}

void process_view__done(struct process_view *view)
{
	view->maps = mappings__unref(view->maps);
}

struct frame process__locate(struct processes *all, struct process *p, uint64_t addr)
{
	const struct mapping *m = mappings__find(process__mappings(p), addr);
	struct frame frame;

	if (m && m->file)
		process__pin(all, p, m);
	if (locate_in(m, addr, &frame))
		return frame;
	return (struct frame){FRAME_JIT, process__jit_file(all, p), addr};
}

struct frame process__locate_data(struct processes *all, struct process *p, uint64_t addr)
{
	const struct mappings *maps = process__mappings(p);
	const struct mapping *m = mappings__find(maps, addr);

	if (!m || !m->file)
		m = mappings__below(maps, addr);
	if (!m || addr - m->start >= DATA_PLACE_SPAN)
		return (struct frame){0};
	process__pin(all, p, m);
	return (struct frame){FRAME_DATA, m->file, data_place(m->file_off, addr - m->start)};
}

bool process__execs(const struct process *process, uint64_t time)
{
	return process->exec_arrived > time;
}
