// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who gets its table when. The helpers are made up: what a file begins with says what they do with
 * it, and those that wait are told to go on, so what is tested is the order, at any speed.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fair_room.h"
#include "base/mem.h"
#include "fake_helper.h"
#include "opener/opener.h"
#include "proc/files.h"
#include "symd/protocol.h"
#include "sys/clock.h"
#include "sys/limits.h"
#include "unwind/tables.h"

enum {
	LARGE_BYTES = (16 << 20) + 1,
	SMALL_BYTES = 16 << 20,
	N_RULES = 15900,    /* of the files 'T': room is for eight of these… */
	MOST_RULES = 16300, /* …of 'M' */
	SOME_RULES = 3500,  /* …of 'S': what the eight leave, almost */
	FILES_MOST = 32,
};

/* What the helpers share with us. */
static struct {
	_Atomic int asked; /* times that one began to wait */
	_Atomic int go;    /* they wait no more */
} * shared;

static char dir[] = "/tmp/pmb-tables.XXXXXX";
static unsigned n_made;
static struct pmb_code *code;
static struct pmb_mappings *mappings;
static struct pmb_chunk *chunks[PMB_CHUNKS_MAX];
static struct store *store;
static struct files *files;
static struct runtimes *runtimes;
static struct tables *tables;

static struct pmb_chunk *new_chunk(void *ctx, uint32_t index)
{
	(void)ctx;
	return chunks[index] = xcalloc(1, sizeof(struct pmb_chunk));
}

static unsigned n_runtimes; /* that were told of */

static int set_runtime(void *ctx, uint32_t number, const struct pmb_runtime *runtime)
{
	(void)ctx, (void)number, (void)runtime;
	n_runtimes++;
	return 0;
}

/* One row, and as many rules as there are. */
static void put_table(int fd, __u32 n_rules)
{
	const struct pmb_table_head head = {.magic = PMB_TABLE_MAGIC,
					    .n_pages = 1,
					    .n_rules = n_rules,
					    .n_rows = 1};
	const struct pmb_unwind_page page = {0, 1};
	static const struct pmb_unwind_rule rules[MOST_RULES];
	const __u32 row = PMB_ROW(0, 0);

	cr_assert(write(fd, &head, sizeof(head)) > 0 && write(fd, &page, sizeof(page)) > 0 &&
		  write(fd, rules, n_rules * sizeof(*rules)) > 0 &&
		  write(fd, &row, sizeof(row)) > 0);
}

/* No row, and a runtime: what is said of a large file first. */
static void put_runtime(int fd)
{
	const struct pmb_table_head head = {.magic = PMB_TABLE_MAGIC,
					    .has_runtime = PMB_RUNTIME_V8};
	const struct pmb_runtime runtime = {.v8 = {.function_shared = 8, .shared_size = 8}};

	cr_assert(write(fd, &head, sizeof(head)) > 0 && write(fd, &runtime, sizeof(runtime)) > 0);
}

static void wait_for_go(void)
{
	shared->asked++;
	while (!shared->go)
		sched_yield(); /* one that sleeps would be given up */
}

static uint8_t work_on(int fd, bool describe, uint64_t most, int into)
{
	struct stat st;
	__u32 n_rules;
	char how = 0;

	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size > most)
		return SYMD_TABLE_LARGE;
	if (describe) {
		put_runtime(into);
		return SYMD_TABLE_BUILT;
	}
	if (pread(fd, &how, 1, 0) == 1 && how != 'F')
		wait_for_go();
	n_rules = how == 'T' ? N_RULES : how == 'M' ? MOST_RULES : how == 'S' ? SOME_RULES : 0;
	if (n_rules)
		put_table(into, n_rules);
	return n_rules    ? SYMD_TABLE_BUILT :
	       how == 'N' ? SYMD_TABLE_OTHER_MACHINE :
			    SYMD_TABLE_BAD_FILE;
}

static int helper(int sock)
{
	struct fake_request r = {.into = -1};
	struct buf b = {0};

	say_hello(sock);
	while (next_request(sock, &r)) {
		_cleanup_close_ int lent = r.fd;
		uint64_t from, to, most;

		if (r.header.type != SYMD_BUILD_TABLE)
			continue;
		from = cursor__u64(&r.body);
		to = cursor__u64(&r.body);
		most = cursor__u64(&r.body);
		symd_msg__begin(&b, r.header.type, r.header.seq);
		symd_msg__put_u8(&b, work_on(lent, from == to, most, r.into));
		symd_msg__end(&b);
		symd_msg__send(sock, &b, -1, 0);
	}
	buf__done(&b);
	return 0;
}

static void begin(void)
{
	struct store_memory memory = {.new_chunk = new_chunk};

	cr_assert_not_null(mkdtemp(dir));
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory.code = code = xcalloc(1, sizeof(*code));
	memory.mappings = mappings = xcalloc(1, sizeof(*mappings));
	store = store__new(&memory, 1 << 20);
	files = files__new(NULL);
	runtimes = runtimes__new(files, set_runtime, NULL);
	tables = tables__new(store, files, runtimes, helper);
}

static char *path_of(unsigned number)
{
	return xasprintf("%s/%u", dir, number);
}

static void end(void)
{
	tables__free(tables);
	runtimes__free(runtimes);
	files__free(files);
	store__free(store);
	for (int i = 0; i < PMB_CHUNKS_MAX; i++)
		free(chunks[i]);
	free(code);
	free(mappings);
	for (unsigned i = 0; i < n_made; i++) {
		_cleanup_free_ char *path = path_of(i);

		unlink(path);
	}
	rmdir(dir);
}

TestSuite(tables, .init = begin, .fini = end, .timeout = 60);

/* The number of a new file that begins with how; *ret_fd, if wanted, is the caller's. */
static uint32_t new_file(char how, off_t bytes, int *ret_fd)
{
	_cleanup_free_ char *path = path_of(n_made++);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const struct fair_who who = {(uint64_t)getpid(), 1};
	struct mapped_file which = {.path = path};
	struct stat st;
	uint32_t number;

	cr_assert_eq(pwrite(fd, &how, 1, 0), 1);
	cr_assert_eq(ftruncate(fd, bytes), 0);
	cr_assert_eq(fstat(fd, &st), 0);
	which.inode = st.st_ino;
	number = files__elf(files, &which, &who);
	cr_assert(files__pin(files, number, &who, 0x1000, 0x2000));
	cr_assert_geq(files__get(files, number)->fd, 0);
	if (ret_fd)
		*ret_fd = TAKE_FD(fd);
	return store__number(store, number, 0);
}

static void want(uint32_t number, unsigned samples)
{
	while (samples--)
		cr_assert(tables__want(tables, number, 1));
}

static void work(void)
{
	tables__work(tables);
	usleep(1000);
}

static void work_until_answered(uint32_t number)
{
	while (tables__waits(tables, number))
		work();
}

static void work_until_asked(int times)
{
	while (shared->asked < times)
		work();
}

Test(tables, a_small_file_does_not_wait_for_a_large_one)
{
	uint32_t large = new_file('W', LARGE_BYTES, NULL);
	uint32_t small = new_file('F', SMALL_BYTES, NULL);

	want(large, 9);
	work_until_asked(1);
	want(small, 1);
	work_until_answered(small);
	cr_expect_eq(store__state(store, small), PMB_FILE_FRAMES);
	cr_expect(tables__waits(tables, large), "the small one was answered after the large one");
	cr_expect_eq(tables__n_helpers(tables), 2);
	cr_expect_eq(n_runtimes, 1, "its runtime is known before it has a table");
	shared->go = 1;
	work_until_answered(large);
	cr_expect_eq(store__state(store, large), PMB_FILE_FRAMES);
	cr_expect_not(tables__busy(tables));
}

/* Nor for a small one, whose table takes long: that is the other helper's then. */
Test(tables, a_small_file_does_not_wait_for_a_slow_one)
{
	uint32_t slow = new_file('W', SMALL_BYTES, NULL);
	uint32_t small = new_file('F', SMALL_BYTES, NULL);

	want(slow, 9);
	work_until_asked(1);
	want(small, 1);
	work_until_answered(small);
	cr_expect_eq(store__state(store, small), PMB_FILE_FRAMES);
	cr_expect(tables__waits(tables, slow), "the other one was answered after the slow one");
	cr_expect_eq(tables__n_helpers(tables), 2);
	shared->go = 1;
	work_until_answered(slow);
	cr_expect_eq(store__state(store, slow), PMB_FILE_FRAMES, "it is made all the same");
	cr_expect_null(tables__set_aside(tables)->list);
	cr_expect_not(tables__busy(tables));
}

/* Parts of one large file, too: only the first one asks whose it is. */
Test(tables, a_large_file_waits_for_another_large_one)
{
	uint32_t first = new_file('W', LARGE_BYTES, NULL);
	uint32_t second = new_file('F', LARGE_BYTES, NULL), small;

	want(first, 9);
	work_until_asked(1);
	want(second, 9);
	/* each was answered first that it is large, or the small one would not have its turn */
	small = new_file('F', 1, NULL);
	want(small, 1);
	work_until_answered(small);
	cr_expect(tables__waits(tables, second));
	shared->go = 1;
	work_until_answered(second);
	cr_expect_not(tables__waits(tables, first));
}

/* Nor does it get one. */
Test(tables, which_runtime_a_file_is_needs_no_sample)
{
	uint32_t small = new_file('W', SMALL_BYTES, NULL), large = new_file('W', LARGE_BYTES, NULL);

	tables__met(tables, small);
	tables__met(tables, large);
	tables__met(tables, small);
	cr_expect(tables__undescribed(tables));
	while (tables__undescribed(tables))
		work();
	cr_expect_eq(n_runtimes, 2);
	cr_expect_eq(shared->asked, 0, "a table was asked for");
	cr_expect_eq(tables__n_helpers(tables), 1);
	cr_expect_not(tables__busy(tables));
	tables__met(tables, large);
	cr_expect_not(tables__undescribed(tables), "it was asked about already");
}

/* Whoever maps file after file doesn't hold up those that samples hit. */
Test(tables, tables_and_descriptions_take_turns)
{
	uint32_t met[8], hit = new_file('F', 1, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(met); i++) {
		met[i] = new_file('F', 1, NULL);
		tables__met(tables, met[i]);
	}
	want(hit, 1);
	work_until_answered(hit);
	cr_expect_leq(n_runtimes, 1);
	while (tables__undescribed(tables))
		work();
	cr_expect_eq(n_runtimes, ARRAY_SIZE(met));
}

Test(tables, what_nobody_can_say_is_not_asked_again)
{
	uint32_t gone = new_file('F', 1, NULL), other;

	tables__met(tables, gone);
	files__sweep(files);
	tables__swept(tables);
	other = new_file('F', 1, NULL);
	cr_assert_eq(other, gone);
	tables__met(tables, other);
	while (tables__undescribed(tables))
		work();
	cr_expect_eq(n_runtimes, 1, "of the one that has the number now");
}

Test(tables, the_second_helper_is_started_for_large_files_alone)
{
	uint32_t number = new_file('F', SMALL_BYTES, NULL);

	want(number, 1);
	work_until_answered(number);
	cr_expect_eq(tables__n_helpers(tables), 1);
	cr_expect_lt(tables__fd(tables, 1), 0);
}

/* What counts is how large it is when it is looked at, not when it was met. */
Test(tables, a_file_that_has_grown)
{
	int fd;
	uint32_t number = new_file('F', SMALL_BYTES, &fd);

	cr_assert_eq(ftruncate(fd, LARGE_BYTES), 0);
	want(number, 1);
	work_until_answered(number);
	cr_expect_eq(store__state(store, number), PMB_FILE_FRAMES);
	cr_expect_eq(tables__n_helpers(tables), 2);
	close(fd);
}

/* While a table is made its file is forgotten, and another one gets its number. */
Test(tables, the_answer_is_not_for_whoever_has_the_number_by_then)
{
	uint32_t gone = new_file('N', LARGE_BYTES, NULL), other;

	want(gone, 1);
	work_until_asked(1);
	files__sweep(files);
	tables__swept(tables);
	cr_expect_not(tables__busy(tables));
	other = new_file('F', SMALL_BYTES, NULL);
	cr_assert_eq(other, gone);
	want(other, 1);
	work_until_answered(other);
	cr_expect_eq(store__state(store, other), PMB_FILE_FRAMES);
	shared->go = 1;
	while (tables__fd(tables, 1) >= 0)
		work();
	cr_expect_eq(store__state(store, other), PMB_FILE_FRAMES);
	cr_expect_eq(tables__totals(tables)->failed, 0);
}

/* A volume of it is not kept busy by a helper that never had it. */
Test(tables, what_is_let_go_while_a_helper_is_busy)
{
	_cleanup_close_ int large_fd = -1, small_fd = -1;
	uint32_t large = new_file('N', LARGE_BYTES, &large_fd), small;
	unsigned long open_before;

	want(large, 1);
	work_until_asked(1);
	small = new_file('F', SMALL_BYTES, &small_fd);
	want(small, 1);
	work_until_answered(small);
	open_before = fds_open();
	tables__let_go(tables, small, small_fd);
	cr_expect_eq(fds_open(), open_before);
	tables__let_go(tables, large, large_fd);
	cr_expect_eq(fds_open(), open_before + 1, "until it listens");
	shared->go = 1;
	work_until_answered(large);
	cr_expect_eq(fds_open(), open_before - 1, "what its table would have gone into, too");
}

static void fill_room(void)
{
	for (int i = 0; i < PMB_RULES_MAX / N_RULES; i++) {
		uint32_t number = new_file('T', 1, NULL);

		want(number, 1);
		work_until_answered(number);
		cr_assert_eq(store__state(store, number), PMB_FILE_TABLE);
	}
}

/* Another cgroup's table gets the room of one of eight, and what is free behind it: not even what
 * is small comes between. */
Test(tables, room_that_is_being_made)
{
	static bool used[FILES_MOST];
	uint32_t most, some;

	memset(used, true, sizeof(used));
	shared->go = 1;
	fill_room();
	most = new_file('M', 1, NULL);
	cr_assert(tables__want(tables, most, 2));
	while (!tables__crowded(tables))
		work();
	tables__make_room(tables, used, FILES_MOST);
	some = new_file('S', 1, NULL);
	want(some, 1);
	while (store__state(store, most) != PMB_FILE_TABLE && tables__waits(tables, most)) {
		cr_assert_neq(store__state(store, some), PMB_FILE_TABLE);
		store__tick(store, now_ns());
		work();
	}
	cr_expect_eq(store__state(store, most), PMB_FILE_TABLE);
	cr_expect_eq(tables__totals(tables)->no_room, 0);
}

/* Both helpers bring a table at the same time, and there is room for neither. */
Test(tables, two_that_find_no_room_at_once)
{
	static bool used[FILES_MOST];
	uint32_t small, large;
	struct pollfd fds[TABLES_HELPERS];

	memset(used, true, sizeof(used));
	shared->go = 1;
	fill_room();
	shared->go = shared->asked = 0;
	large = new_file('T', LARGE_BYTES, NULL);
	want(large, 1);
	work_until_asked(1);
	small = new_file('T', SMALL_BYTES, NULL);
	want(small, 1);
	work_until_asked(2);
	for (size_t i = 0; i < TABLES_HELPERS; i++)
		fds[i] = (struct pollfd){.fd = tables__fd(tables, i), .events = POLLIN};
	shared->go = 1;
	for (size_t i = 0; i < TABLES_HELPERS; i++)
		cr_assert_eq(poll(&fds[i], 1, -1), 1);
	work();
	cr_assert(tables__crowded(tables));
	while (tables__busy(tables)) {
		if (tables__crowded(tables))
			tables__make_room(tables, used, FILES_MOST);
		work();
	}
	cr_expect_eq(store__state(store, small), PMB_FILE_NEVER);
	cr_expect_eq(store__state(store, large), PMB_FILE_NEVER);
	cr_expect_eq(tables__totals(tables)->no_room, 2);
}
