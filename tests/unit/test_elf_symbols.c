// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Symbols out of ELF files: this program itself, copies of it that were stripped, split and
 * damaged, and tables in memory.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "sym/debug_file.h"
#include "sys/open.h"
#include "sym/sym.h"
#include "symd/elf_file.h"
#include "symd/symd.h"

enum { TIMEOUT_MS = 20000 };

static char dir[] = "/tmp/pmubpf-test-XXXXXX";
static char self_path[4096]; /* for other programs, to which /proc/self/exe is themselves */

/* Local, so it's not in .dynsym; what stripping takes away. */
static __attribute__((noinline)) int known_static_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void make_dir(void)
{
	cr_assert_not_null(mkdtemp(dir));
	cr_assert_gt(readlink("/proc/self/exe", self_path, sizeof(self_path) - 1), 0);
	cr_assert_eq(known_static_function(1), 2);
}

static void remove_dir(void)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(elf, .init = make_dir, .fini = remove_dir, .timeout = 120);

struct place {
	const char *object; /* part of the path, "" for this program */
	uintptr_t addr;
	uint64_t file_off, vaddr;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *p = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || p->addr < start || p->addr - start >= ph->p_filesz)
			continue;
		p->vaddr = p->addr - info->dlpi_addr;
		p->file_off = p->addr - start + ph->p_offset;
		p->object = info->dlpi_name;
		return 1;
	}
	return 0;
}

static struct place place_of(const void *code)
{
	struct place p = {.addr = (uintptr_t)code};

	cr_assert_eq(dl_iterate_phdr(find_place, &p), 1);
	return p;
}

static char *in_dir(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* Runs a tool; false if it's missing or fails. */
static bool run(const char *const *argv)
{
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ))
		return false;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	return fd;
}

/* All of a file, in memory. */
static uint8_t *slurp(int fd, size_t *ret_len)
{
	struct stat st;
	uint8_t *bytes;

	cr_assert_eq(fstat(fd, &st), 0);
	bytes = xcalloc(1, (size_t)st.st_size);
	cr_assert_eq(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	*ret_len = (size_t)st.st_size;
	return bytes;
}

static int memory_file(const void *bytes, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static bool is_named(const struct segment *s, const char *name)
{
	return s && s->len == strlen(name) && !memcmp(s->name, name, s->len);
}

static void expect_named(struct elf_file *f, uint64_t file_off, const char *name)
{
	const struct segment *s;
	uint64_t vaddr;

	cr_assert(elf_file__vaddr(f, file_off, &vaddr));
	s = elf_file__find(f, vaddr);
	cr_expect(is_named(s, name), "%s is named %.*s", name, s ? (int)s->len : 1,
		  s ? s->name : "-");
}

Test(elf, this_program)
{
	struct place p = place_of(known_static_function);
	struct elf_identity id;
	struct elf_file *f;
	uint64_t vaddr;

	cr_assert_eq(elf_file__open(open_self(), &f), 0);
	elf_file__identity(f, &id);
	cr_assert(id.has_symtab);
	cr_assert(elf_file__vaddr(f, p.file_off, &vaddr));
	cr_assert_eq(vaddr, p.vaddr);
	expect_named(f, p.file_off, "known_static_function");
	expect_named(f, p.file_off + 1, "known_static_function");
	expect_named(f, place_of(elf_file__open).file_off + 4, "elf_file__open");
	cr_assert(!elf_file__vaddr(f, 1ULL << 62, &vaddr));
	elf_file__free(f);
}

Test(elf, the_c_library_has_dynamic_symbols)
{
	struct place p = place_of(getauxval);
	struct elf_file *f;

	cr_assert_eq(elf_file__open(open(p.object, O_RDONLY | O_CLOEXEC), &f), 0);
	expect_named(f, p.file_off, "getauxval");
	expect_named(f, place_of(gnu_get_libc_version).file_off, "gnu_get_libc_version");
	elf_file__free(f);
}

static struct sym *new_sym(void)
{
	struct sym *sym = NULL;

	cr_assert_eq(sym__new_with(&sym, symd_main, TIMEOUT_MS, NULL), 0);
	return sym;
}

/* This program's own stubs, in whichever form its linker made them. */
Test(elf, stubs_have_names)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct sym *sym = new_sym();
	_cleanup_close_ int fd = open_self();
	struct sym_file file = {.fd = fd, .root_fd = -1};
	uint64_t start = place_of(known_static_function).file_off & ~0xfffULL, offsets[2048];
	struct sym_name got[2048];
	size_t stubs = 0;

	/* They stand before the code, in the same segment; how far depends on the compiler's options. */
	start += 0x4000;
	while (!stubs && start > 0x8000) {
		start -= 0x8000;
		for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
			offsets[i] = start + i * 16;
		sym__elf(sym, &file, offsets, ARRAY_SIZE(offsets), got);
		for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
			stubs += got[i].frame.name && !strcmp(got[i].frame.name, "readlink@plt");
			sym_name__done(&got[i]);
		}
	}
	sym__free(sym);
	cr_assert_geq(stubs, 1);
#else
	cr_skip_test("stubs are decoded on x86-64 and arm64");
#endif
}

Test(elf, the_vdso)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *ehdr = (const void *)vdso;
	struct elf_file *f;
	size_t len, named = 0;

	if (!vdso)
		cr_skip_test("no vDSO in this process");
	len = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	cr_assert_eq(elf_file__open(memory_file(vdso, len), &f), 0);
	for (uint64_t off = 0; off < len; off++) {
		uint64_t vaddr;

		named += elf_file__vaddr(f, off, &vaddr) && elf_file__find(f, vaddr);
	}
	elf_file__free(f);
	cr_assert_gt(named, 100);
}

/* What the whole client makes of a file. */
static struct sym_name ask(struct sym *sym, const char *path, int root_fd, const char *seen_as,
			   uint64_t file_off)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sym_file file = {.fd = fd, .root_fd = root_fd, .path = seen_as};
	struct sym_name got;

	cr_assert_geq(fd, 0);
	sym__elf(sym, &file, &file_off, 1, &got);
	return got;
}

static void expect_answer(struct sym_name got, enum sym_reason reason, const char *name)
{
	cr_expect_eq(got.reason, reason, "%s", sym_reason_keys[got.reason]);
	cr_expect(name ? got.frame.name && !strcmp(got.frame.name, name) : !got.frame.name, "%s",
		  got.frame.name);
	sym_name__done(&got);
}

Test(elf, stripped_and_minidebuginfo)
{
	struct place p = place_of(known_static_function);
	_cleanup_free_ char *bare = in_dir("bare"), *mini = in_dir("mini"), *xz = in_dir("mini.xz");
	_cleanup_free_ char *add = xasprintf(".gnu_debugdata=%s", xz);
	_cleanup_free_ char *both = in_dir("both");
	struct sym *sym = new_sym();
	struct sym_name got;

	if (!RUN("strip", "-o", bare, self_path))
		cr_skip_test("no strip");
	got = ask(sym, bare, -1, NULL, p.file_off);
	cr_assert_eq(got.vaddr, p.vaddr);
	expect_answer(got, SYM_NO_SYMBOL, NULL);

	if (!RUN("objcopy", "--only-keep-debug", "--strip-debug", self_path, mini) ||
	    !RUN("xz", "-f", mini) || !RUN("objcopy", "--add-section", add, bare, both))
		cr_skip_test("no objcopy or xz");
	expect_answer(ask(sym, both, -1, NULL, p.file_off), SYM_NAMED, "known_static_function");
	cr_assert_eq(sym__failures(sym), 0);
	sym__free(sym);
}

static void make_parents(char *path)
{
	char *slash = path + strlen(dir);

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static char *build_id_path(void)
{
	struct elf_identity id;
	struct elf_file *f;
	struct buf path = {0};

	cr_assert_eq(elf_file__open(open_self(), &f), 0);
	elf_file__identity(f, &id);
	if (id.build_id_len) {
		buf__printf(&path, "%s/usr/lib/debug/.build-id/%02x/", dir, id.build_id[0]);
		for (size_t i = 1; i < id.build_id_len; i++)
			buf__printf(&path, "%02x", id.build_id[i]);
		buf__puts(&path, ".debug");
	}
	elf_file__free(f);
	return buf__take(&path);
}

Test(elf, debug_file_by_build_id_in_the_programs_root)
{
	struct place p = place_of(known_static_function);
	_cleanup_free_ char *bare = in_dir("bare"), *debug = build_id_path();
	_cleanup_close_ int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sym *sym = new_sym();

	if (!*debug)
		cr_skip_test("built without a build id");
	make_parents(debug);
	if (!RUN("strip", "-o", bare, self_path) ||
	    !RUN("objcopy", "--only-keep-debug", self_path, debug))
		cr_skip_test("no strip or objcopy");
	expect_answer(ask(sym, bare, root, NULL, p.file_off), SYM_NAMED, "known_static_function");
	expect_answer(ask(sym, bare, -1, NULL, p.file_off), SYM_NO_SYMBOL, NULL);

	/* A file of that name that is another program's. */
	cr_assert_eq(truncate(debug, 0), 0);
	expect_answer(ask(sym, bare, root, NULL, p.file_off), SYM_NO_SYMBOL, NULL);
	/* A FIFO of that name must not be waited for. */
	cr_assert_eq(unlink(debug), 0);
	cr_assert_eq(mkfifo(debug, 0644), 0);
	expect_answer(ask(sym, bare, root, NULL, p.file_off), SYM_NO_SYMBOL, NULL);
	cr_assert_eq(sym__failures(sym), 0);
	sym__free(sym);
}

Test(elf, debug_file_by_link_and_crc)
{
	struct place p = place_of(known_static_function);
	_cleanup_free_ char *bare = in_dir("app/bare"), *debug = in_dir("app/.debug/bare.dbg");
	_cleanup_free_ char *link = xasprintf("--add-gnu-debuglink=%s", debug);
	_cleanup_close_ int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sym *sym = new_sym();
	int fd;

	make_parents(debug);
	if (!RUN("objcopy", "--only-keep-debug", "--remove-section=.note.gnu.build-id", self_path,
		 debug) ||
	    !RUN("objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", link, self_path,
		 bare))
		cr_skip_test("no objcopy");
	expect_answer(ask(sym, bare, root, "/app/bare", p.file_off), SYM_NAMED,
		      "known_static_function");
	expect_answer(ask(sym, bare, root, "/elsewhere/bare", p.file_off), SYM_NO_SYMBOL, NULL);
	expect_answer(ask(sym, bare, root, "relative", p.file_off), SYM_NO_SYMBOL, NULL);
	expect_answer(ask(sym, bare, root, "/x/../app/bare", p.file_off), SYM_NO_SYMBOL, NULL);

	/* One byte more: the CRC is another. */
	fd = open(debug, O_WRONLY | O_APPEND | O_CLOEXEC);
	cr_assert_eq(write(fd, "x", 1), 1);
	close(fd);
	expect_answer(ask(sym, bare, root, "/app/bare", p.file_off), SYM_NO_SYMBOL, NULL);
	cr_assert_eq(sym__failures(sym), 0);
	sym__free(sym);
}

Test(elf, opening_stays_inside_the_root)
{
	_cleanup_free_ char *inside = in_dir("etc"), *secret = in_dir("etc/shadow");
	_cleanup_free_ char *trap = in_dir("trap"), *deep = in_dir("deep");
	_cleanup_close_ int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	char text[8] = "";

	cr_assert_eq(symlink("/etc/hostname", trap), 0);
	cr_assert_eq(open_regular(root, "/trap"), -ENOENT, "a link points into the root");
	cr_assert_eq(open_regular(root, "/../../../../etc/hostname"), -ENOENT);
	cr_assert_eq(open_regular(root, "/"), -EINVAL, "a directory is no file");
	cr_assert_eq(mkdir(inside, 0755), 0);
	fd = open(secret, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	cr_assert_eq(write(fd, "mine", 4), 4);
	close(fd);
	cr_assert_eq(symlink("../../../etc/shadow", deep), 0);
	fd = open_regular(root, "/deep");
	cr_assert_geq(fd, 0);
	cr_assert_eq(read(fd, text, sizeof(text)), 4);
	cr_assert_str_eq(text, "mine");
}

/* Asks here and there; whatever the answer, there must be one and no crash. */
static void torture(const uint8_t *bytes, size_t len)
{
	struct elf_file *f;
	uint64_t vaddr;

	if (elf_file__open(memory_file(bytes, len), &f) < 0)
		return;
	for (uint64_t off = 0; off < len; off += 4099) {
		if (elf_file__vaddr(f, off, &vaddr))
			elf_file__find(f, vaddr);
	}
	elf_file__find(f, UINT64_MAX);
	elf_file__free(f);
}

Test(elf, truncated_anywhere)
{
	_cleanup_close_ int fd = open_self();
	size_t len;
	_cleanup_free_ uint8_t *bytes = slurp(fd, &len);

	for (size_t cut = 0; cut < 200; cut++)
		torture(bytes, cut);
	for (size_t cut = 0; cut < 100; cut++)
		torture(bytes, len / 100 * cut);
}

/* Random bytes in the headers, where all sizes and offsets are claimed; the seed is fixed. */
Test(elf, damaged_headers)
{
	_cleanup_close_ int fd = open_self();
	size_t len;
	_cleanup_free_ uint8_t *bytes = slurp(fd, &len);
	_cleanup_free_ uint8_t *copy = xmemdup(bytes, len);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)bytes;
	size_t table = ehdr->e_shnum * sizeof(Elf64_Shdr);
	uint32_t seed = 1;

	for (int i = 0; i < 400; i++) {
		memcpy(copy, bytes, len);
		for (int n = 0; n < 6; n++) {
			size_t at;

			seed = seed * 1664525 + 1013904223;
			at = n % 2 ? (seed >> 8) % 1024 : ehdr->e_shoff + (seed >> 8) % table;
			copy[at < len ? at : 0] = n % 3 ? 0xff : (uint8_t)(seed >> 24);
		}
		torture(copy, len);
	}
}

Test(elf, what_is_no_elf_file)
{
	int pipes[2];
	struct elf_file *f;

	cr_assert_eq(elf_file__open(memory_file("", 0), &f), -EINVAL);
	cr_assert_eq(elf_file__open(memory_file("\177ELF", 4), &f), -EINVAL);
	cr_assert_eq(elf_file__open(memory_file("!<arch>\n", 8), &f), -EINVAL);
	cr_assert_eq(elf_file__open(open("/tmp", O_RDONLY | O_CLOEXEC), &f), -EINVAL);
	cr_assert_eq(elf_file__open(open("/dev/zero", O_RDONLY | O_CLOEXEC), &f), -EINVAL);
	cr_assert_eq(elf_file__open(-1, &f), -EINVAL);
	cr_assert_eq(pipe(pipes), 0);
	cr_assert_eq(elf_file__open(pipes[0], &f), -EINVAL);
	close(pipes[1]);
}

/* A .symtab that claims 2^62 bytes, in a file that really is large (and sparse). */
Test(elf, enormous_claims_in_a_sparse_file)
{
	_cleanup_close_ int self = open_self();
	size_t len;
	_cleanup_free_ uint8_t *bytes = slurp(self, &len);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)bytes;
	uint8_t *sections = bytes + ehdr->e_shoff;
	struct elf_file *f;
	int fd;

	for (unsigned i = 0; i < ehdr->e_shnum; i++) {
		Elf64_Shdr shdr;

		memcpy(&shdr, sections + i * sizeof(shdr), sizeof(shdr));
		if (shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_NOTE &&
		    shdr.sh_type != SHT_STRTAB)
			continue;
		shdr.sh_size = 1ULL << 37;
		memcpy(sections + i * sizeof(shdr), &shdr, sizeof(shdr));
	}
	fd = memory_file(bytes, len);
	cr_assert_eq(ftruncate(fd, 1LL << 38), 0);
	cr_assert_eq(elf_file__open(fd, &f), 0);
	cr_assert_null(elf_file__find(f, place_of(known_static_function).vaddr));
	elf_file__free(f);
}

static void add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint32_t prio,
		bool open)
{
	cr_assert(symtab__add(t, &(struct symbol){.start = start,
						  .end = end,
						  .name = name,
						  .len = (uint32_t)strlen(name),
						  .prio = prio,
						  .rank = symtab_name_rank(name, strlen(name)),
						  .open = open}));
}

Test(symtab, sizes_nesting_and_aliases)
{
	struct symtab t = {0};

	add(&t, 100, 200, "outer", 1, false);
	add(&t, 120, 130, "inner", 1, false);
	add(&t, 100, 200, "__outer", 1, false);
	add(&t, 100, 200, "outer_alias", 1, false);
	add(&t, 100, 110, "short_outer", 1, false);
	add(&t, 150, 1000, "label_inside", 0, true);
	add(&t, 300, 1000, "open_one", 0, true);
	add(&t, 310, 1000, "open_two", 0, true);
	add(&t, 400, 401, "exact", 0, false);
	add(&t, 400, 400, "empty", 1, false);
	symtab__finish(&t);
	cr_assert_null(symtab__find(&t, 99));
	cr_assert(is_named(symtab__find(&t, 100), "outer"));
	cr_assert(is_named(symtab__find(&t, 125), "inner"));
	cr_assert(is_named(symtab__find(&t, 130), "outer"));
	cr_assert(is_named(symtab__find(&t, 160), "outer"));
	cr_assert_null(symtab__find(&t, 200), "a label inside a function doesn't go on behind it");
	cr_assert(is_named(symtab__find(&t, 309), "open_one"));
	cr_assert(is_named(symtab__find(&t, 399), "open_two"));
	cr_assert(is_named(symtab__find(&t, 400), "exact"));
	cr_assert_null(symtab__find(&t, 401));
	symtab__done(&t);
}

Test(symtab, empty)
{
	struct symtab t = {0};

	symtab__finish(&t);
	cr_assert_null(symtab__find(&t, 0));
	symtab__done(&t);
}

/* The sweep against the definition, on many small random tables. */
Test(symtab, agrees_with_a_plain_search)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyz";
	uint32_t seed = 7;

	for (int round = 0; round < 2000; round++) {
		struct symtab t = {0};
		uint64_t starts[12], ends[12];
		uint32_t prios[12];

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525 + 1013904223;
			starts[i] = (seed >> 8) % 40;
			ends[i] = starts[i] + (seed >> 16) % 12;
			prios[i] = round % 2 ? (uint32_t)i + 1 : (seed >> 24) % 3;
			symtab__add(&t, &(struct symbol){.start = starts[i],
							 .end = ends[i],
							 .name = &names[i],
							 .len = 1,
							 .prio = prios[i]});
		}
		symtab__finish(&t);
		for (uint64_t addr = 0; addr < 60; addr++) {
			const struct segment *got = symtab__find(&t, addr);
			int best = -1;

			for (int i = 0; i < 12; i++) {
				if (addr < starts[i] || addr >= ends[i])
					continue;
				if (best < 0 || prios[i] > prios[best] ||
				    (prios[i] == prios[best] && starts[i] > starts[best]))
					best = i;
			}
			cr_assert_eq(got ? got->name : NULL, best < 0 ? NULL : &names[best]);
		}
		symtab__done(&t);
	}
}
