/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a type of data lies in memory, as text: what the helper answers, and what is saved.
 *
 *	SIZE [TAB more]					of the type, in bytes; it has more members
 *	DEPTH TAB OFFSET TAB SIZE TAB COUNT TAB NAME TAB TYPE	of each member
 *
 * Each line ends in a newline; numbers are decimal; no name or type has control characters. Members
 * of a member follow it, one deeper, and lie in it: in its first element, where it is an array.
 * OFFSET is from where the whole begins; SIZE is that of all COUNT elements; NAME is that of the
 * label `member`: with those it is in, and [] for an array; .(several) for a union.
 */
#ifndef PMUBPF_TYPE_LAYOUT_H
#define PMUBPF_TYPE_LAYOUT_H

#define LAYOUT_SIZE_MAX (1ULL << 40) /* of a type, in bytes */
#define LAYOUT_DEPTH_MAX 64

#endif
