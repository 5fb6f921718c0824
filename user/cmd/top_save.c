// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/top_save.h"

#include "base/cleanup.h"
#include "cmd/output.h"
#include "cmd/remarks.h"
#include "pmubpf/budgets.h"
#include "render/format.h"
#include "session/session.h"

int top__save(const char *path, struct prof *prof, char *const *words, struct err *err)
{
	const struct format *format = format__by_suffix(path);
	const struct format_opts opts = {
		.unit = -1,
		.inlined = true,
		.max_bytes = DEFAULT_MAX_MEMORY / BUDGET_OUTPUT_PART,
	};
	_cleanup_(output__done) struct output output = {0};
	struct processor_counts now;
	struct processor_loss none;
	int r;

	if (!format)
		return err__usage(err,
				  "'%s': its suffix says as what: .pb.gz, .html, .folded, "
				  ".json or .perf",
				  path);
	/* it names what every user runs */
	r = output__open(&output, path, OUTPUT_WHOLE | OUTPUT_PRIVATE, err);
	if (r < 0)
		return r;
	processor_count("", &now);
	none = processor_loss(&now, &now); /* of a moment: nothing */
	add_remarks_of_host(prof, "top", words, &none);
	output__empty(&output);
	return output__finish(&output, format->write(output.file, prof, &opts), err);
}
