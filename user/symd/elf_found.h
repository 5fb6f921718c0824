/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The function of a file that somebody names, as the linker does or as its author wrote it
 * (symd/written_name.h). What fits in full is preferred to what was left out something of; of
 * several of the same kind none is. What is hardly run of one (`.cold`) and what was split from it
 * (`.part.0`) have no other name than the linker's.
 */
#ifndef PMUBPF_SYMD_ELF_FOUND_H
#define PMUBPF_SYMD_ELF_FOUND_H

#include "symd/elf_file.h"
#include "symd/protocol.h"

struct elf_called {
	char *linker, *written; /* whole, if it is another */
};

struct elf_found {
	enum symd_site_status status; /* FOUND, NO_FUNCTION, SEVERAL, CHOOSES, ELSEWHERE, or
				       * SYMD_SITE_TOO_MANY names that it might be */
	uint32_t n;                   /* functions of that name, at different addresses */
	struct elf_function where;    /* FOUND, CHOOSES */
	bool of_go;                   /* FOUND: it changes threads, and its stack moves */
	/* Of FOUND what the linker calls it; of SEVERAL some of them, or none if that is the same
	 * of all. */
	struct elf_called called[SYMD_CALLED_MAX];
	size_t n_called;
};

void elf_found__find(struct elf_file *elf, const char *name, size_t len, struct elf_found *ret);
/* The one that holds vaddr: as symbols have it, else the table for unwinding, without a name. */
void elf_found__at(struct elf_file *elf, uint64_t vaddr, struct elf_found *ret);
void elf_found__done(struct elf_found *found);

/* Functions whose names are near, the nearest first, with their distance (base/nearest.h). */
struct elf_near {
	struct elf_called called[SYMD_CALLED_MAX];
	size_t distance[SYMD_CALLED_MAX];
	size_t n;
};
void elf_near__find(struct elf_file *elf, const char *name, size_t len, struct elf_near *ret);
void elf_near__done(struct elf_near *near);

#endif
