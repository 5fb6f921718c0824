// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/passes.h"

#include <stdlib.h>

double passes__spread(const struct passes *passes, size_t count)
{
	uint64_t min = UINT64_MAX, max = 0;
	double sum = 0;

	for (size_t i = 0; i < passes->n; i++) {
		uint64_t value = passes->list[i].counts[count];

		min = value < min ? value : min;
		max = value > max ? value : max;
		sum += (double)value;
	}
	return sum > 0 ? (double)(max - min) / (sum / (double)passes->n) : 0;
}

void passes__done(struct passes *passes)
{
	for (size_t i = 0; i < passes->n; i++)
		free(passes->list[i].counts);
	for (size_t i = 0; i < passes->n_counts; i++)
		free(passes->names[i]);
	free(passes->list);
	free(passes->names);
	*passes = (struct passes){0};
}
