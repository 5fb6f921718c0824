// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What to say about an event that nothing knows: is a PMU missing, or what was probably meant? */
#include <string.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "pmu/libpfm.h"
#include "pmu/parse.h"

/* The names that core PMUs have on the architectures; a machine without one is most likely a VM. */
static bool names_core_pmu(const char *name)
{
	static const char *const beginnings[] = {"cpu", "armv8", "armv9", "arm_", "cpum_"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	}
	return false;
}

static void list_pmus(const struct parser *parser, struct buf *out)
{
	for (size_t i = 0; i < parser->pmus->n; i++)
		buf__printf(out, "%s%s", i ? ", " : "", parser->pmus->pmus[i].name);
	if (!parser->pmus->n)
		buf__puts(out, "none");
}

int parser__unknown(const struct parser *parser, const struct spec *spec)
{
	_cleanup_(nearest__done) struct nearest nearest;
	_cleanup_(buf__done) struct buf near = {0}, pmus = {0};
	bool vendors = is_vendor_style(spec->base) && !parser->pmus->recorded;

	nearest__init(&nearest, spec->base);
	parser__offer(parser, &nearest);
	for (size_t i = 0; i < parser->pmus->n && spec->terms; i++)
		nearest__offer(&nearest, parser->pmus->pmus[i].name, NULL);
	nearest__format(&nearest, &near);
	if (spec->terms) {
		list_pmus(parser, &pmus);
		if (names_core_pmu(spec->base) && !pmus__core(parser->pmus))
			return err__cannot(parser->err,
					   "event '%s': this machine has no PMU %s (a VM "
					   "whose host hides it?); PMUs here: %.400s",
					   spec->shown, spec->base, pmus.data);
		return err__usage(parser->err,
				  "event '%s': '%.100s' is neither a PMU nor an event%s%s; "
				  "PMUs here: %.400s",
				  spec->shown, spec->base, near.len ? "; nearest: " : "",
				  near.len ? near.data : "", pmus.data);
	}
	if (vendors && libpfm__available())
		libpfm__present(&pmus);
	return err__usage(parser->err,
			  "event '%s' is not known%s%s%s%.200s; `pmubpf list` shows all but the "
			  "vendors'",
			  spec->shown, near.len ? "; nearest: " : "", near.len ? near.data : "",
			  !vendors            ? "" :
			  libpfm__available() ? "; libpfm finds here: " :
						"; vendors' names need libpfm4, which is not here",
			  pmus.len ? pmus.data : "");
}
