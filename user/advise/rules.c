// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Thresholds are about what is worth a look: below them a finding may be right and would gain
 * little. They are compared with the lower end of a 95 % confidence interval, so that chance makes
 * no finding. docs/design/0033-advise.md has what they find in programs that are well made.
 * They are one table in one file, however long: what each leads to is read off its neighbours.
 */
#include "advise/rules.h"

#include "advise/traits.h"

const struct rule rules[N_RULES] = {
	[RULE_CPU_QUOTA] =
		{
			.id = "cpu-quota",
			.kind = RULE_QUOTA,
			.place = PLACE_NONE,
			.least = 10,
			.leads_to = RULE_BIT(RULE_RUN_QUEUE),
			.title = "A CPU quota holds the cgroup back: in @ of its periods",
			.why = "The cgroup has used up what it may have of the CPUs long before "
			       "the period ends, and all its threads stand still until the next "
			       "one, whether CPUs are free or not.",
			.what = "Raise the limit (cpu.max; of a container its CPU limit), or start "
				"no more working threads than the quota has CPUs: many threads "
				"use it up in a moment.",
			.look = "grep . %/cpu.stat",
		},
	[RULE_MEMORY_PRESSURE] =
		{
			.id = "memory-pressure",
			.kind = RULE_PRESSURE,
			.place = PLACE_NONE,
			.least = 5,
			.account = "memory",
			.leads_to = RULE_BIT(RULE_RECLAIM) | RULE_BIT(RULE_PAGE_FAULTS) |
				    RULE_BIT(RULE_DISK) | RULE_BIT(RULE_IO_PRESSURE),
			.title = "Memory is short: @ of the time some task waited for it",
			.why = "Pages are taken away that will be needed again soon: whoever needs "
			       "memory has to wait for that, and reads them again from the disk.",
			.what = "Raise the memory limit or add memory; of the cgroup look at "
				"memory.high, memory.max and its memory.stat; start fewer or "
				"smaller processes; keep less in caches of the program's own.",
			.look = "grep . %",
		},
	[RULE_IO_PRESSURE] =
		{
			.id = "io-pressure",
			.kind = RULE_PRESSURE,
			.place = PLACE_NONE,
			.least = 20,
			.account = "io",
			.title = "Disks are short: @ of the time some task waited for them",
			.why = "Reads and writes wait for each other, whoever makes them.",
			.what = "See who reads and writes (pmubpf advise -a, off-cpu by comm), and "
				"move it away or limit it (io.max).",
			.look = "grep . %",
		},
	[RULE_CPU_PRESSURE] =
		{
			.id = "cpu-pressure",
			.kind = RULE_PRESSURE,
			.place = PLACE_NONE,
			.least = 50,
			.account = "cpu",
			.title = "CPUs are short: @ of the time some task waited for one",
			.why = "There are more threads that want to run than CPUs that they may "
			       "use.",
			.what = "See who else runs (pmubpf top -a), and record with off-cpu, which "
				"says whose time it is.",
			.look = "grep . %",
		},
	[RULE_RECLAIM] =
		{
			.id = "reclaim",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_RECLAIMS,
			.least = 5,
			.leads_to = RULE_BIT(RULE_PAGE_FAULTS) | RULE_BIT(RULE_DISK),
			.title =
				"Looking for memory that can be taken away takes @ of the CPU time",
			.why = "No memory is free, or the cgroup's limit is reached: who allocates "
			       "has to search for pages that somebody can do without.",
			.what = "Raise the memory limit or add memory; of a cgroup look at "
				"memory.high and memory.max; read large files in a way that "
				"doesn't fill the page cache (posix_fadvise).",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_PROCESS_STARTS] =
		{
			.id = "process-starts",
			.kind = RULE_OF_CPU,
			.place = PLACE_COMMAND,
			.traits = TRAIT_STARTS | TRAIT_FAULTS,
			.least = 30,
			.also = TRAIT_STARTS,
			.also_least = 15,
			.covers = RULE_BIT(RULE_PAGE_FAULTS) | RULE_BIT(RULE_SYSTEM_CALLS) |
				  RULE_BIT(RULE_CONTEXT_SWITCHES),
			.title = "Starting and ending processes takes @ of the CPU time",
			.why = "Each process that begins gets its memory page by page, "
			       "is loaded and "
			       "linked, and all of that is taken down again when it ends.",
			.what = "Start fewer processes: do the work within one (a loop over all "
				"files instead of one process for each), or keep workers running. "
				"Threads that are started for each task: keep a pool of them.",
			.look = "pmubpf report --by comm &",
		},
	[RULE_ALLOCATOR_CHURN] =
		{
			.id = "allocator-churn",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_GIVES_BACK | TRAIT_FAULTS,
			.least = 10,
			.also = TRAIT_GIVES_BACK,
			.also_least = 0.5,
			.rate_of = "page-faults",
			.covers = RULE_BIT(RULE_PAGE_FAULTS) | RULE_BIT(RULE_SYSTEM_CALLS),
			.title = "Memory that is freed and allocated again takes @ of the CPU time",
			.why = "free() gives memory back to the kernel, and the next "
			       "allocation gets "
			       "it again page by page: each page is cleared, and costs "
			       "a page fault.",
			.what = "Keep buffers and use them again, or let the allocator keep them: "
				"for glibc, start the program with "
				"GLIBC_TUNABLES=glibc.malloc.trim_threshold=1073741824:"
				"glibc.malloc.mmap_threshold=1073741824; or use jemalloc or "
				"tcmalloc.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_PAGE_FAULTS] =
		{
			.id = "page-faults",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_FAULTS,
			.least = 10,
			.rate_of = "page-faults",
			.title = "Page faults take @ of the CPU time",
			.why = "Memory that is touched for the first time is brought in "
			       "page by page: "
			       "the kernel finds a page, clears or reads it, and maps it.",
			.what = "Touch less memory, or use again what was touched "
				"before; for large "
				"arrays ask for huge pages (madvise(MADV_HUGEPAGE)), for files and "
				"memory that will be used anyway MAP_POPULATE. What happens only "
				"while the program starts goes away in longer runs.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_CONTEXT_SWITCHES] =
		{
			.id = "context-switches",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_SWITCHES,
			.least = 10,
			.rate_of = "context-switches",
			.rate_least = 5000,
			.covers = RULE_BIT(RULE_SYSTEM_CALLS),
			.title = "Switching between threads takes @ of the CPU time",
			.why = "Threads wake each other and wait for each other so often that the "
			       "scheduler's work counts.",
			.what = "Hand over more at once (batches, larger buffers, a queue), or let "
				"one thread do both halves of the work.",
			.look = "pmubpf report -e context-switches --tree &",
		},
	[RULE_SPINNING] =
		{
			.id = "spinning",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_SPINS,
			.least = 10,
			.covers = RULE_BIT(RULE_SYSTEM_CALLS) | RULE_BIT(RULE_CONTEXT_SWITCHES),
			.title = "Waiting in circles for a lock takes @ of the CPU time",
			.why = "CPUs that wait for a spin lock do nothing else; with more CPUs, or "
			       "more threads than CPUs, it gets worse.",
			.what = "Fewer threads in that call or function at once, or data of their "
				"own for each thread (files, sockets, memory maps, counters). A "
				"lock of the program's own that yields (sched_yield): a mutex "
				"lets its owner run instead.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_SYSTEM_CALLS] =
		{
			.id = "system-calls",
			.kind = RULE_OF_CPU,
			.place = PLACE_CALL,
			.traits = TRAIT_CALLS,
			.least = 30,
			.title = "System calls take @ of the CPU time, copying of data not counted",
			.why = "Each call into the kernel costs something whatever it does. If the "
			       "calls are small, most of this time is that.",
			.what = "Fewer and larger calls: buffers for reads and writes, several "
				"messages at once (writev, sendmmsg, io_uring), no calls in inner "
				"loops. If each call does much for its time, leave it.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_LOCKS] =
		{
			.id = "locks",
			.kind = RULE_OF_THREADS,
			.place = PLACE_WAKER,
			.traits = TRAIT_LOCK,
			.least = 10,
			.leads_to = RULE_BIT(RULE_CONTEXT_SWITCHES),
			.title = "Threads wait for locks: @ of the time that they run or wait so",
			.why = "One thread has the lock, the others stand still. Threads that only "
			       "wait for work are not counted.",
			.what = "Hold the lock for less (no I/O, no allocation, no "
				"loops over large "
				"data in it), divide what it protects, or give each "
				"thread a part of "
				"its own that is put together at the end. Of Python's "
				"interpreter (off_state=gil): processes instead of threads, or "
				"libraries that let go of it while they work.",
			.look = "pmubpf report -e off-cpu --label off_state=futex --label "
				"off_state=gil --label off_state=monitor --tree --callers % &",
		},
	[RULE_RUN_QUEUE] =
		{
			.id = "run-queue",
			.kind = RULE_OF_THREADS,
			.place = PLACE_COMMAND,
			.traits = TRAIT_QUEUE,
			.least = 20,
			.covers = RULE_BIT(RULE_CPU_PRESSURE),
			.title = "Threads that could run wait for a CPU: @ of the time "
				 "that they run "
				 "or wait so",
			.why = "There are more threads that want to run than CPUs that "
			       "they may use, "
			       "or a limit holds them (a container's CPU quota).",
			.what = "See who else runs (pmubpf top -a); start no more working threads "
				"than there are CPUs. Whether a container's limit did it is a "
				"finding of its own (cpu-quota).",
			.look = "pmubpf report -e off-cpu --label off_state=preempted --label "
				"off_state=waiting --by comm &",
		},
	[RULE_DISK] =
		{
			.id = "disk",
			.kind = RULE_OF_THREADS,
			.place = PLACE_SITE,
			.traits = TRAIT_IO,
			.least = 10,
			.covers = RULE_BIT(RULE_IO_PRESSURE),
			.title = "Threads wait for disks: @ of the time that they run or wait so",
			.why = "The thread stands still until data is read or has "
			       "reached the disk.",
			.what = "Fewer fsync() (several changes with one), reading ahead or at "
				"several places at once, more memory for the page cache, a faster "
				"disk.",
			.look = "pmubpf report -e off-cpu --by off_state,function &",
		},
	[RULE_COPYING] =
		{
			.id = "copying",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_COPIES,
			.least = 20,
			.title = "Copying and clearing memory (memcpy, memset) takes @ of "
				 "the CPU time",
			.why = "Bytes are moved, nothing is computed from them.",
			.what = "Pass pointers or spans instead of copies, clear only what is read "
				"before it is written, grow buffers by factors.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_STRINGS] =
		{
			.id = "strings",
			.kind = RULE_OF_CPU,
			.place = PLACE_SITE,
			.traits = TRAIT_STRINGS,
			.least = 20,
			.title = "Going through strings (strlen, strcat, strstr) takes @ of the "
				 "CPU time",
			.why = "Where a string ends isn't kept, so each of these reads it from its "
			       "beginning: a loop of them takes the square of the length.",
			.what = "Keep the length or the end beside the string (stpcpy, a buffer "
				"that knows its length), compare lengths or hashes first, search "
				"once and not for each.",
			.look = "pmubpf report --tree --callees % &",
		},
	[RULE_UNINLINED] =
		{
			.id = "not-optimised",
			.kind = RULE_OF_CPU,
			.place = PLACE_LEAF,
			.traits = TRAIT_UNINLINED,
			.least = 10,
			.title =
				"Code that was built without optimisation: @ of the CPU time is in "
				"one-line functions of C++'s headers",
			.why = "These functions are calls here; with -O1 and above the "
			       "compiler puts "
			       "them into their callers, where they cost next to nothing.",
			.what = "Build with -O2 (CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo).",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_INTERPRETER] =
		{
			.id = "interpreter",
			.kind = RULE_OF_CPU,
			.place = PLACE_SCRIPT,
			.traits = TRAIT_INTERPRETED,
			.least = 50,
			.title = "An interpreter's own work takes @ of the CPU time",
			.why = "Each step of the program is looked up and dispatched, and "
			       "its numbers "
			       "are objects: ten to a hundred times the work of compiled code.",
			.what = "Java: is the compiler off (-Xint)? Python: let a library in C do "
				"the inner loop (numpy, built-in functions), use Cython "
				"or PyPy, or "
				"find a better algorithm for the functions above.",
			.look = "pmubpf annotate % &",
		},
	[RULE_FALSE_SHARING] =
		{
			.id = "false-sharing",
			.kind = RULE_OF_ACCESSES,
			.place = PLACE_OBJECT,
			.traits = TRAIT_FALSE_SHARING,
			.least = 10,
			.title = "Threads write to different bytes of the same cache "
				 "lines: @ of the "
				 "sampled accesses",
			.why = "A CPU that writes takes the whole line away from the others, which "
			       "wait for it although they need other bytes.",
			.what = "Give each thread's part a cache line of its own: alignas(64), or "
				"padding between the members.",
			.look = "pmubpf report --shared &",
		},
	[RULE_REMOTE_MEMORY] =
		{
			.id = "remote-memory",
			.kind = RULE_OF_SOURCES,
			.place = PLACE_OBJECT,
			.traits = TRAIT_REMOTE,
			.least = 10,
			.leads_to = RULE_BIT(RULE_CACHE_MISSES) | RULE_BIT(RULE_BACKEND),
			.title = "Data comes from another NUMA node: @ of the sampled accesses",
			.why = "Memory or caches of another node answer later, and over a "
			       "connection that all share.",
			.what = "Let the thread that uses data touch it first, keep threads and "
				"their memory on one node (numactl --cpunodebind --membind), or "
				"spread what all share (numactl --interleave).",
			.look = "pmubpf report --by data_source,function &",
		},
	[RULE_CACHE_MISSES] =
		{
			.id = "cache-misses",
			.kind = RULE_MISSES,
			.misses = MISSES_OF_CACHE,
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.leads_to = RULE_BIT(RULE_BACKEND) | RULE_BIT(RULE_MEMORY_BOUND) |
				    RULE_BIT(RULE_SLOTS_BACKEND),
			.least = 10,
			.title = "Few instructions a cycle, and many cache misses: @ per 1000 "
				 "instructions",
			.why = "The CPU stands still until memory answers.",
			.what = "Smaller and denser data, arrays instead of lists and trees, loops "
				"that go through memory in its order and in blocks.",
			.look = "pmubpf annotate % &",
		},
	[RULE_TLB_MISSES] =
		{
			.id = "tlb-misses",
			.kind = RULE_MISSES,
			.misses = MISSES_OF_TLB,
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.leads_to = RULE_BIT(RULE_BACKEND) | RULE_BIT(RULE_MEMORY_BOUND) |
				    RULE_BIT(RULE_SLOTS_BACKEND),
			.least = 5,
			.title = "Few instructions a cycle, and many TLB misses: @ per 1000 "
				 "instructions",
			.why = "The data lies on more pages than the CPU has addresses of at hand; "
			       "each miss is a walk through the page tables.",
			.what = "Huge pages (madvise(MADV_HUGEPAGE), hugetlbfs), and data that is "
				"used together on the same pages.",
			.look = "pmubpf annotate % &",
		},
	[RULE_BRANCH_MISSES] =
		{
			.id = "branch-misses",
			.kind = RULE_MISSES,
			.misses = MISSES_OF_BRANCHES,
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 10,
			.leads_to = RULE_BIT(RULE_MISPREDICTS) | RULE_BIT(RULE_SLOTS_SPECULATION) |
				    RULE_BIT(RULE_CODE_MISSES) | RULE_BIT(RULE_FRONTEND),
			.title = "Few instructions a cycle, and many mispredicted branches: @ per "
				 "1000 instructions",
			.why = "What was begun behind a wrong guess is thrown away, and the right "
			       "code has to be fetched first.",
			.what = "Make the hot conditions predictable (sort or partition data "
				"first), or compute without branches (conditional moves, masks, "
				"tables); build with profile-guided optimisation.",
			.look = "pmubpf annotate % &",
		},
	[RULE_CODE_MISSES] =
		{
			.id = "code-misses",
			.kind = RULE_MISSES,
			.misses = MISSES_OF_CODE,
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 10,
			.leads_to = RULE_BIT(RULE_FETCH_LATENCY) | RULE_BIT(RULE_SLOTS_FRONTEND) |
				    RULE_BIT(RULE_CODE_TLB_MISSES) | RULE_BIT(RULE_FRONTEND),
			.title = "Few instructions a cycle, and many misses of the instruction "
				 "cache: @ per 1000 instructions",
			.why = "More code is run in turns than the cache holds.",
			.what = "Keep hot code together: profile-guided optimisation, an ordering "
				"file for the linker, BOLT; inline and unroll less (-Os for cold "
				"files); handle things in batches by kind.",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_CODE_TLB_MISSES] =
		{
			.id = "code-tlb-misses",
			.kind = RULE_MISSES,
			.misses = MISSES_OF_CODE_TLB,
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 2,
			.leads_to = RULE_BIT(RULE_FETCH_LATENCY) | RULE_BIT(RULE_SLOTS_FRONTEND) |
				    RULE_BIT(RULE_FRONTEND),
			.title =
				"Few instructions a cycle, and many TLB misses of code: @ per 1000 "
				"instructions",
			.why = "Hot code is scattered over more pages than the CPU has addresses "
			       "of at hand.",
			.what = "An ordering file for the linker or BOLT, which put hot functions "
				"side by side; code on huge pages.",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_FRONTEND] =
		{
			.id = "frontend-stalls",
			.kind = RULE_STALLS,
			.account = "frontend",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 25,
			.title = "The CPU waits for instructions: @ of the cycles",
			.why = "Code isn't there when it is needed: it lies in no near cache, or a "
			       "branch went where nobody expected.",
			.what = "Record icache-load-misses, itlb-load-misses and branch-misses, "
				"which say why.",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_BACKEND] =
		{
			.id = "backend-stalls",
			.kind = RULE_STALLS,
			.account = "backend",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 50,
			.title = "The CPU waits for data or for its units: @ of the cycles",
			.why = "Instructions are there and can't go on: data comes from far away, "
			       "or each needs the one before, or a slow unit (division).",
			.what = "Record cache-misses and dtlb-load-misses, which say whether it is "
				"memory; if not, look for divisions and for chains in which each "
				"result needs the one before.",
			.look = "pmubpf annotate % &",
		},
	[RULE_SLOTS_FRONTEND] =
		{
			.id = "topdown-frontend",
			.kind = RULE_SLOTS,
			.account = "Frontend_Bound",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 20,
			.covers = RULE_BIT(RULE_FRONTEND),
			.title = "The core isn't given enough instructions: @ of its slots stay "
				 "empty",
			.why = "What fetches and decodes instructions doesn't keep up with what "
			       "could carry them out.",
			.what = "Make hot code smaller and put it side by side: profile-guided "
				"optimization (-fprofile-use), BOLT, fewer inlined and unrolled "
				"loops that run seldom.",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_FETCH_LATENCY] =
		{
			.id = "topdown-fetch-latency",
			.kind = RULE_SLOTS,
			.account = "Fetch_Latency",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 15,
			.covers = RULE_BIT(RULE_FRONTEND) | RULE_BIT(RULE_SLOTS_FRONTEND),
			.title = "The core waits for code: @ of its slots, while none came",
			.why = "Instructions come from a far cache, their page is looked up, or a "
			       "branch has to begin anew elsewhere.",
			.what = "Record icache-load-misses, itlb-load-misses and branch-misses, "
				"which say which; put hot functions side by side (an ordering "
				"file, BOLT), code on huge pages.",
			.look = "pmubpf report --by module,function &",
		},
	[RULE_FETCH_BANDWIDTH] =
		{
			.id = "topdown-fetch-bandwidth",
			.kind = RULE_SLOTS,
			.account = "Fetch_Bandwidth",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 20,
			.covers = RULE_BIT(RULE_FRONTEND) | RULE_BIT(RULE_SLOTS_FRONTEND),
			.title = "Instructions are decoded too slowly: @ of the slots",
			.why = "Some came in a cycle, and fewer than the core takes: not from "
			       "the cache of decoded ones, or with many short jumps.",
			.what = "Smaller hot loops, aligned (-falign-loops=32), with fewer jumps; "
				"long immediates and prefixes cost decoders most.",
			.look = "pmubpf annotate % &",
		},
	[RULE_SLOTS_SPECULATION] =
		{
			.id = "topdown-speculation",
			.kind = RULE_SLOTS,
			.account = "Bad_Speculation",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 15,
			.title = "Work is thrown away: @ of the core's slots",
			.why = "Instructions were carried out that a branch should have passed by, "
			       "or whose data had changed meanwhile.",
			.what = "Record branch-misses, which say where; if there are few, look for "
				"data that threads write to each other.",
			.look = "pmubpf annotate % &",
		},
	[RULE_MISPREDICTS] =
		{
			.id = "topdown-mispredicts",
			.kind = RULE_SLOTS,
			.account = "Branch_Mispredicts",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 10,
			.covers = RULE_BIT(RULE_SLOTS_SPECULATION),
			.title = "Branches go where nobody expected: @ of the core's slots",
			.why = "What was carried out behind such a branch is thrown away, and "
			       "fetching begins anew.",
			.what = "Sort or partition what is decided on, decide without a branch "
				"(masks, conditional moves), or once for many.",
			.look = "pmubpf annotate % &",
		},
	[RULE_CLEARS] =
		{
			.id = "topdown-clears",
			.kind = RULE_SLOTS,
			.account = "Machine_Clears",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 10,
			.covers = RULE_BIT(RULE_SLOTS_SPECULATION),
			.title = "The core begins anew again and again: @ of its slots",
			.why = "Another core wrote what was read already, code was changed that "
			       "ran, or numbers were too small to be handled at once.",
			.what = "Data of one thread on cache lines of its own (false sharing), no "
				"code beside what is written, denormals to zero (-ffast-math).",
			.look = "pmubpf annotate % &",
		},
	[RULE_SLOTS_BACKEND] =
		{
			.id = "topdown-backend",
			.kind = RULE_SLOTS,
			.account = "Backend_Bound",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 30,
			.covers = RULE_BIT(RULE_BACKEND),
			.title = "Instructions wait for data or for a unit: @ of the core's slots",
			.why = "There are instructions enough, and none of them can be taken up: "
			       "data comes from far away, or each needs the one before.",
			.what = "Record cache-misses and dtlb-load-misses, which say whether it is "
				"memory; if not, look for divisions and for chains in which each "
				"result needs the one before.",
			.look = "pmubpf annotate % &",
		},
	[RULE_MEMORY_BOUND] =
		{
			.id = "topdown-memory",
			.kind = RULE_SLOTS,
			.account = "Memory_Bound",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 20,
			.covers = RULE_BIT(RULE_BACKEND) | RULE_BIT(RULE_SLOTS_BACKEND),
			.title = "Instructions wait for memory: @ of the core's slots",
			.why = "Loads come from afar, or stores find no room.",
			.what = "Record cache-misses with --data, which names the data; less of "
				"it, and what is used together side by side.",
			.look = "pmubpf annotate % &",
		},
	[RULE_CORE_BOUND] =
		{
			.id = "topdown-core",
			.kind = RULE_SLOTS,
			.account = "Core_Bound",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 20,
			.covers = RULE_BIT(RULE_BACKEND) | RULE_BIT(RULE_SLOTS_BACKEND),
			.title = "Instructions wait for each other or for a unit: @ of the core's "
				 "slots",
			.why = "A slow unit (division, square root) is busy, or each result needs "
			       "the one before.",
			.what = "Several independent chains (sums in parts), divide less often, "
				"let the compiler use wider vectors (-O3 -march=native).",
			.look = "pmubpf annotate % &",
		},
	[RULE_MICROCODE] =
		{
			.id = "topdown-microcode",
			.kind = RULE_SLOTS,
			.account = "Heavy_Operations",
			.place = PLACE_LEAF,
			.traits = TRAIT_RUNS,
			.least = 15,
			.title = "Instructions of many steps take @ of the core's slots",
			.why = "Some instructions are made of several, or come from microcode: "
			       "string instructions, gathers, denormals.",
			.what = "See which they are, and use simpler ones; denormals to zero.",
			.look = "pmubpf annotate % &",
		},
	[RULE_STEAL] =
		{
			.id = "steal",
			.kind = RULE_STOLEN,
			.least = 5,
			.title = "The hypervisor took @ of the CPUs' time",
			.why = "The CPUs of this virtual machine stood still while "
			       "others ran on the "
			       "host: figures of time are longer than the program's own work.",
			.what = "Measure again when the host is less busy, or move to a host or a "
				"class of machine with CPUs of its own.",
			.look = "pmubpf report &",
		},
	[RULE_THROTTLED] =
		{
			.id = "heat",
			.kind = RULE_HEAT,
			.least = 10,
			.title = "The CPUs were slowed down by heat: @",
			.why = "A hot CPU runs at a lower frequency: the same work takes "
			       "longer, and "
			       "differently so from run to run.",
			.what = "See to its cooling; compare runs only when it is cool.",
			.look = "pmubpf report &",
		},
	[RULE_BROKEN_STACKS] =
		{
			.id = "broken-stacks",
			.kind = RULE_OF_STACKS,
			.least = 20,
			.title = "@ of the programs' stacks end before their outermost function",
			.why = "Callers are missing: what is said of functions and what "
			       "they call is "
			       "too low. Functions' own times are not affected.",
			.what = "Build with -fno-omit-frame-pointer or keep .eh_frame (don't strip "
				"it); stacks that are only too deep: record --max-depth.",
			.look = "pmubpf report --by function &",
		},
	[RULE_NO_NAMES] =
		{
			.id = "no-names",
			.kind = RULE_OF_CPU,
			.place = PLACE_MODULE,
			.traits = TRAIT_NAMELESS,
			.least = 30,
			.title = "@ of the CPU time is in code without names",
			.why = "Nobody can say which functions these are.",
			.what = "Install the debug symbols of the files above (packages "
				"…-dbgsym or …-debuginfo, or record --debuginfod), or don't strip "
				"them. JIT: a perf map, if the runtime can write one.",
			.look = "pmubpf report --by module,address &",
		},
};
