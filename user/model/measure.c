// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/measure.h"

#include <math.h>

uint64_t measure__number(const struct measure *measure, enum number_unit unit, uint64_t samples,
			 uint64_t weight)
{
	if (unit == NUMBER_SAMPLES)
		return samples;
	if (measure->scale > 0 && measure->scale != 1)
		weight = (uint64_t)llround((double)weight * measure->scale);
	return unit == NUMBER_TIME && measure->rate.hz > 0 ?
		       clock_rate__ns(&measure->rate, weight) :
		       weight;
}
