/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files that look for findings: sums, intervals, verdicts. */
#ifndef PMUBPF_ADVISE_LOOK_H
#define PMUBPF_ADVISE_LOOK_H

#include "advise/advice.h"

struct sum {
	double value, samples;
};
struct sum advice__sum(const struct advice *advice, const struct weighing *w);

/* Value and interval: percentages of the sum of two of which one is n, the other n_rest times
 * something. */
void finding__share(double n, double n_rest, double value, double rest, struct finding *finding);
/* By the lower end of its interval. enough: of samples. */
void finding__judge(struct finding *finding, bool enough);

/* By kind of rule: of what the recording says of itself and its machine… */
void accounts__look(struct advice *advice, struct finding *finding);
/* …of a PMU's events beside each other, */
void misses__look(struct advice *advice, struct finding *finding);
/* …and of a core's slots. */
void topdown__look(struct advice *advice, struct finding *finding);

#endif
