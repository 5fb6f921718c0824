// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_hotspot.h"
#include "symd/hotspot_scopes.h"

enum { BLOB = 0x1000, OTHER = 0x3000, OWN = 0x5000, HEAD = 512 };

static const uint64_t methods[] = {0xa000, 0xb000, 0xc000};
/* From offset 5 on to 16: the method itself; to 32: the second in it, in that the third. */
static const int32_t pcs[] = {-1, 0, 0, 0, 16, 1, 0, 0, 32, 7, 0, 0, INT32_MAX, 0, 0, 0};
/* sender, method, bytecode + 1, and three that don't matter here; at 1, 4 and 7 */
static const uint8_t scopes[] = {0, 0, 1, 10, 1, 2, 20, 4, 3, 0};
static const uint8_t scopes_without_zero[] = {1, 1, 2, 11, 2, 3, 21, 5, 4, 1};

static void put(int fd, uint64_t at, const void *data, size_t n)
{
	cr_assert_eq(pwrite(fd, data, n, (off_t)at), (ssize_t)n);
}

static void expect_places(const struct hotspot_scopes *s)
{
	struct hotspot_scope got[HOTSPOT_SCOPES_DEPTH];

	cr_assert_eq(hotspot_scopes__at(s, 5, got), 1);
	cr_expect_eq(got[0].method, 0xa000);
	cr_expect_eq(got[0].bci, 9);
	cr_assert_eq(hotspot_scopes__at(s, 16, got), 1, "the call that returns there");
	cr_assert_eq(hotspot_scopes__at(s, 17, got), 3);
	cr_expect_eq(got[0].method, 0xc000, "innermost first");
	cr_expect_eq(got[0].bci, -1);
	cr_expect_eq(got[1].method, 0xb000);
	cr_expect_eq(got[1].bci, 19);
	cr_expect_eq(got[2].method, 0xa000);
	cr_expect_eq(hotspot_scopes__at(s, 33, got), 0, "behind the last");
}

/* As 17 has it: one part behind the other, in the blob. */
Test(hotspot_scopes, parts_of_the_blob)
{
	const struct hotspot_layout l = {.scopes_pcs = 100,
					 .scopes_data = 104,
					 .metadata = 112,
					 .dependencies = 116};
	uint64_t data = BLOB + 0x300 + sizeof(methods);
	uint32_t pcs_at = (uint32_t)(0x300 + sizeof(methods) + sizeof(scopes));
	uint8_t head[HEAD] = {0};
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct target_memory memory = {fd, 100};
	struct hotspot_scopes *s;

	put(fd, BLOB + 0x300, methods, sizeof(methods));
	put(fd, data, scopes, sizeof(scopes));
	put(fd, BLOB + pcs_at, pcs, sizeof(pcs));
	memcpy(head + 100, &pcs_at, 4);
	memcpy(head + 104, &data, 8);
	memcpy(head + 112, &(uint32_t){0x300}, 4);
	memcpy(head + 116, &(uint32_t){pcs_at + sizeof(pcs)}, 4);
	s = hotspot_scopes__read(&memory, &l, BLOB, head, sizeof(head));
	cr_assert_not_null(s);
	expect_places(s);
	free(s);
	cr_expect_null(hotspot_scopes__read(&memory, &l, BLOB, head, 110), "beyond what was read");
	memcpy(head + 116, &(uint32_t){8 << 20}, 4);
	cr_expect_null(hotspot_scopes__read(&memory, &l, BLOB, head, sizeof(head)), "too large");
	close(fd);
}

/* As 25 has it: in two places elsewhere. */
Test(hotspot_scopes, parts_elsewhere)
{
	const struct hotspot_layout l = {.scopes_pcs = 100,
					 .scopes_data_off = 104,
					 .immutable = 112,
					 .immutable_size = 120,
					 .mutable_ = 128,
					 .mutable_size = 136,
					 .relocation_size = 140,
					 .without_zero = true};
	uint8_t head[HEAD] = {0};
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct target_memory memory = {fd, 100};
	struct hotspot_scopes *s;

	put(fd, OTHER + 24, methods, sizeof(methods));
	put(fd, OWN + 16, pcs, sizeof(pcs));
	put(fd, OWN + 16 + sizeof(pcs), scopes_without_zero, sizeof(scopes_without_zero));
	memcpy(head + 100, &(uint32_t){16}, 4);
	memcpy(head + 104, &(uint32_t){16 + sizeof(pcs)}, 4);
	memcpy(head + 112, &(uint64_t){OWN}, 8);
	memcpy(head + 120, &(uint32_t){16 + sizeof(pcs) + sizeof(scopes)}, 4);
	memcpy(head + 128, &(uint64_t){OTHER}, 8);
	memcpy(head + 136, &(uint32_t){24 + sizeof(methods)}, 4);
	memcpy(head + 140, &(uint32_t){24}, 4);
	s = hotspot_scopes__read(&memory, &l, BLOB, head, sizeof(head));
	cr_assert_not_null(s);
	expect_places(s);

	/* a scope that is its own sender, one of no method, one that ends in the middle */
	s->bytes[s->data_at + 7] = 8;
	cr_expect_eq(hotspot_scopes__at(s, 17, (struct hotspot_scope[HOTSPOT_SCOPES_DEPTH]){0}), 0);
	s->bytes[s->data_at + 7] = 5;
	s->bytes[s->data_at + 8] = 5;
	cr_expect_eq(hotspot_scopes__at(s, 17, (struct hotspot_scope[HOTSPOT_SCOPES_DEPTH]){0}), 0);
	s->bytes[s->data_at + 8] = 4;
	s->n_data = 9;
	cr_expect_eq(hotspot_scopes__at(s, 17, (struct hotspot_scope[HOTSPOT_SCOPES_DEPTH]){0}), 0);
	free(s);
	close(fd);
}
