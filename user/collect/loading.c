// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "collect/loading.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "collect/features.h"
#include "pmubpf/record.h"
#include "sys/procfs.h"

/* libbpf explains itself on stderr; its last words belong into our error instead. */
static struct buf libbpf_words;
static bool is_loading;

static int keep_words(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[512];

	if (level > LIBBPF_WARN || !is_loading)
		return 0;
	vsnprintf(line, sizeof(line), fmt, ap);
	if (libbpf_words.len < 4096)
		buf__puts(&libbpf_words, line);
	return 0;
}

/* libbpf finds no type information that it has no memory for. */
static bool lacks_memory(int r, const char *words)
{
	struct btf *btf;
	int why;

	if (r == -ENOMEM || !strstr(words, "valid kernel BTF") || !feature__has(FEATURE_BTF))
		return r == -ENOMEM;
	btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	why = (int)libbpf_get_error(btf);
	if (!why)
		btf__free(btf);
	return why == -ENOMEM;
}

/* Of libbpf's talk one line is worth showing: the first one. */
int load_error(struct err *err, const char *what, int r)
{
	const char *words = libbpf_words.data ? libbpf_words.data : "";
	int len = (int)strcspn(words, "\n");

	if (r == -EMFILE || strstr(words, "Too many open files"))
		return err__set(err, -EMFILE,
				"can't load %s: too many open files; raise the limit (ulimit -n)",
				what);
	if (lacks_memory(r, words))
		return err__set(
			err, -ENOMEM,
			"can't load %s: not enough memory; are there limits (ulimit -d, -v)?",
			what);
	if (strstr(words, "BEGIN PROG LOAD LOG"))
		return err__cannot(err,
				   "can't load %s: this kernel's verifier refuses it (%s): please "
				   "report it with the output of `pmubpf doctor`",
				   what, strerror(-r)),
		       r;
	if (r == -EPERM || r == -EACCES)
		return err__cannot(
			       err,
			       "can't load %s: %s; run as root, or with CAP_BPF and CAP_PERFMON",
			       what, strerror(-r)),
		       r;
	if (!feature__has(FEATURE_BTF))
		return err__cannot(err,
				   "can't load %s: this kernel has no /sys/kernel/btf/vmlinux "
				   "(CONFIG_DEBUG_INFO_BTF); `pmubpf doctor` shows the rest",
				   what),
		       r;
	err__cannot(err, "can't load %s: %s (%.*s); `pmubpf doctor` shows what this kernel lacks",
		    what, strerror(-r), len, words);
	return r;
}

/* The verifier gives up on any signal (EAGAIN), and libbpf after the fifth. */
void loading__begin(struct loading *loading)
{
	sigset_t all;

	libbpf_set_print(keep_words);
	is_loading = true;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &loading->before);
}

void loading__end(const struct loading *loading)
{
	sigprocmask(SIG_SETMASK, &loading->before, NULL);
	is_loading = false;
	buf__done(&libbpf_words);
}

uint32_t mark_pages(bool follow)
{
	uint64_t pid_max = file_read_u64("/proc/sys/kernel/pid_max", 4194304);

	return follow ? (uint32_t)(pid_max / PMB_MARKS_PER_PAGE + 1) : 1;
}

static void choose(struct bpf_object *obj, const char *name, bool wanted)
{
	struct bpf_program *program = bpf_object__find_program_by_name(obj, name);

	if (program)
		bpf_program__set_autoload(program, wanted);
}

void choose_life(struct bpf_object *obj, bool wanted, bool nested)
{
	choose(obj, "pmb_fork", wanted && !nested);
	choose(obj, "pmb_exec", wanted && !nested);
	choose(obj, "pmb_exit", wanted && !nested);
	choose(obj, "pmb_fork_ns", wanted && nested);
	choose(obj, "pmb_exec_ns", wanted && nested);
	choose(obj, "pmb_exit_ns", wanted && nested);
}

void *map_memory(const struct bpf_map *map, size_t *ret_size)
{
	size_t size = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	*ret_size = size;
	return memory == MAP_FAILED ? NULL : memory;
}

void run_on_cpu(const struct bpf_program *program, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (__u32)cpu);

	bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
}

void run_on_cpus(const struct bpf_program *program, int n_cpus)
{
	for (int cpu = 0; cpu < n_cpus; cpu++)
		run_on_cpu(program, cpu);
}

uint64_t program_missed(const struct bpf_program *program)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);

	if (bpf_program__fd(program) < 0 ||
	    bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) < 0)
		return 0;
	return info.recursion_misses;
}
