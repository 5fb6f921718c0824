// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shares of CPU time are of samples, so chance is in them: their interval is that of two Poisson
 * counts, the samples with and those without. Time without a CPU is measured, where each switch was
 * recorded: there only the CPU time beside it is a matter of chance.
 */
#include "advise/look.h"

#include <math.h>

#include "model/poisson.h"

struct sum advice__sum(const struct advice *a, const struct weighing *w)
{
	struct sum sum = {0};

	for (size_t i = 0; w->type != PROF_NO_TYPE && i < a->prof->n_samples; i++) {
		const int64_t *values = prof__values(a->prof, i);

		if (!advice__weighs(a, w, i))
			continue;
		sum.value += (double)values[w->type];
		if (w->event->samples != PROF_NO_TYPE)
			sum.samples += (double)values[w->event->samples];
	}
	return sum;
}

void finding__share(double n, double n_rest, double value, double rest, struct finding *f)
{
	double low, high, factor = n > 0 && n_rest > 0 ? value / rest / (n / n_rest) : 1;

	f->value = value > 0 ? 100 * value / (value + rest) : 0;
	f->low = f->high = f->value;
	if (!(n > 0))
		return;
	poisson_ratio_interval(n, n_rest, &low, &high);
	low *= factor;
	high *= factor;
	f->low = 100 * low / (1 + low);
	f->high = isfinite(high) ? 100 * high / (1 + high) : 100;
}

void finding__judge(struct finding *f, bool enough)
{
	f->verdict = !enough ? RULE_FEW : f->low >= f->rule->least ? RULE_HOLDS : RULE_BELOW;
}
