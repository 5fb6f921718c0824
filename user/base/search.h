/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef PMUBPF_BASE_SEARCH_H
#define PMUBPF_BASE_SEARCH_H

#include <stddef.h>

/* The first index `i` below n for which the condition holds, or n. It must hold for all behind
 * that, too. */
#define FIRST_INDEX(i, n, condition)                            \
	({                                                      \
		size_t lo_ = 0, hi_ = (n);                      \
                                                                \
		while (lo_ < hi_) {                             \
			const size_t i = lo_ + (hi_ - lo_) / 2; \
                                                                \
			if (condition)                          \
				hi_ = i;                        \
			else                                    \
				lo_ = i + 1;                    \
		}                                               \
		lo_;                                            \
	})

#endif
