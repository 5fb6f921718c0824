// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recording some containers only, also those that start later: the kernel side lets every cgroup
 * pass that was never looked up. Here it is noted as its first sample arrives and looked up before
 * that is accounted; from then on the kernel side knows.
 */
#include "render/escape.h"
#include "session/internal.h"

int session__choose_cgroup(const struct session *s, struct pmb_config *cfg, struct err *err)
{
	const struct session_opts *o = s->opts;

	return target__set_cgroup(o->whom.n_cgroups ? o->whom.cgroups : NULL,
				  session_wants_cgroups(o) ?
					  cgroups__hierarchy(s->result->cgroups) :
					  NULL,
				  cfg, err);
}

static bool is_wanted(const struct session *s, uint64_t cgroup)
{
	struct cgroup_info info = cgroups__info(s->result->cgroups, cgroup);

	for (size_t i = 0; i < s->opts->whom.n_containers; i++) {
		if (cgroup_info__is(&info, s->opts->whom.containers[i]))
			return true;
	}
	return false;
}

static void settled(void *session, uint64_t cgroup)
{
	struct session *s = session;

	if (s->opts->whom.n_containers)
		programs__mark_cgroup(s->programs, cgroup,
				      is_wanted(s, cgroup) ? PMB_CGROUP_TARGET : PMB_CGROUP_OTHER);
}

bool session__wants_cgroup(void *session, const struct pmb_sample *sample)
{
	const struct session *s = session;

	return !s->opts->whom.n_containers || is_wanted(s, sample->cgroup);
}

/* What the ring says is looked at once more before it is believed: an id that is none finds
 * nothing. */
void session__meet_cgroup(struct session *s, const void *record, size_t size)
{
	const struct pmb_sample *sample = record;

	if (s->result->cgroups && size >= sizeof(*sample) && sample->rec.type == PMB_REC_SAMPLE)
		cgroups__meet(s->result->cgroups, sample->cgroup, (pid_t)sample->tgid);
}

void session__look_cgroups_up(struct session *s, void (*between)(void *session))
{
	const struct cgroups_fns fns = {settled, between};

	if (s->result->cgroups)
		cgroups__look_up(s->result->cgroups, &fns, s);
}

/* The first that was met; 0: none. */
static uint64_t met_one(const struct session *s, const char *wanted)
{
	struct cgroup_info info;
	uint64_t id = 0;

	while (cgroups__next(s->result->cgroups, &id, &info)) {
		if (cgroup_info__is(&info, wanted))
			return id;
	}
	return 0;
}

static void forgotten(void *session, uint64_t cgroup)
{
	struct session *s = session;

	if (s->opts->whom.n_containers)
		programs__forget_cgroup(s->programs, cgroup);
}

void session__tidy_cgroups(struct session *s)
{
	struct cgroups *cgroups = s->result->cgroups;

	if (!cgroups || !cgroups__many(cgroups))
		return;
	assembly__keep_cgroups(&s->assembly, cgroups);
	for (const struct session_cut *cut = s->cuts; cut; cut = cut->next) {
		if (cut->profile)
			profile__keep_cgroups(cut->profile, cgroups);
	}
	/* of each that was asked for the end tells whether it was met */
	for (size_t i = 0; i < s->opts->whom.n_containers; i++)
		cgroups__keep(cgroups, met_one(s, s->opts->whom.containers[i]));
	cgroups__sweep(cgroups, forgotten, s);
}

/* What else ran there, so that a misspelt name is found at once. */
static void list_met(const struct session *s, struct buf *out)
{
	enum { SHOWN = 8 };
	struct cgroup_info info;
	uint64_t id = 0;
	size_t shown = 0;

	while (shown < SHOWN && cgroups__next(s->result->cgroups, &id, &info)) {
		if (!info.container)
			continue;
		buf__puts(out, shown++ ? ", " : "; these did: ");
		escape_name(out, info.container);
	}
}

void session__note_containers(struct session *s)
{
	for (size_t i = 0; i < s->opts->whom.n_containers; i++) {
		const char *wanted = s->opts->whom.containers[i];
		struct buf *notes = &s->result->notes;

		if (met_one(s, wanted))
			continue;
		buf__puts(notes, "--container ");
		escape_name(notes, wanted);
		buf__puts(notes, ": nothing ran in one of that name");
		list_met(s, notes);
		buf__putc(notes, '\n');
	}
}
