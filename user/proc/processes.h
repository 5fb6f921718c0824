/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who ran, and what each had mapped when. Life records build it as they happen; /proc is read once
 * for processes that ran before the recording.
 *
 * Time: records arrive unsorted and are processed one round later in the order of time. So there
 * are two kinds of calls: *__arrived, made when a record is drained, and the others, made in order.
 * A process of before is read from /proc when its first sample arrives; if an exec that happened in
 * between arrives later, the reading shows the new program and is void for the samples before it.
 */
#ifndef PMUBPF_PROC_PROCESSES_H
#define PMUBPF_PROC_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "proc/files.h"
#include "proc/life.h"
#include "proc/mappings.h"

struct processes;
struct process;

struct processes *processes__new(struct files *files); /* files is borrowed */
struct processes *processes__free(struct processes *all);

void processes__life_arrived(struct processes *all, const struct life *life);
/* The file that it says is mapped; 0: not met yet. */
uint32_t processes__file_of(const struct processes *all, const struct life *life);
/* Opens the file of a mapping that has arrived: by the time its turn comes, process and file may be
 * gone. */
void processes__pin_early(struct processes *all, const struct life *life);
/* cgroup: 0, it isn't known; time: the sample's; now: the reader's clock. */
void processes__sample_arrived(struct processes *all, uint32_t tgid, uint64_t cgroup, uint64_t time,
			       uint64_t now);
/* As its last sample, or its parent's, had it; 0: not known. */
uint64_t processes__cgroup(struct processes *all, uint32_t tgid);
/* Some records of before were lost, nobody knows whose: processes that are sampled are read from
 * /proc again, those that started last first. */
void processes__records_lost(struct processes *all, uint64_t time);
/* The same of one process: this record of it was not taken. */
void processes__record_refused(struct processes *all, const struct life *life);

void processes__life(struct processes *all, const struct life *life);
/* NULL: nothing of it is known. */
struct process *processes__known(struct processes *all, uint32_t tgid);
/* The process of a sample; never NULL, but it may know no mapping. */
struct process *processes__get(struct processes *all, uint32_t tgid, uint64_t time);
/* Marks the files that their mappings refer to, for files__sweep. */
void processes__keep_files(const struct processes *all);
/* Sets used[number] for each file that a process has mapped which hasn't exited. */
void processes__mark_files(const struct processes *all, bool *used, size_t n_used);
/* Forgets processes that have gone and had no sample since `before`. */
void processes__sweep(struct processes *all, uint64_t before);
size_t processes__count(const struct processes *all);

/* Changes whenever the process's mappings do, and no two processes share a value. */
uint64_t process__generation(const struct process *process);
/*
 * True for a sample inside exec, after the old program has gone and before the new one runs: the
 * saved user registers are still the old one's, so `leaf` lies in nothing. in_kernel: the sample
 * was.
 */
bool process__execing(struct process *process, uint64_t leaf, bool in_kernel);
/* An exec after that moment has arrived. */
bool process__execs(const struct process *process, uint64_t time);
/* Its leader has exited, as far as the records processed so far tell; other threads may go on. */
bool processes__leader_gone(struct processes *all, uint32_t tgid);
/* Its anonymous code has a runtime that says how to unwind through it. A number for that, and for
 * its names (files__put_code); 0: there is no room. */
uint32_t process__code_file(struct processes *all, struct process *process);
/* Without a file it is left, to its next exec. */
void process__put_code(struct processes *all, struct process *process,
		       const struct code_span *code);
/* True once each time that its mappings have changed, and not once it was left; and once there is a
 * place, if it awaits one. */
bool process__look_for_code(struct process *process, bool place);
void process__await_place(struct process *process);
uint32_t process__tgid(const struct process *process);
/* The mappings that samples of this moment lie in; NULL: none are known. */
const struct mappings *process__mappings(const struct process *process);
/*
 * The process as it is now, for a sample that has to wait: its mappings may change and it may be
 * forgotten meanwhile. Its files are pinned, all of them: nobody knows yet which will be needed.
 */
struct process_view {
	struct mappings *maps;
	uint32_t jit_file;
};
struct process_view process__view(struct processes *all, struct process *process);
void process_view__keep_files(const struct process_view *view, struct files *files);
void process_view__mark_files(const struct process_view *view, bool *used, size_t n_used);
struct frame process_view__locate(const struct process_view *view, uint64_t addr);
void process_view__done(struct process_view *view);
/* Turns an address of the process into a frame (FRAME_UNKNOWN if nothing is mapped there), and pins
 * the file it lies in. */
struct frame process__locate(struct processes *all, struct process *process, uint64_t addr);
/* The same of data: FRAME_DATA in the file whose code is mapped next below, which has to say
 * whether it is its own; FRAME_UNKNOWN if there is none. */
struct frame process__locate_data(struct processes *all, struct process *process, uint64_t addr);

#endif
