// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which code of a file is described by what: this program, copies of it that lost something or were
 * damaged, and programs that a compiler makes for the occasion.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cfi_bytes.h"
#include "symd/elf_cfi.h"
#include "symd/elf_init.h"
#include "whole_table.h"

struct file {
	uint8_t *bytes;
	size_t len;
};

static struct file read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file f = {0};
	struct stat st;

	if (fd < 0)
		return f;
	cr_assert_eq(fstat(fd, &st), 0);
	f.len = (size_t)st.st_size;
	f.bytes = xcalloc(1, f.len);
	cr_assert_eq(read(fd, f.bytes, f.len), (ssize_t)f.len);
	close(fd);
	return f;
}

struct built {
	int err;
	struct cfi_table table;
	struct pmb_table_head head;
};

static struct built build(const void *bytes, size_t len)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	struct built b = {0};

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	cfi_table__init(&b.table);
	b.err = table_of_all(fd, false, &b.table);
	if (b.err == 0)
		b.err = cfi_table__finish(&b.table, &b.head);
	return b;
}

static void built__done(struct built *b)
{
	cfi_table__done(&b->table);
}

static unsigned count(const struct built *b, enum pmb_cfa cfa)
{
	unsigned n = 0;

	for (size_t i = 0; i < b->table.n_rows; i++)
		n += b->table.rules[PMB_ROW_RULE(b->table.rows[i])].cfa == cfa;
	return n;
}

static bool same(const struct built *a, const struct built *b)
{
	return !memcmp(&a->head, &b->head, sizeof(a->head)) &&
	       !memcmp(a->table.rows, b->table.rows, a->head.n_rows * sizeof(*a->table.rows)) &&
	       !memcmp(a->table.rules, b->table.rules, a->head.n_rules * sizeof(*a->table.rules));
}

static Elf64_Ehdr *ehdr_of(const struct file *f)
{
	return (Elf64_Ehdr *)f->bytes;
}

static Elf64_Shdr *section(const struct file *f, const char *name)
{
	Elf64_Shdr *all = (Elf64_Shdr *)(f->bytes + ehdr_of(f)->e_shoff);
	const char *names = (const char *)f->bytes + all[ehdr_of(f)->e_shstrndx].sh_offset;

	for (int i = 0; i < ehdr_of(f)->e_shnum; i++) {
		if (!strcmp(names + all[i].sh_name, name))
			return &all[i];
	}
	return NULL;
}

static void rename_section(const struct file *f, const char *from, const char *to)
{
	Elf64_Shdr *all = (Elf64_Shdr *)(f->bytes + ehdr_of(f)->e_shoff);
	char *names = (char *)f->bytes + all[ehdr_of(f)->e_shstrndx].sh_offset;

	cr_assert_leq(strlen(to), strlen(from));
	cr_assert_not_null(section(f, from));
	memcpy(names + section(f, from)->sh_name, to, strlen(to) + 1);
}

static void hide_init(const struct file *f)
{
	rename_section(f, ".init", ".x");
	rename_section(f, ".fini", ".x");
}

static Elf64_Phdr *segment(const struct file *f, uint32_t type)
{
	Elf64_Phdr *all = (Elf64_Phdr *)(f->bytes + ehdr_of(f)->e_phoff);

	for (int i = 0; i < ehdr_of(f)->e_phnum; i++) {
		if (all[i].p_type == type)
			return &all[i];
	}
	return NULL;
}

#if defined(__x86_64__) || defined(__aarch64__)

Test(cfi_files, this_program)
{
	struct file f = read_file("/proc/self/exe");
	struct built b = build(f.bytes, f.len);

	cr_assert_eq(b.err, 0);
	cr_expect_gt(b.head.n_rows, 1000);
	cr_expect_eq(b.head.n_bad, 0);
	cr_expect_eq(count(&b, PMB_CFA_FRAME), 0);
	built__done(&b);
	free(f.bytes);
}

/* As sstrip leaves it: .eh_frame is found through .eh_frame_hdr. */
Test(cfi_files, without_section_headers)
{
	struct file f = read_file("/proc/self/exe");
	struct built whole, b;

	hide_init(&f); /* only its section tells what it is */
	whole = build(f.bytes, f.len);
	ehdr_of(&f)->e_shoff = 0;
	ehdr_of(&f)->e_shnum = 0;
	ehdr_of(&f)->e_shstrndx = 0;
	b = build(f.bytes, f.len);
	cr_assert_eq(b.err, 0);
	cr_expect(same(&whole, &b));
	built__done(&b);
	/* …and where that points nowhere */
	segment(&f, PT_GNU_EH_FRAME)->p_offset = f.len + 1;
	b = build(f.bytes, f.len);
	cr_assert_eq(b.err, 0);
	cr_expect_eq(count(&b, PMB_CFA_FRAME), b.head.n_pages);
	built__done(&b);
	built__done(&whole);
	free(f.bytes);
}

Test(cfi_files, without_any)
{
	struct file f = read_file("/proc/self/exe");
	struct built b;

	hide_init(&f);
	rename_section(&f, ".eh_frame", ".eh");
	segment(&f, PT_GNU_EH_FRAME)->p_type = PT_NULL;
	b = build(f.bytes, f.len);
	cr_assert_eq(b.err, 0);
	/* one row for each page, and what is around the segment */
	cr_expect_eq(count(&b, PMB_CFA_FRAME), b.head.n_pages);
	cr_expect_leq(b.head.n_rows, b.head.n_pages + 2);
	built__done(&b);
	free(f.bytes);
}

/* What the C parts of a Go program don't describe is Go's, which keeps frame pointers. */
Test(cfi_files, go)
{
	struct file f = read_file("/proc/self/exe");
	struct built whole = build(f.bytes, f.len), b;

	rename_section(&f, ".eh_frame_hdr", ".go.buildinfo");
	b = build(f.bytes, f.len);
	cr_assert_eq(b.err, 0);
	cr_expect_geq(count(&b, PMB_CFA_FRAME), 1);
	cr_expect_eq(count(&b, PMB_CFA_SP), count(&whole, PMB_CFA_SP));
	built__done(&b);
	built__done(&whole);
	free(f.bytes);
}

Test(cfi_files, of_other_machines)
{
	struct file f = read_file("/proc/self/exe");
	struct built b;

	ehdr_of(&f)->e_machine = EM_RISCV;
	b = build(f.bytes, f.len);
	cr_expect_eq(b.err, -ENOTSUP);
	built__done(&b);
	b = build("#!/bin/sh\n", 10);
	cr_expect_eq(b.err, -EINVAL);
	built__done(&b);
	b = build("", 0);
	cr_expect_eq(b.err, -EINVAL);
	built__done(&b);
	free(f.bytes);
}

/* A file that shrinks while it is read is one that ends before its headers say so. */
Test(cfi_files, truncated)
{
	struct file f = read_file("/proc/self/exe");
	size_t eh_frame = section(&f, ".eh_frame")->sh_offset;
	const size_t lengths[] = {16, 64, 200, 4096, f.len / 2, eh_frame + 100, f.len - 1};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct built b = build(f.bytes, lengths[i]);

		if (b.err == 0)
			cr_expect_leq(b.head.n_bad, 1);
		else
			cr_expect_eq(b.err, -EINVAL);
		built__done(&b);
	}
	free(f.bytes);
}

/* Headers of all kinds of nonsense, one byte at a time, each byte of a word somewhere. */
Test(cfi_files, damaged_headers)
{
	struct file f = read_file("/proc/self/exe");
	size_t headers = sizeof(Elf64_Ehdr) + ehdr_of(&f)->e_phnum * sizeof(Elf64_Phdr);
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);

	cr_assert_eq(write(fd, f.bytes, f.len), (ssize_t)f.len);
	for (size_t at = 16; at < headers; at += 3) {
		const uint8_t damage = f.bytes[at] ^ (at % 2 ? 0xff : 0x81);
		struct cfi_table t;

		cr_assert_eq(pwrite(fd, &damage, 1, (off_t)at), 1);
		cfi_table__init(&t);
		table_of_all(fd, true, &t);
		cfi_table__done(&t);
		cr_assert_eq(pwrite(fd, &f.bytes[at], 1, (off_t)at), 1);
	}
	free(f.bytes);
}

/* Segments that claim more than there is, and the same code twice. */
Test(cfi_files, segments_that_lie)
{
	struct file f = read_file("/proc/self/exe");
	Elf64_Phdr *all = (Elf64_Phdr *)(f.bytes + ehdr_of(&f)->e_phoff);
	struct built b;

	for (int i = 0; i < ehdr_of(&f)->e_phnum; i++) {
		if (all[i].p_type != PT_LOAD)
			continue;
		all[i].p_flags |= PF_X;
		all[i].p_filesz = UINT64_MAX / 2;
	}
	b = build(f.bytes, f.len);
	cr_assert_eq(b.err, 0);
	cr_expect_leq(b.head.n_pages, f.len / PMB_UNWIND_ROW_MAX + 1);
	built__done(&b);
	free(f.bytes);
}

#endif

static char dir[] = "/tmp/pmubpf-test-XXXXXX";

/* Compiles `source`; false if the compiler isn't there or can't. */
static bool compile(const char *source, const char *const *argv)
{
	_cleanup_free_ char *path = xasprintf("%s/source.c", dir);
	FILE *file = fopen(path, "w");
	pid_t pid;
	int status;

	cr_assert_not_null(file);
	fputs(source, file);
	fclose(file);
	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ))
		return false;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void expect_compiled(const char *compiler, const char *form, const char *source,
			    void (*check)(const struct file *f, const struct built *b))
{
	_cleanup_free_ char *in = NULL, *out = NULL;
	struct file f;
	struct built b;

	cr_assert_not_null(mkdtemp(dir));
	in = xasprintf("%s/source.c", dir);
	out = xasprintf("%s/out.so", dir);
	if (!compile(source, (const char *const[]){compiler, "-O1", "-g", form, "-shared", "-fPIC",
						   "-nostdlib", "-fno-asynchronous-unwind-tables",
						   "-fno-unwind-tables", "-o", out, in, NULL})) {
		unlink(in);
		rmdir(dir);
		cr_skip_test("%s can't", compiler);
	}
	f = read_file(out);
	b = build(f.bytes, f.len);
	check(&f, &b);
	built__done(&b);
	free(f.bytes);
	unlink(in);
	unlink(out);
	rmdir(dir);
}

static const char many_functions[] =
	"int g(char *);\n"
	"#define F(n) int f##n(void) { char b[64 + n]; return g(b) + 1; }\n"
	"F(0) F(16) F(32) F(48) F(64) F(80) F(96) F(112) F(128) F(144) F(160)\n";

static void check_debug_frame(const struct file *f, const struct built *b)
{
	cr_assert_not_null(section(f, ".debug_frame"));
	cr_assert_eq(b->err, 0);
	cr_expect_eq(b->head.n_bad, 0);
	cr_expect_geq(count(b, PMB_CFA_SP), 22);
	cr_expect_eq(count(b, PMB_CFA_FRAME),
		     0); /* the linker's .eh_frame alone would be too little */
}

static void check_compressed(const struct file *f, const struct built *b)
{
	cr_assert(section(f, ".debug_frame")->sh_flags & SHF_COMPRESSED);
	check_debug_frame(f, b);
}

#if defined(__x86_64__)
/* Between two functions that are described: assembler that nobody described, as V8 saves its
 * registers; 32 bytes from "before" on, and padding up to "after". */
static const char a_bare_function[] =
	"__asm__(\".cfi_sections .eh_frame\\n.text\\n.p2align 4\\n\"\n"
	"\"before: .cfi_startproc\\nmov $1, %eax\\nret\\n.cfi_endproc\\n\"\n"
	"\"push %rbp\\nmov %rsp, %rbp\\npush %rbx\\npush %r12\\npush %r13\\n\"\n"
	"\"push %r14\\npush %r15\\n\"\n"
	"\"mov %rsp, %rdx\\ncall *%r8\\nadd $0x28, %rsp\\npop %rbp\\nret\\n.p2align 4\\n\"\n"
	"\"after: .cfi_startproc\\nmov $2, %eax\\nret\\n.cfi_endproc\\n.p2align 5\\n\"\n"
	"\"behind: .cfi_startproc\\nmov $3, %eax\\nret\\n.cfi_endproc\\n\");\n";

static void check_bare(const struct file *f, const struct built *b)
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	struct built read = {0};

	cr_assert_eq(b->err, 0);
	cr_expect_eq(count(b, PMB_CFA_FP), 0, "nobody has read the code");
	cr_assert_eq(write(fd, f->bytes, f->len), (ssize_t)f->len);
	cfi_table__init(&read.table);
	cr_assert_eq(table_of_all(fd, true, &read.table), 0);
	cr_assert_eq(cfi_table__finish(&read.table, &read.head), 0);
	cr_expect_eq(count(&read, PMB_CFA_FP), 1, "its body, and nothing of the padding");
	built__done(&read);
}

Test(cfi_files, a_small_function_that_nothing_describes)
{
	expect_compiled("gcc", "-gz=none", a_bare_function, check_bare);
}
#endif

Test(cfi_files, debug_frame)
{
	expect_compiled("gcc", "-gz=none", many_functions, check_debug_frame);
}

Test(cfi_files, compressed_debug_frame)
{
	expect_compiled("gcc", "-gz=zlib", many_functions, check_compressed);
}

/* A claim of what it inflates to. */
static void check_bomb(const struct file *f, const struct built *b)
{
	Elf64_Chdr *chdr = (Elf64_Chdr *)(f->bytes + section(f, ".debug_frame")->sh_offset);
	struct built bomb;

	(void)b;
	chdr->ch_size = 1ULL << 40;
	bomb = build(f->bytes, f->len);
	cr_assert_eq(bomb.err, 0);
	cr_expect_eq(count(&bomb, PMB_CFA_FRAME), 1);
	built__done(&bomb);
}

Test(cfi_files, a_section_that_claims_to_become_huge)
{
	expect_compiled("gcc", "-gz=zlib", many_functions, check_bomb);
}

static void check_vdso(const struct file *f, const struct built *b)
{
	(void)f;
	cr_assert_eq(b->err, 0);
	cr_expect_eq(count(b, PMB_CFA_SIGNAL), 1);
	cr_expect_geq(count(b, PMB_CFA_SP), 2);
	for (size_t i = 0; i < b->head.n_rules; i++) {
		if (b->table.rules[i].cfa == PMB_CFA_SP)
			cr_expect_eq(b->table.rules[i].ra, PMB_RA_LR);
	}
}

Test(cfi_files, vdso_of_arm64)
{
	expect_compiled("aarch64-linux-gnu-gcc", "-g0",
			"long clock(void) { return 7; }\n"
			"void __kernel_rt_sigreturn(void) { __asm__(\"mov x8, 139; svc 0\"); }\n"
			"long other(void) { return 8; }\n",
			check_vdso);
}

struct seen {
	struct {
		uint64_t off;
		int32_t cfa_off;
	} rows[8];
	size_t n;
};

static void see(void *ctx, uint64_t file_off, const struct pmb_unwind_rule *rule)
{
	struct seen *seen = ctx;

	cr_assert_lt(seen->n, 8);
	seen->rows[seen->n].off = file_off;
	seen->rows[seen->n++].cfa_off = rule->cfa == PMB_CFA_SP ? rule->cfa_off : -1;
}

static struct seen rows_of_init(const uint8_t *code, size_t len)
{
	static const struct pmb_unwind_rule gap = {.cfa = PMB_CFA_NONE};
	const struct cfi_code where = {.file_off = 0x1000, .vaddr = 0x401000, .size = len};
	struct cfi *cfi = cfi__new(CFI_X86_64, &where, 1);
	struct seen seen = {0};

	cr_assert_eq(elf_init__add(cfi, 0x401000, code, len), 0);
	cfi__emit(cfi, &gap, see, &seen);
	cfi__free(cfi);
	return seen;
}

/* What crti.o and crtn.o make of .init, as /bin/ls has it; and with endbr64, as Ubuntu has it. */
Test(cfi_files, init_section)
{
	static const uint8_t plain[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0x8b, 0x05, 0xad,
					0xff, 0x01, 0x00, 0x48, 0x85, 0xc0, 0x74, 0x02,
					0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3};
	uint8_t with[sizeof(plain) + 4] = {0xf3, 0x0f, 0x1e, 0xfa}, other[sizeof(plain)];
	struct seen seen = rows_of_init(plain, sizeof(plain));

	cr_assert_geq(seen.n, 3);
	cr_assert_eq(seen.rows[0].off, 0x1000);
	cr_assert_eq(seen.rows[0].cfa_off, 8);
	cr_assert_eq(seen.rows[1].off, 0x1004);
	cr_assert_eq(seen.rows[1].cfa_off, 16);
	cr_assert_eq(seen.rows[2].off, 0x1000 + sizeof(plain) - 1);
	cr_assert_eq(seen.rows[2].cfa_off, 8);
	memcpy(with + 4, plain, sizeof(plain));
	seen = rows_of_init(with, sizeof(with));
	cr_assert_eq(seen.rows[1].off, 0x1008);
	memcpy(other, plain, sizeof(plain));
	other[0] = 0x90;
	seen = rows_of_init(other, sizeof(other));
	cr_assert_eq(seen.rows[0].cfa_off, -1, "not the shape that is known");
	for (size_t len = 0; len < 16; len++)
		rows_of_init(plain, len ? len : 1);
}
