// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the helper is asked about without a file: names of compilers, objects of interpreters. */
#include <string.h>

#include "sym/sym_internal.h"
#include "symd/protocol.h"

/* With its length before it; what is longer than max is empty. False: it has no room. */
static bool put_sized(struct buf *request, const void *bytes, size_t len, size_t max)
{
	if (len > max)
		len = 0;
	if (request->len + sizeof(uint16_t) + len > SYMD_MSG_MAX)
		return false;
	symd_msg__put_u16(request, (uint16_t)len);
	buf__add(request, bytes, len);
	return true;
}

/* As many as fit into the request; one that is too long for any stays as it is. */
static size_t put_names(struct buf *request, const char *const *names, size_t n)
{
	size_t count_at = request->len, i = 0;

	symd_msg__put_u32(request, 0);
	while (i < n && put_sized(request, names[i], strlen(names[i]), SYMD_NAME_MAX))
		i++;
	symd_msg__set_u32(request, count_at, (uint32_t)i);
	return i;
}

static ssize_t sym__demangle_some(struct sym *sym, const char *const *names, size_t n,
				  const char **ret)
{
	struct cursor body;
	size_t asked;
	ssize_t m;
	int r;

	helper__begin(&sym->helper, SYMD_DEMANGLE);
	asked = put_names(&sym->helper.request, names, n);
	r = sym__ask_names(sym, &body);
	if (r < 0)
		return r;
	m = reply__names(&body, asked, sym->texts, ret);
	return m < 0 ? sym__fail(sym, (int)m) : m;
}

size_t sym__demangle(struct sym *sym, const char *const *names, size_t n, const char **ret)
{
	size_t done = 0;

	memset(ret, 0, n * sizeof(*ret));
	sym__forget_last(sym);
	sym->file_deadline_ns = UINT64_MAX;
	sym->patient_until_ns = 0;
	sym->name_bytes = 0;
	texts__next_group(sym->texts);
	if (helper__start(&sym->helper, sym__deadline(sym)) < 0)
		return 0;
	while (done < n) {
		ssize_t m = sym__demangle_some(sym, names + done, n - done, ret + done);

		if (m < 0)
			break;
		done += (size_t)m;
	}
	return done;
}

/* As many as fit into the request. */
static size_t put_objects(struct buf *request, const struct objects *objects,
			  const uint64_t *places, size_t n)
{
	size_t count_at = request->len, i;

	symd_msg__put_u32(request, 0);
	for (i = 0; i < n && i < SYMD_LOOKUP_MAX; i++) {
		size_t len;
		const void *bytes = objects__get(objects, object_number(places[i]), &len);
		size_t before = request->len;

		symd_msg__put_u32(request, object_position(places[i]));
		if (!put_sized(request, bytes, len, SYMD_OBJECT_MAX)) {
			request->len = before;
			break;
		}
	}
	symd_msg__set_u32(request, count_at, (uint32_t)i);
	return i;
}

static ssize_t sym__objects_some(struct sym *sym, const struct objects *objects,
				 const uint64_t *places, size_t n, struct sym_name *ret)
{
	struct cursor body;
	size_t asked;
	ssize_t m;
	int r;

	helper__begin(&sym->helper, SYMD_OBJECTS);
	asked = put_objects(&sym->helper.request, objects, places, n);
	r = sym__ask(sym, -1, &body);
	if (r < 0)
		return r;
	m = reply__answers(&body, asked, sym->texts, ret);
	return m < 0 ? sym__fail(sym, (int)m) : m;
}

void sym__objects(struct sym *sym, const struct objects *objects, const uint64_t *places, size_t n,
		  struct sym_name *ret)
{
	size_t done = 0;

	sym__forget_last(sym);
	sym->file_deadline_ns = UINT64_MAX;
	texts__next_group(sym->texts);
	while (done < n && !sym__is_stopped(sym)) {
		ssize_t m = sym__objects_some(sym, objects, places + done, n - done, ret + done);

		if (m < 0)
			break;
		done += (size_t)m;
	}
	for (size_t i = 0; i < done; i++) {
		if (ret[i].reason == SYM_NO_SYMBOL)
			ret[i].reason = SYM_NO_OBJECT;
	}
	for (size_t i = done; i < n; i++)
		ret[i] = (struct sym_name){.reason = sym->stopped ? SYM_TIME : SYM_HELPER};
}
