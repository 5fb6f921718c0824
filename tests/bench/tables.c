// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds the unwind table of a file and says what it took: tables FILE. See tables.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "../unit/whole_table.h"
#include "sym/table.h"

static const char *const kinds[PMB_N_CFA] = {"none", "end",    "sp",    "fp",
					     "reg",  "*sp",    "*fp",   "*reg",
					     "plt",  "signal", "frame", "unsupported"};

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void print_kinds(const struct cfi_table *t)
{
	unsigned n[PMB_N_CFA] = {0}, n_fp_fp = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct pmb_unwind_rule *rule = &t->rules[PMB_ROW_RULE(t->rows[i])];

		n[rule->cfa]++;
		n_fp_fp += rule->fp == PMB_FP_FP;
	}
	for (int i = 0; i < PMB_N_CFA; i++) {
		if (n[i])
			printf(" %s:%u", kinds[i], n[i]);
	}
	printf(" (fp_fp:%u)\n", n_fp_fp);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, r;
	struct pmb_table_head head;
	struct rusage usage;
	double start = cpu_ms();
	struct cfi_table t;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return 2;
	cfi_table__init(&t);
	r = table_of_all(fd, true, &t);
	if (r == 0)
		r = cfi_table__finish(&t, &head);
	if (r < 0) {
		printf("%s: error %d\n", argv[1], -r);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%-10.1f %9u %6u %6u %9.1f %8.1f %8.1f ", (double)st.st_size / 1e6, head.n_rows,
	       head.n_rules, head.n_pages, (double)unwind_table__bytes(&head) / 1e3,
	       cpu_ms() - start, (double)usage.ru_maxrss / 1e3);
	print_kinds(&t);
	cfi_table__done(&t);
	return 0;
}
