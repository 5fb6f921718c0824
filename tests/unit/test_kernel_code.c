// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A function of a kernel that is made here: found by its name, copied, and listed. */
#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "sym/kernel_code.h"
#include "sym/listing.h"
#include "symd/symd.h"

#define TEXT 0xffffffff81000000ULL
enum { SEGMENT = 0x400, AT = 0x2000, WORK = 0x20, WORK_SIZE = 16 };

static const char symbols[] = "0000000000001000 A fixed_percpu_data\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff81000010 t twice\n"
			      "ffffffff81000020 T work_alias\n"
			      "ffffffff81000020 t work\n"
			      "ffffffff81000030 t twice\n"
			      "ffffffff81000050 T other\n"
			      "ffffffff81000060 d work_data\n"
			      "ffffffff81000800 T beyond\n"
			      "ffffffff81001000 T _etext\n"
			      "ffffffffc0301000 t of_module\t[mod]\n";
static const char modules[] = "mod 8192 0 - Live 0xffffffffc0300000\n";

/* dec %rdi; jne WORK; call other; ret; nops */
static const uint8_t work[WORK_SIZE] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xe8, 0x26, 0x00,
					0x00, 0x00, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90};

static char paths[3][64];

static void put(int i, const void *data, size_t len)
{
	int fd = memfd_create("file", 0);

	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fd);
}

struct kcore {
	Elf64_Ehdr head;
	Elf64_Phdr p[3];
};

/* Notes, memory far away, and the text. */
static struct kcore begin(void)
{
	struct kcore k = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					       ELFDATA2LSB, EV_CURRENT},
				   .e_type = ET_CORE,
				   .e_machine = EM_X86_64,
				   .e_phoff = sizeof(Elf64_Ehdr),
				   .e_phentsize = sizeof(Elf64_Phdr),
				   .e_phnum = 3}};

	k.p[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_vaddr = TEXT, .p_memsz = SEGMENT};
	k.p[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0xffff888000000000, .p_memsz = SEGMENT};
	k.p[2] = (Elf64_Phdr){.p_type = PT_LOAD,
			      .p_vaddr = TEXT,
			      .p_memsz = SEGMENT,
			      .p_filesz = SEGMENT,
			      .p_offset = AT};
	return k;
}

static struct kernel_code code;

static void read_code(const struct kcore *k, const char *name, uint64_t farthest)
{
	static uint8_t file[AT + SEGMENT];
	const struct kernel_code_paths p = {.kcore = paths[0],
					    .kallsyms = paths[1],
					    .modules = paths[2]};

	kernel_code__done(&code);
	memset(file, 0xcc, sizeof(file));
	memcpy(file, k, sizeof(*k));
	memcpy(file + AT + WORK, work, sizeof(work));
	put(0, file, sizeof(file));
	put(1, symbols, sizeof(symbols) - 1);
	put(2, modules, sizeof(modules) - 1);
	kernel_code__read(&code, name, farthest, &p);
}

static void end(void)
{
	kernel_code__done(&code);
}

TestSuite(kernel_code, .fini = end);

Test(kernel_code, the_function_and_no_more)
{
	struct kcore k = begin();

	read_code(&k, "work", 5);
	cr_assert_eq(code.end, KERNEL_CODE_READ);
	cr_expect_eq(code.start, TEXT + WORK);
	cr_assert_eq(code.size, WORK_SIZE);
	cr_expect_eq(memcmp(code.bytes, work, sizeof(work)), 0);
	cr_expect_eq(code.machine, EM_X86_64);
	read_code(&k, "work_alias", 5);
	cr_expect_eq(code.end, KERNEL_CODE_READ, "the table has one name for each address");
	cr_expect_eq(code.start, TEXT + WORK);
}

/* Data is never shown as code, whatever a profile calls its functions. */
Test(kernel_code, what_is_none)
{
	struct kcore k = begin();

	read_code(&k, "work_data", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NO_FUNCTION);
	read_code(&k, "wor", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NO_FUNCTION);
	read_code(&k, "", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NO_FUNCTION);
	read_code(&k, "work", WORK_SIZE);
	cr_expect_eq(code.end, KERNEL_CODE_NO_FUNCTION, "samples lie behind its end");
}

Test(kernel_code, several)
{
	struct kcore k = begin();

	read_code(&k, "twice", 3);
	cr_expect_eq(code.end, KERNEL_CODE_SEVERAL);
	cr_expect_eq(code.n, 2);
	cr_expect_null(code.bytes);
	read_code(&k, "twice", 0x18);
	cr_expect_eq(code.end, KERNEL_CODE_READ, "the other one ends before that");
	cr_expect_eq(code.start, TEXT + 0x30);
}

Test(kernel_code, what_kcore_has_not)
{
	struct kcore k = begin();

	read_code(&k, "beyond", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE);
	k.p[2].p_memsz = WORK + WORK_SIZE - 1;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE, "its last byte is missing");
	k = begin();
	k.p[2].p_offset = UINT64_MAX - 8;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE);
	k.p[2].p_offset = 1 << 30;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE, "behind the end of the file");
	k = begin();
	k.head.e_phnum = UINT16_MAX;
	k.p[2].p_type = PT_NOTE;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE);
	k = begin();
	k.head.e_ident[EI_CLASS] = ELFCLASS32;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_OTHER_MACHINE);
	k.head.e_ident[0] = 0;
	read_code(&k, "work", 0);
	cr_expect_eq(code.end, KERNEL_CODE_NOT_IN_KCORE);
}

Test(kernel_code, what_cannot_be_read)
{
	struct kernel_code_paths p = {.kcore = "/nonexistent",
				      .kallsyms = paths[1],
				      .modules = paths[2]};
	static const char hidden[] = "0000000000000000 T work\n";
	struct kcore k = begin();

	kernel_code__read(&code, "work", 0, &p);
	cr_expect_eq(code.end, KERNEL_CODE_NO_KCORE);
	cr_expect_eq(code.err, ENOENT);
	read_code(&k, "work", 0);
	p.kcore = paths[0];
	kernel_code__done(&code);
	put(1, hidden, sizeof(hidden) - 1);
	kernel_code__read(&code, "work", 0, &p);
	cr_expect_eq(code.end, KERNEL_CODE_NO_ADDRESSES);
}

/* By the helper, which gets a file that has nothing but this, and can't be changed any more. */
Test(kernel_code, as_a_file)
{
	_cleanup_close_ int fd = -1;
	struct sym_file file = {.root_fd = -1};
	struct kcore k = begin();
	struct listing *listings;
	uint64_t offset;
	struct sym *sym;
	size_t n;

	read_code(&k, "work", 0);
	file.fd = fd = kernel_code__as_file(&code, &offset);
	cr_assert_geq(fd, 0);
	cr_expect_eq(pwrite(fd, "x", 1, 0), -1);
	cr_assert_eq(sym__new_with(&sym, symd_main, 10000, NULL), 0);
	cr_assert_eq(sym__listings(sym, &file, &offset, 1, &listings, &n), LISTING_WHOLE);
	cr_assert_eq(n, 1);
	cr_expect_eq(listings[0].vaddr, TEXT + WORK);
	cr_expect_eq(listings[0].file_off, offset);
	cr_expect_eq(listings[0].size, WORK_SIZE);
	cr_assert_geq(listings[0].n, 4);
	cr_expect_eq(listings[0].rows[1].at, 3);
	cr_expect_eq(listings[0].rows[1].flow, LISTING_JUMP);
	cr_expect_eq(listings[0].rows[1].target, TEXT + WORK);
	cr_expect_eq(listings[0].rows[2].flow, LISTING_CALL);
	cr_expect_eq(listings[0].rows[2].target, TEXT + 0x50);
	listing__done(&listings[0]);
	free(listings);
	sym__free(sym);
}
