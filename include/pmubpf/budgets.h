/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs can have too much of, and how much of it there is for all of them, or for one. One
 * list: the numbers that the code has, and the rows that SECURITY.md and pmubpf-summary(5) have
 * (tests/unit/test_budgets.c compares them).
 *
 * 	X(id, number, how much, what, what happens beyond, key of the summary)
 *
 * "how much" has a %d where the number stands. The key is a path in the summary's JSON, or "".
 */
#ifndef PMUBPF_BUDGETS_H
#define PMUBPF_BUDGETS_H

#define BUDGETS(X)                                                                                 \
	X(STACKS_QUARTERS, 3, "%d/4 of --max-memory", "stacks, names of threads, and their rows",  \
	  "the rarest rows are [other] of their command", "memory.trims")                          \
	X(RAW_PART, 4, "1/%d of --max-memory", "stacks that are kept as addresses",                \
	  "those met least are sent again when they are met again", "memory.stacks_dropped")       \
	X(CHAINS_PART, 32, "1/%d of --max-memory",                                                 \
	  "stacks of interpreters, before they join others",                                       \
	  "all are sent again when they are met again", "")                                        \
	X(OBJECTS_PART, 16, "1/%d of --max-memory", "names of interpreters' functions",            \
	  "further ones are called [not named: no room]", "frames.unnamed.no_room_for_names")      \
	X(HOTSPOTS, 8, "%d at a time", "processes whose Java code is read from their memory",      \
	  "code of further ones has no names", "")                                                 \
	X(DUMPS_PART, 4, "1/%d of --max-memory", "copies of stacks that wait for a table",         \
	  "who has most loses its oldest: the innermost frame alone is known",                     \
	  "unwind.stack_dumps_lost")                                                               \
	X(NAMES_PART, 4, "1/%d of --max-memory", "names, each counted once",                       \
	  "places are called [not named: no room] or stay addresses", "names.refused")             \
	X(NAMES_SHARE, 8, "1/%d of that", "names of one file or program",                          \
	  "its further names are cut to 96 bytes", "names.cut")                                    \
	X(NAME_BYTES, 1024, "%d bytes", "a name", "it is cut, and ends in [cut:HASH]",             \
	  "names.cut")                                                                             \
	X(LAYOUT_KIB, 24, "%d KiB", "how a type of data lies in memory, as text",                  \
	  "its last members are left out, which report(1) says", "")                               \
	X(LAYOUT_MEMBERS, 1024, "%d", "members of a type of data, with theirs", "the same", "")    \
	X(LAYOUTS, 512, "%d", "types of data of which a profile says how they lie",                \
	  "those with fewest samples are left out", "")                                            \
	X(NAMING_S, 30, "%d s", "naming all files, after the end", "what is left has no names",    \
	  "frames.unnamed.out_of_time")                                                            \
	X(NAMING_DWARF_S, 60, "%d s", "the same, with inlined calls, lines or types of data",      \
	  "what is left has no names", "frames.unnamed.out_of_time")                               \
	X(PATIENCE_MS, 500, "%d ms at most", "naming one file while others wait",                  \
	  "it is asked again when all had their turn", "")                                         \
	X(SECOND_PATIENCE_MS, 2500, "%d ms, or an equal share of half of what is left",            \
	  "the same, at its second turn", "it gets what time there is after all others", "")       \
	X(ANSWER_S, 10, "%d s", "one answer about a file",                                         \
	  "the file is set aside, and named in a warning", "set_aside")                            \
	X(DWARF_GIB, 2, "%d GiB uncompressed, in memory", "DWARF of a file",                       \
	  "of its code only names are told, of its data only variables", "")                       \
	X(LINES_MIB, 8, "%d MiB", "the line program of one of its units",                          \
	  "the unit's code has functions and inlined calls, and no files", "")                     \
	X(LINES_OF_FILE, 2, "%d times that", "those of all units of a file that samples hit",      \
	  "the same of further units", "")                                                         \
	X(HELPER_GIB, 4, "%d GiB, or half of the machine's",                                       \
	  "memory of each helper that reads files",                                                \
	  "another takes its place; the file is set aside", "set_aside")                           \
	X(SET_ASIDE, 256, "%d", "files that are set aside, by name", "more are counted only",      \
	  "set_aside_more")                                                                        \
	X(OUTPUT_PART, 2, "1/%d of --max-memory", "bytes of each output",                          \
	  "the lightest stacks are [other] of their command", "output.lines_in_other")             \
	X(SPOOL_PART, 2, "1/%d of --max-memory",                                                   \
	  "windows of an agent that its disk doesn't take yet",                                    \
	  "the oldest are lost, and counted", "")                                                  \
	X(OTHERS_PART, 8, "1/%d of that", "[other] of commands", "they are one [other] together",  \
	  "output.lines_in_other")                                                                 \
	X(DESCRIPTORS, 8192, "%d, and half of ulimit -n", "files and roots that are kept open",    \
	  "a file is opened when it is named, if it is still there", "frames.unnamed.no_file")     \
	X(OPENING, 1024, "%d in 0.1 s", "files of programs that are looked for",                   \
	  "the others are looked for in the next 0.1 s", "")                                       \
	X(OPENING_FEW, 64, "%d of these, and 1/8 of what is left of 512", "those of one process",  \
	  "the same", "")                                                                          \
	X(READING, 512, "half of %d in 0.1 s",                                                     \
	  "processes of before the recording that are looked at for the first time",               \
	  "others are looked at at a later sample, and are [unknown] until then",                  \
	  "frames.unnamed.no_mapping")                                                             \
	X(RESERVED, 12, "%d", "descriptors that are kept free, for helpers", "none", "")           \
	X(RINGS_MIB, 192, "%d MiB", "rings of samples of all CPUs",                                \
	  "each is smaller, 64 KiB at least; samples that find no room are dropped",               \
	  "events.kernel.dropped.ring_full")                                                       \
	X(DUMP_ROOM_MIB, 64, "%d MiB", "where the kernel copies stacks, of all CPUs",              \
	  "CPUs with higher numbers copy none", "")                                                \
	X(SIDEBAND_MIB, 64, "%d MiB", "records of processes' lives that wait, of all CPUs",        \
	  "they are lost; who is sampled is looked up in /proc again", "sideband.lost")            \
	X(LIVES_MIB, 8, "%d MiB", "the same, once they are read, until their turn",                \
	  "they are not taken; who is sampled is looked up in /proc again", "sideband.refused")    \
	X(SHARE_OF_ONE, 8, "1/%d of what is free of half of that",                                 \
	  "those of one process, beyond 4096 bytes", "the same", "sideband.refused")               \
	X(SHARE_OF_CGROUP, 2, "1/%d of what others leave of either half",                          \
	  "those of one cgroup, as far as it is known", "the same", "sideband.refused_of_cgroup")  \
	X(RULES, 131072, "%d", "rules of unwind tables",                                           \
	  "tables go that fewest samples went through", "unwind.no_room")                          \
	X(ROWS_MIB, 64, "%d MiB", "rows of unwind tables", "the same", "unwind.no_room")           \
	X(RULES_OF_FILE, 8, "1/%d of these", "rules of one file", "it has no table",               \
	  "unwind.over_budget")                                                                    \
	X(TABLES_OF_FILE, 4, "1/%d", "rows, and pages of code, of one file", "it has no table",    \
	  "unwind.over_budget")                                                                    \
	X(TABLES_OF_CGROUP, 4, "1/%d", "tables of one cgroup, once room is short",                 \
	  "what is more goes to cgroups that have less", "unwind.evicted_mapped")                  \
	X(FILES_FEW, 64, "%d, and 1/8 of what is left of 6142",                                    \
	  "files of one process that have tables", "stacks that come into others end there", "")   \
	X(PARTS_FEW, 64, "%d, and 1/8 of what is left of 2047",                                    \
	  "parts of 16 MiB, but for the first one of a file, of files of one process",             \
	  "there are no tables for others", "")                                                    \
	X(PROCESSES, 16384, "%d", "processes whose mappings the kernel knows",                     \
	  "stacks of others are copied, and walked by the tool", "unwind.stack_dumps")             \
	X(MAPPINGS, 4096, "%d", "mappings of one of them", "the same", "unwind.stack_dumps")       \
	X(CGROUPS, 1024, "%d, and twice those of stacks", "cgroups whose names are known",         \
	  "those that no stack refers to are looked up again when they are met again", "")         \
	X(CGROUP_MARKS, 16384, "%d", "cgroups that the kernel lets pass or not, by --container",   \
	  "it lets others pass, and the tool leaves their samples out", "")                        \
	X(CONTEXT_PROCESSES, 4096, "%d", "processes whose threads say what they work on",          \
	  "it is not known of others", "contexts.unseen")                                          \
	X(CONTEXTS_PART, 32, "1/%d of --max-memory",                                               \
	  "what threads say they work on, each counted once", "further ones are [other]",          \
	  "contexts.no_room")                                                                      \
	X(WINDOW_THREADS, 32768, "%d", "threads, or goroutines, whose windows are known",          \
	  "others have none, and their overflows are closed", "windows.no_room")                   \
	X(ALLOC_THREADS, 32768, "%d", "threads that are in a call of an allocator",                \
	  "who called for their blocks is not known", "allocations.no_room_for_calls")             \
	X(BLOCKS_PART, 8, "1/%d of --max-memory", "blocks of allocators, with their sites",        \
	  "who allocated further ones is not known", "allocations.no_room")                        \
	X(MAPPED_PART, 32, "1/%d of --max-memory",                                                 \
	  "memory that the kernel gave out, with who asked for it",                                \
	  "who asked for more is not known", "sites.no_room")                                      \
	X(MAPPED_CALLS, 4096, "%d", "threads that are in a call that asks the kernel for memory",  \
	  "what is known of memory is forgotten", "sites.lost")                                    \
	X(ALLOC_FILES, 4096, "%d, 256 with an allocator",                                          \
	  "files that --alloc has looked at for allocators", "further ones are not probed",        \
	  "allocations.reach.files_unread")                                                        \
	X(ALLOC_PROCESSES, 4096, "%d", "processes whose allocators are probed",                    \
	  "children beyond that are not probed", "allocations.reach.no_room")                      \
	X(ALLOC_PROBES, 4096, "%d, and 1/4 of ulimit -n",                                          \
	  "descriptors of their probes (one for a file in a process, before 6.12 one a probe)",    \
	  "children and files wait for their turn", "")                                            \
	X(ALLOC_CLOSING, 64, "%d", "of them, that the kernel is still to let go of", "the same",   \
	  "")                                                                                      \
	X(ALLOC_JOBS, 1024, "%d", "children and files that wait for their turn to be probed",      \
	  "further ones are not probed", "allocations.reach.no_room")                              \
	X(OFF_THREADS, 16384, "%d", "threads whose time without a CPU is known",                   \
	  "that of others is dropped", "events.kernel.dropped.no_thread")                          \
	X(OWNERS, 16384, "%d", "processes, names or cgroups that `stat --by` tells apart",         \
	  "further ones are [other] there", "")                                                    \
	X(OWNERS_ENDED, 65536, "%d", "of them, that have ended and were not told yet",             \
	  "further ones keep their rows", "")                                                      \
	X(WAITS, 32768, "%d", "threads of `stat --neighbours` that wait for a CPU at once",        \
	  "their waits are left out and counted", "")                                              \
	X(WINDOWS_PART, 8, "1/%d of --max-memory", "samples that wait for their window's end",     \
	  "the window's duration is not known; with --longer they are left out", "windows.unheld") \
	X(GPU_FDS, 4096, "%d",                                                                     \
	  "descriptors of a process among which `stat --per -I` looks for a GPU",                  \
	  "others are not looked at", "")                                                          \
	X(FLIGHT_PART, 2, "1/%d of --max-memory",                                                  \
	  "with --when, the seconds before an alarm, of their profiles",                           \
	  "the oldest is given up, and that said", "kept.no_room")                                 \
	X(PAGES_PART, 16, "1/%d of --max-memory",                                                  \
	  "pages of data of which it is known who touched them first",                             \
	  "alloc_site of further ones is [other]", "")                                             \
	X(SITES_PART, 32, "1/%d of --max-memory", "stacks of those", "the same", "")               \
	X(BRANCHES_PART, 8, "1/%d of --max-memory",                                                \
	  "pairs of branches, and ranges of code between them, that are told apart",               \
	  "records of further ones are [other]", "branches.other")                                 \
	X(REGION_LOG_PART, 8, "1/%d of --max-memory",                                              \
	  "what record --regions knows of cache lines and pages",                                  \
	  "samples of further ones are counted, and in no region", "")                             \
	X(REGION_ROWS, 65536, "%d lines of a kind", "a list of record --regions",                  \
	  "how many are left out stands in it", "")                                                \
	X(SPARE_MIB, 32, "%d MiB of address space",                                                \
	  "what is held back, to be given up when memory is refused",                              \
	  "samples are left out until tables are smaller", "events.user.discarded.no_memory")      \
	X(LOOK_MS, 100, "%d ms", "looking at a program that makes whoever looks wait",             \
	  "it is left alone for 0.5 s, each time twice as long", "opener.late")                    \
	X(STRIKES, 4, "%d times", "the same, of a user, mount namespace or cgroup",                \
	  "all of it is left alone", "opener.refused")                                             \
	X(END_LOOKS_MS, 2000, "%d ms", "the same, of all of them once the counters have stopped",  \
	  "nothing of targets is looked at any more", "opener.refused")                            \
	X(STUCK_EACH, 4, "%d",                                                                     \
	  "openers that can't be killed, of a user, mount namespace or cgroup",                    \
	  "nothing of it is opened any more", "opener.refused")                                    \
	X(STUCK, 64, "%d", "openers that can't be killed",                                         \
	  "nothing of targets is opened any more", "opener.refused")

enum {
#define X(id, number, how, what, beyond, key) BUDGET_##id = (number),
	BUDGETS(X)
#undef X
};

#endif
