// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows packed into a table, and the check that a table passes before it is believed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cfi_bytes.h"
#include "pmubpf/unwind_find.h"
#include "sym/table.h"
#include "symd/cfi_table.h"

static const struct pmb_unwind_rule NONE = {.cfa = PMB_CFA_NONE},
				    A = {.cfa = PMB_CFA_SP, .cfa_off = 8, .ra_off = -8},
				    B = {.cfa = PMB_CFA_SP, .cfa_off = 16, .ra_off = -8},
				    BAD = {.cfa = PMB_CFA_UNSUPPORTED};

static int in_memory(const void *bytes, size_t len)
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

/* Through all that a table goes through on its way to the main process. */
static struct unwind_table travel(struct cfi_table *t)
{
	_cleanup_close_ int fd = memfd_create("table", MFD_CLOEXEC);
	struct pmb_table_head head;
	struct unwind_table got;

	cr_assert_eq(cfi_table__finish(t, &head), 0);
	cr_assert_eq(cfi_table__write(t, &head, NULL, fd), 0);
	cr_assert_eq((size_t)lseek(fd, 0, SEEK_END), unwind_table__bytes(&head));
	cr_assert_eq(unwind_table__read(fd, &got), 0);
	cfi_table__done(t);
	return got;
}

/* The rule that holds at an offset in the file; NULL where there's no code. */
static const struct pmb_unwind_rule *rule_at(const struct unwind_table *t, uint64_t file_off)
{
	uint64_t page = (file_off >> PMB_PAGE_SHIFT) - t->head.first_page;
	__u32 row;

	if (page >= t->head.n_pages || !t->pages[page].n)
		return NULL;
	row = unwind_find(t->rows, t->pages[page].first, ~0U, t->pages[page].n,
			  file_off % PMB_UNWIND_ROW_MAX);
	return &t->rules[PMB_ROW_RULE(row)];
}

static void expect_rule(const struct unwind_table *t, uint64_t off, const char *text)
{
	const struct pmb_unwind_rule *rule = rule_at(t, off);
	struct buf b = {0};

	if (rule)
		print_rule(&b, rule);
	else
		buf__puts(&b, "-");
	cr_expect_str_eq(b.data, text, "%llx: %s, not %s", (unsigned long long)off, b.data, text);
	buf__done(&b);
}

Test(cfi_table, pages_stand_for_themselves)
{
	struct unwind_table got;
	struct cfi_table t;

	cfi_table__init(&t);
	cfi_table__add(&t, 0x31000, &A);
	cfi_table__add(&t, 0x31001, &B);
	cfi_table__add(&t, 0x50000, &A);
	cfi_table__add(&t, 0x50010, &NONE);
	cfi_table__add(&t, 0x70010, &A);
	cfi_table__add(&t, 0x90000, &NONE);
	got = travel(&t);
	cr_expect_eq(got.head.first_page, 3);
	cr_expect_eq(got.head.n_pages, 6);
	cr_expect_eq(got.head.n_rules, 4);
	/* none, A, B; B; A, none; none; none, A; A */
	cr_expect_eq(got.head.n_rows, 3 + 1 + 2 + 0 + 2 + 1);
	cr_expect_eq(got.pages[3].n, 0);
	expect_rule(&got, 0x2ffff, "-");
	expect_rule(&got, 0x30000, "none");
	expect_rule(&got, 0x30fff, "none");
	expect_rule(&got, 0x31000, "sp+8 ra-8");
	expect_rule(&got, 0x31001, "sp+16 ra-8");
	expect_rule(&got, 0x4ffff, "sp+16 ra-8");
	expect_rule(&got, 0x50000, "sp+8 ra-8");
	expect_rule(&got, 0x5ffff, "none");
	expect_rule(&got, 0x6ffff, "-");
	expect_rule(&got, 0x7000f, "none");
	expect_rule(&got, 0x8ffff, "sp+8 ra-8");
	expect_rule(&got, 0x90000, "-");
	expect_rule(&got, UINT64_MAX, "-");
	unwind_table__done(&got);
}

Test(cfi_table, neighbours_are_merged)
{
	struct unwind_table got;
	struct cfi_table t;

	cfi_table__init(&t);
	cfi_table__add(&t, 0, &A);
	cfi_table__add(&t, 4, &A);
	cfi_table__add(&t, 8, &B);
	cfi_table__add(&t, 8, &A); /* says it again: the last one counts */
	cfi_table__add(&t, 12, &BAD);
	cfi_table__add(&t, 12, &B);
	cfi_table__add(&t, 16, &BAD);
	cfi_table__add(&t, 0x10000, &NONE);
	got = travel(&t);
	cr_expect_eq(got.head.n_rows, 3);
	cr_expect_eq(got.head.n_unsupported, 1);
	cr_expect_eq(got.head.n_pages, 1);
	unwind_table__done(&got);
}

Test(cfi_table, rules_have_a_limit)
{
	struct pmb_unwind_rule rule = A;
	struct unwind_table got;
	struct cfi_table t;

	cfi_table__init(&t);
	for (int i = 0; i < PMB_UNWIND_RULE_MAX + 10; i++) {
		rule.cfa_off = 8 * i;
		cfi_table__add(&t, 4 * (uint64_t)i, &rule);
	}
	cfi_table__add(&t, 1 << 20, &A); /* that one is known */
	cfi_table__add(&t, 2 << 20, &NONE);
	got = travel(&t);
	cr_expect_eq(got.head.n_rules, PMB_UNWIND_RULE_MAX);
	expect_rule(&got, 4 * 65533, "sp+524264 ra-8");
	expect_rule(&got, 4 * 65534, "unsupported");
	expect_rule(&got, 4 * 65540, "unsupported");
	expect_rule(&got, 1 << 20, "sp+8 ra-8");
	unwind_table__done(&got);
}

Test(cfi_table, code_has_a_limit)
{
	struct pmb_table_head head;
	struct cfi_table t;

	cfi_table__init(&t);
	cfi_table__add(&t, 0x1000, &A);
	cfi_table__add(&t, 1ULL << 40, &B);
	cr_expect_eq(cfi_table__finish(&t, &head), -EFBIG);
	cfi_table__done(&t);
	cfi_table__init(&t);
	cfi_table__add(&t, 1ULL << 60, &A);
	cr_expect_eq(cfi_table__finish(&t, &head), -EFBIG);
	cfi_table__done(&t);
}

struct bytes {
	struct pmb_table_head head;
	struct pmb_unwind_page pages[3];
	struct pmb_unwind_rule rules[2];
	__u32 rows[4];
};

static struct bytes good(void)
{
	return (struct bytes){
		.head = {.magic = PMB_TABLE_MAGIC, .n_pages = 3, .n_rules = 2, .n_rows = 4},
		.pages = {{.first = 0, .n = 3}, {.first = 3, .n = 0}, {.first = 3, .n = 1}},
		.rows = {PMB_ROW(0, 1), PMB_ROW(1, 0), PMB_ROW(0xffff, 1), PMB_ROW(0, 1)},
	};
}

#define REFUSED(change)                                                                   \
	do {                                                                              \
		struct bytes b = good();                                                  \
		struct unwind_table got;                                                  \
                                                                                          \
		change;                                                                   \
		cr_expect_eq(unwind_table__check(&b, sizeof(b), &got), -EPROTO, #change); \
	} while (0)

Test(unwind_table, good_ones_pass)
{
	struct bytes b = good();
	struct unwind_table got;

	_Static_assert(sizeof(struct bytes) == 32 + 24 + 32 + 16, "no padding");
	cr_assert_eq(unwind_table__check(&b, sizeof(b), &got), 0);
	cr_expect_eq(unwind_table__check(&b, sizeof(b) - 1, &got), -EPROTO);
	cr_expect_eq(unwind_table__check(&b, 31, &got), -EPROTO);
	cr_expect_eq(unwind_table__check(&b, 0, &got), -EPROTO);
}

Test(unwind_table, others_do_not)
{
	REFUSED(b.head.magic++);
	REFUSED(b.head.n_rows++);
	REFUSED(b.head.n_rows = UINT32_MAX);
	REFUSED(b.head.n_pages = UINT32_MAX);
	REFUSED(b.head.n_rules = UINT32_MAX);
	REFUSED(b.head.first_page = UINT32_MAX - 2);
	REFUSED(b.pages[0].n--);
	REFUSED(b.pages[0].n++);
	REFUSED(b.pages[0].n = UINT32_MAX);
	REFUSED(b.pages[0].first = UINT32_MAX);
	REFUSED(b.pages[1].first = 0);
	REFUSED(b.pages[2].first = 0; b.pages[2].n = 4);
	REFUSED(b.pages[2].n = 0);
	REFUSED(b.rows[0] = PMB_ROW(1, 0));
	REFUSED(b.rows[1] = PMB_ROW(0, 0));
	REFUSED(b.rows[2] = PMB_ROW(1, 0));
	REFUSED(b.rows[3] = PMB_ROW(0, 2));
	REFUSED(b.rules[0].cfa = PMB_N_CFA);
	REFUSED(b.rules[1].fp = PMB_N_FP);
	REFUSED(b.rules[1].ra = PMB_N_RA);
	REFUSED(b.rules[1].reg = PMB_UNWIND_REGS);
}

Test(unwind_table, what_is_read_is_whole)
{
	struct bytes b = good();
	struct unwind_table got;
	int fds[2], fd;

	fd = in_memory(&b, sizeof(b));
	cr_expect_eq(unwind_table__read(fd, &got), 0);
	unwind_table__done(&got);
	close(fd);
	fd = in_memory(&b, sizeof(b) - 4);
	cr_expect_eq(unwind_table__read(fd, &got), -EPROTO);
	close(fd);
	fd = in_memory(&b, 0);
	cr_expect_eq(unwind_table__read(fd, &got), -EPROTO);
	close(fd);
	cr_assert_eq(pipe(fds), 0);
	cr_expect_eq(unwind_table__read(fds[0], &got), -EPROTO);
	fd = open("/proc/self/exe", O_RDONLY);
	cr_expect_eq(unwind_table__read(fd, &got), -EPROTO);
	close(fd);
	close(fds[0]);
	close(fds[1]);
}

static void scribble(int fd, size_t size)
{
	uint64_t random = 4711;

	for (;;) {
		uint32_t word;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		word = (uint32_t)(random >> 60);
		if (random % 97 == 0 && ftruncate(fd, (off_t)(random >> 32) % (off_t)size) < 0)
			_exit(1);
		if (pwrite(fd, &word, sizeof(word), (off_t)((random >> 32) % size & ~3)) < 0)
			_exit(1);
	}
}

/* The helper that wrote it may go on; what was accepted is still good afterwards. */
Test(unwind_table, what_changes_while_it_is_read)
{
	enum { READINGS = 20000 };
	struct bytes b = good();
	int fd = in_memory(&b, sizeof(b)), accepted = 0;
	pid_t child = fork();

	cr_assert_geq(child, 0);
	if (child == 0)
		scribble(fd, sizeof(b));
	for (int i = 0; i < READINGS; i++) {
		struct unwind_table got, again;

		if (i % 4 == 0)
			cr_assert_eq(pwrite(fd, &b, sizeof(b), 0), (ssize_t)sizeof(b));
		if (unwind_table__read(fd, &got) < 0)
			continue;
		accepted++;
		cr_assert_eq(unwind_table__check(got.memory, unwind_table__bytes(&got.head),
						 &again),
			     0);
		unwind_table__done(&got);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);
	cr_expect(accepted > 0);
}
