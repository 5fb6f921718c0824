// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Symbols out of ELF files: this program itself, copies of it that were stripped, split and
 * damaged, and made for a test.
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
	uint64_t segment; /* where it begins in the file */
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
		p->segment = ph->p_offset;
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

/* "-": it has none. */
static const char *name_of(struct elf_file *f, uint64_t vaddr)
{
	static char text[256];
	struct elf_name name;

	if (!elf_file__find(f, vaddr, &name))
		return "-";
	snprintf(text, sizeof(text), "%.*s%s", (int)name.len, name.name, name.plt ? "@plt" : "");
	return text;
}

static void expect_named(struct elf_file *f, uint64_t file_off, const char *name)
{
	uint64_t vaddr;

	cr_assert(elf_file__vaddr(f, file_off, &vaddr));
	cr_expect_str_eq(name_of(f, vaddr), name);
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

#if defined(__x86_64__) || defined(__aarch64__)
/* How many of 2,048 places of 16 bytes are named so. */
static size_t stubs_named(const char *path, uint64_t start, const char *name)
{
	struct sym *sym = new_sym();
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sym_file file = {.fd = fd, .root_fd = -1};
	uint64_t offsets[2048];
	struct sym_name got[2048];
	size_t stubs = 0;

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		offsets[i] = start + i * 16;
	sym__elf(sym, &file, offsets, ARRAY_SIZE(offsets), got);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		stubs += got[i].frame.name && !strcmp(got[i].frame.name, name);
		sym_name__done(&got[i]);
	}
	sym__free(sym);
	return stubs;
}
#endif

/* This program's own stubs, in whichever form its linker made them. */
Test(elf, stubs_have_names)
{
#if defined(__x86_64__) || defined(__aarch64__)
	uint64_t start = place_of(known_static_function).file_off & ~0xfffULL;
	size_t stubs = 0;

	/* They stand before the code, in the same segment; how far depends on the compiler's
	 * options. */
	start += 0x4000;
	while (!stubs && start > 0x8000) {
		start -= 0x8000;
		stubs = stubs_named(self_path, start, "readlink@plt");
	}
	cr_assert_geq(stubs, 1);
#else
	cr_skip_test("stubs are decoded on x86-64 and arm64");
#endif
}

/* The C library calls its own memcpy through a stub whose slot has no symbol. */
Test(elf, stubs_of_what_is_chosen_have_names)
{
#if defined(__x86_64__) && defined(__GLIBC__)
	struct place p = place_of(gnu_get_libc_version);

	cr_assert_geq(stubs_named(p.object, p.segment, "strlen@plt"), 1);
	cr_assert_eq(stubs_named(p.object, p.segment, "gnu_get_libc_version@plt"), 0);
#else
	cr_skip_test("of other C libraries it isn't known");
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

		named += elf_file__vaddr(f, off, &vaddr) && *name_of(f, vaddr) != '-';
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
	uint64_t vaddrs[ASKED_MAX];
	struct elf_file *f;
	size_t n = 0;

	if (elf_file__open(memory_file(bytes, len), &f) < 0)
		return;
	for (uint64_t off = 0; off < len && n < ASKED_MAX; off += 4099)
		n += elf_file__vaddr(f, off, &vaddrs[n]);
	elf_file__ask(f, vaddrs, n);
	for (size_t i = 0; i < n; i++)
		name_of(f, vaddrs[i]);
	name_of(f, UINT64_MAX);
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
	cr_assert_str_eq(name_of(f, place_of(known_static_function).vaddr), "-");
	elf_file__free(f);
}

/* A program of symbols that nest, overlap, and have no sizes; the addresses are those from its
 * first byte on. */
static const char program[] =
	".text; .globl _start, outer, outer_alias, short_outer, inner, open_one, open_two\n"
	"_start: outer: outer_alias: short_outer: __outer: .skip 20\n"
	"inner: .skip 10\n"
	"label_inside: .skip 70\n" /* 30 */
	".size outer, 100; .size outer_alias, 100; .size __outer, 100; .size short_outer, 10\n"
	".size inner, 10; .type outer, @function; .type outer_alias, @function\n"
	".type __outer, @function; .type short_outer, @function; .type inner, @function\n"
	".skip 50\n"                                           /* 100 */
	"open_one: .Llocal: .skip 10; open_two: .skip 40\n"    /* 150, 160 */
	"one_byte: again: .size one_byte, 1; .skip 10\n"       /* 200 */
	".type again, @function; open_weak: .weak open_weak\n" /* 210 */
	".Lnot_shown: open_func: .type open_func, @function; ret\n"
	".section .other, \"ax\"; other: ret\n";

Test(elf, symbols_that_nest_and_have_no_sizes)
{
	static const struct {
		uint64_t at;
		const char *name;
	} expected[] = {
		{0, "outer"},      {15, "outer"},     {20, "inner"},     {29, "inner"},
		{30, "outer"},     {99, "outer"},     {100, "-"},        {149, "-"},
		{150, "open_one"}, {159, "open_one"}, {160, "open_two"}, {199, "open_two"},
		{200, "one_byte"}, {201, "again"},    {209, "again"},    {210, "open_func"},
		{211, "other"},    {212, "-"},
	};
	_cleanup_free_ char *source = in_dir("nested.s"), *path = in_dir("nested");
	FILE *file = fopen(source, "we");
	uint64_t start, vaddrs[ARRAY_SIZE(expected)];
	struct elf_file *f;
	Elf64_Ehdr ehdr;
	int fd;

	cr_assert_geq(fputs(program, file), 0);
	fclose(file);
	if (sizeof(void *) != 8 || !RUN("gcc", "-nostdlib", "-static", "-o", path, source))
		cr_skip_test("no gcc");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_eq(pread(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	cr_assert_eq(elf_file__open(fd, &f), 0);
	start = ehdr.e_entry;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		vaddrs[i] = start + expected[ARRAY_SIZE(expected) - 1 - i].at;
	elf_file__ask(f, vaddrs, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		cr_expect(elf_file__asked(f, start + expected[i].at));
		cr_expect_str_eq(name_of(f, start + expected[i].at), expected[i].name, "at %d",
				 (int)expected[i].at);
	}
	cr_expect(!elf_file__asked(f, start + 1));
	cr_expect_str_eq(name_of(f, start + 1), "outer", "one that wasn't asked for");
	elf_file__free(f);
}
