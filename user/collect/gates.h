/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that open and close windows (bpf/gate.bpf.c), by the text of --window. */
#ifndef PMUBPF_COLLECT_GATES_H
#define PMUBPF_COLLECT_GATES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "collect/probe_links.h"
#include "opener/request.h"
#include "pmu/event_names.h"
#include "pmu/window_spec.h"
#include "pmubpf/record.h"

struct opener;

/* A place in a program's file. */
struct gate_site {
	int fd;
	struct opener_file_id file;
	uint64_t mnt_ns; /* in which it was found */
	uint64_t file_off;
	uint64_t counter_off; /* of what turns it on; 0: none */
	uint8_t when;         /* of an exit: as in symd/code_exits.h */
	bool emulated;        /* as in sym/site_client.h */
	bool returns;         /* a return probe */
};

/* Of one probe, in all roots of targets. */
enum { GATE_SITES_MAX = 64 };

/* What opens windows, or closes them: one of these, or neither. */
struct gate_probe {
	const char *tracepoint;            /* borrowed */
	struct event *event;               /* whose overflows do; ours */
	const struct window_probe *user;   /* of a program; borrowed */
	const struct window_probe *kernel; /* of the kernel: collect/kernel_gates.h; borrowed */
	/* where that is, once it was looked up: session/gate_sites.h */
	struct gate_site sites[GATE_SITES_MAX];
	size_t n_sites;
};

struct gates {
	const char *option; /* that asked for them; borrowed */
	uint32_t windows;   /* enum pmb_windows */
	uint64_t after_ns;
	bool by_process; /* a window is open in all of its process */
	bool returns;    /* calls end at return probes, which may harm programs */
	uint32_t kept;   /* of calls: as in struct pmb_config, of all files */
	bool of_go;      /* they are goroutines' */
	uint32_t grows;  /* as in struct pmb_config */
	bool counted;    /* not samples inside are wanted, but counts */
	struct gate_probe opens, closes;
	struct gate_probe catches; /* of calls: where exceptions are caught, which may leave them */
	/* of goroutines' that are counted: where threads get a goroutine, and let go of it */
	struct gate_probe comes, goes;
	uint8_t calls[PMB_CALLS]; /* enum pmb_call */
	/* Whose: windows, after_ns and ring_wake are filled in from the others. */
	struct pmb_config whose;
	struct opener *opener; /* puts probes into programs; borrowed */
	bool sliced;           /* which come and go for the budget */
};

/* What the windows take; fails with the sentence where that can't be had. ret is to be given up in
 * any case, after all copies of it; names may be given up before. */
int gates__settle(struct gates *ret, const struct window_spec *spec,
		  const struct event_names *names, uint64_t after_ns, struct err *err);
/* Makes them windows of processes, where they can be: -EINVAL with the sentence. */
int gates__set_by_process(struct gates *gates, struct err *err);
/* Calls of a function, where it can be: the same. */
int gates__set_returns(struct gates *gates, struct err *err);
void gates__done(struct gates *gates);
bool gates__by_event(const struct gates *gates);
bool gates__by_user(const struct gates *gates);
bool gates__by_kernel(const struct gates *gates);
bool gates__by_probes(const struct gates *gates); /* one of these two */
/* A window is a call of a function of the kernel. NULL: none. */
bool gates__has_kernel_calls(const struct gates *gates);
/* For programs: pmb_exit_when of bpf/lib/exits.h. */
void gates__exits(const struct gates *gates, uint8_t ret[PMB_EXIT_PLACES]);
/* Programs that open and close windows may interrupt what can't otherwise be interrupted. */
bool gates__by_nmi(const struct gates *gates);
/* How near to their events windows open and close, a line each. */
void gates__note_skid(const struct gates *gates, struct buf *notes);

struct bpf_program;

/* Attaches the program to the probe, if it is a tracepoint. -errno with the sentence. */
int gates__attach_to(const struct gates *gates, const struct gate_probe *probe,
		     struct bpf_program *program, struct probe_links *links, struct err *err);

struct bpf_map;

/* Of one object: those that are attached to one end of windows, at functions of the kernel. */
struct kernel_programs {
	struct bpf_program *fentry; /* becomes fexit where a function's end is meant */
	struct bpf_program *kprobe;
};

/* Probes in programs and at functions of the kernel, and what they run: they are put in, and taken
 * out, perhaps several times. */
struct gate_user {
	struct bpf_program *opens, *closes, *catches, *comes, *goes;
	struct kernel_programs kernel_opens, kernel_closes;
	struct bpf_program *leave; /* is run for each thread that is a key of `threads` */
	struct bpf_map *threads, *paused;
	struct bpf_map *ended; /* processes, of goroutines' windows */
	uint64_t ended_due_ns; /* when it is worth while to look for those windows again */
	/* is run on each CPU where that begins or ends: what was counted so far is told apart; or
	 * NULL */
	struct bpf_program *settle;
	int n_cpus;
	struct probe_links links;
	bool started; /* they were put in once */
	bool late; /* some couldn't be taken out in time, and their programs may still be called */
};
/* Nothing where there are none. All that is met from now on counts. -errno with the sentence: none
 * is in place. */
int gates__put_in(const struct gates *gates, struct gate_user *user, struct err *err);
/* Windows that are open are left; over: they stay open, for this is the end. -ETIMEDOUT as above:
 * none is put in any more. */
int gates__take_out(const struct gates *gates, struct gate_user *user, bool over);

/* The programs of events that open and close windows; negative where none does. */
struct gate_fds {
	int open, close;
};

struct gate_bpf;
struct recording_bpf;

/* Before the loads. The programs of samples; gates NULL: there are no windows. */
void gates__tell(const struct gates *gates, struct recording_bpf *samples);
/* Those that open and close windows. */
void gates__choose(const struct gates *gates, struct gate_bpf *skel, uint32_t ring_wake);
/* After the load: tracepoints that are not where they always are. -errno with the sentence. */
int gates__attach(const struct gates *gates, struct gate_bpf *skel, struct probe_links *links,
		  struct err *err);
struct gate_user gates__user(const struct gate_bpf *skel);
struct gate_fds gates__fds(const struct gate_bpf *skel);
/* Added up over the CPUs. */
int gates__stats(const struct gate_bpf *skel, int n_cpus, struct pmb_window_stats *ret);

#endif
