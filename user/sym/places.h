/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples that are about data: which instruction addressed it, and how sure that is. The helper
 * looks at the code where they were taken; what the instruction addressed is computed here, from
 * each sample's registers, and compared with the address that the hardware gave.
 */
#ifndef PMUBPF_SYM_PLACES_H
#define PMUBPF_SYM_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/data_class.h"
#include "model/profile.h"
#include "pmubpf/operand.h"
#include "proc/files.h"

struct known;

struct places {
	struct profile *profile;      /* borrowed, until names are made */
	uint8_t *skids;               /* per event, enum pmb_skid; ours */
	bool types;                   /* objects, too, are asked for */
	struct debuginfod *servers;   /* for what lacks types; borrowed; NULL: nobody is asked */
	struct known *known;          /* as in names_opts; NULL: all are asked */
	void (*meanwhile)(void *ctx); /* as in names_opts; NULL: not */
	void *meanwhile_ctx;
	/* By frame id and skid, as long as they are, NULL: nothing is known; NULL: no sample is
	 * about data. */
	struct pmb_place **list;
	size_t n_list;
	/* By row: frames of the profile, made for it; 0: none is known. */
	uint32_t *objects;
	uint32_t *variables; /* of a candidate, if a symbol stands for where it would be */
	uint64_t helper_ns;
	unsigned helper_failures;
};

/* ret has the profile, the skids, and whether types. Before names are made: the profile gets frames
 * for objects (pmubpf/object_place.h), the names of which are their types. Fails only if the helper
 * can't be started: then no code was looked at. */
int places__resolve(struct places *ret, const struct files *files, int stop_fd, struct err *err);
void places__done(struct places *places);

/* What the row is about. */
struct data_finding {
	enum data_class class;
	uint8_t access; /* PMB_OPERAND_LOAD, PMB_OPERAND_STORE; 0: not known, or an instruction */
	bool fetch;     /* it is the instruction itself */
	uint8_t described;                   /* enum pmb_described: the code where it was taken */
	const struct pmb_operand *operand;   /* validated: which; NULL: it isn't… */
	const struct pmb_operand *candidate; /* …and nothing came to check this one */
	/* Of either: the first of the bytes that it addressed, and how many; 0: not known. */
	uint64_t from;
	uint32_t size;
};
/* Frame ids; 0: no object is known. A candidate's, if it isn't validated. */
uint32_t places__object(const struct places *places, const struct profile_row *row);
uint32_t places__variable(const struct places *places, const struct profile_row *row);
/* False: it is about no data. */
bool places__find(const struct places *places, const struct profile_row *row,
		  struct data_finding *ret);

/* Pure: an access at such a place. */
struct data_finding data_finding(const struct pmb_place *place, enum pmb_skid skid,
				 const struct profile_access *access);

#endif
