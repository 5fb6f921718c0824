/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What units of work cost: what bpf/work.bpf.c counts, and user/ reads in mapped memory. A unit is
 * a window (pmubpf/record.h); each of its figures is a series. What a series had is a distribution.
 */
#ifndef PMUBPF_WORK_H
#define PMUBPF_WORK_H

#include "pmubpf/bits.h"
#include "pmubpf/record.h"

/* The series of a unit; then one for each counter. */
enum pmb_series {
	PMB_SERIES_DURATION, /* by the clock, ns */
	PMB_SERIES_CPU,      /* of it on a CPU */
	PMB_SERIES_WAIT,     /* ready, and waiting for a CPU */
	PMB_SERIES_OFF,      /* neither, */
	PMB_SERIES_IO,       /* of that while the kernel waited for I/O of its own */
	PMB_SERIES_AWAY,     /* of that while a goroutine had no thread */
	PMB_SERIES_PAIR,     /* of calibration only: what opening and closing took */
	PMB_SERIES_COUNTERS, /* the first counter's */
};

/* Whose. */
enum pmb_units {
	PMB_UNITS_REAL,
	PMB_UNITS_EMPTY, /* nothing is between their ends */
	PMB_N_UNITS,
};

/*
 * Classes of values: below 16 each has its own, above there are eight for each power of two, so
 * that a value is known within 12.5 %.
 */
enum { PMB_CLASS_STEPS = 8, PMB_VALUE_CLASSES = 512 /* 496, and room up to a power of two */ };

static inline __attribute__((always_inline)) __u32 pmb_value_class(__u64 value)
{
	__u32 log2 = log2_of(value);

	if (value < PMB_CLASS_STEPS)
		return (__u32)value;
	return (log2 - 2) * PMB_CLASS_STEPS +
	       (__u32)((value >> (log2 - 3)) & (PMB_CLASS_STEPS - 1));
}

/*
 * Squares are summed in parts of 32 bits, for no sum can be read before it is added to: several
 * programs may be at it. Values of 2^32 and above go without their lowest 16 bits; of 2^48, which
 * in ns are three days, and above all are the same.
 */
static inline __attribute__((always_inline)) void pmb_square_parts(__u64 value, __u64 ret[3])
{
	__u64 large = value >> 48 ? 0xffffffff : value >> 32 ? value >> 16 : 0;
	__u64 square = large ? large * large : value * value;
	__u64 low = square & 0xffffffff, high = square >> 32;

	ret[0] = large ? 0 : low;
	ret[1] = large ? low : high;
	ret[2] = large ? high : 0;
}

struct pmb_distribution {
	__u64 sum;
	__u64 squares[3]; /* their sum, in units of 1, 2^32 and 2^64 */
	__u64 classes[PMB_VALUE_CLASSES];
};

/* Where a stretch (bpf/lib/stretch.h) of a target's time on a CPU lies. */
enum pmb_stretch {
	PMB_STRETCH_OUTSIDE,
	PMB_STRETCH_INSIDE,
	PMB_STRETCH_UNSEEN,    /* a switch was not told: of a target at most */
	PMB_STRETCH_UNWATCHED, /* probes were out */
	PMB_STRETCH_PARTLY,    /* another thread opened or closed the process's window amid it */
	PMB_N_STRETCHES,
};

/* Of one CPU: numbers of 64 bits, and nothing else. */
struct pmb_work_stats {
	__u64 began;
	__u64 unsure; /* with switches that nobody told of, or that came while counters were read */
	__u64 abandoned; /* whose thread ended, or began the next one; or whose probes went */
	__u64 caught;    /* that ended where an exception that left them was caught */
	__u64 nested;    /* that would have begun inside of one */
	__u64 no_room;   /* that could not begin: more threads than there is room for */
	__u64 quick;     /* that were over before they were wanted */
	/* as of struct pmb_window_stats: hits where the kernel carries the instruction out, and
	 * where it single-steps it; of these, at whose end the clock was read, too */
	__u64 emulated, stepped, timed, timed_ns;
	__u64 apart[PMB_MAX_READS]; /* in which a counter didn't count all the time */
	/* Only where the sums inside are asked for. */
	__u64 stretches[PMB_N_STRETCHES][PMB_MAX_READS]; /* counts */
	__u64 shared[PMB_MAX_READS]; /* stretches in which a counter didn't count all the time */
	__u64 unseen;                /* stretches with switches that nobody told of */
	__u64 partly;                /* PMB_STRETCH_PARTLY */
};

#endif
