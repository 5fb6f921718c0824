// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mem:ADDR[/LEN][:rwx][:mods], the hardware breakpoints. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "pmu/parse.h"

#define USAGE "mem:ADDR[/LEN][:rwx]"

/* "rw" as HW_BREAKPOINT_R | HW_BREAKPOINT_W; 0 if it is no such text. */
static unsigned access_bits(const char *text)
{
	unsigned bits = 0, bit;

	for (; *text; text++) {
		bit = *text == 'r' ? HW_BREAKPOINT_R :
		      *text == 'w' ? HW_BREAKPOINT_W :
		      *text == 'x' ? HW_BREAKPOINT_X :
				     0;
		if (!bit || bits & bit)
			return 0;
		bits |= bit;
	}
	return bits;
}

/* arm64 watches any number of bytes up to 8, the others powers of two. */
static bool is_length(uint64_t len)
{
#if defined(__aarch64__)
	return len >= 1 && len <= 8;
#else
	return len == 1 || len == 2 || len == 4 || len == 8;
#endif
}

static int parse_address(struct event *event, char *address, const struct spec *spec,
			 struct err *err)
{
	char *slash = strchr(address, '/');
	uint64_t addr, len = 0;

	if (slash)
		*slash++ = '\0';
	if (num__parse_u64(address, &addr) < 0)
		return err__usage(err, "event '%s': '%.40s' is not an address (0x…); write " USAGE,
				  spec->shown, address);
	if (slash && (num__parse_u64(slash, &len) < 0 || !is_length(len)))
		return err__usage(
			err, "event '%s': '%.40s' is not a length (1, 2, 4 or 8); write " USAGE,
			spec->shown, slash);
	event->attr.bp_addr = addr;
	event->attr.bp_len = len;
	return 0;
}

static int check_access(struct event *event, const struct spec *spec, struct err *err)
{
	struct perf_event_attr *attr = &event->attr;

	if (attr->bp_type & HW_BREAKPOINT_X) {
		if (attr->bp_type != HW_BREAKPOINT_X)
			return err__usage(err,
					  "event '%s': execution (x) can't be watched together "
					  "with reads and writes",
					  spec->shown);
		if (!attr->bp_len)
			attr->bp_len = sizeof(long);
		if (attr->bp_len != sizeof(long))
			return err__usage(err,
					  "event '%s': for execution (x) the kernel wants length "
					  "%zu; leave the length out",
					  spec->shown, sizeof(long));
	} else if (!attr->bp_len) {
		attr->bp_len = HW_BREAKPOINT_LEN_4;
	}
	return 0;
}

/* Between the colons: first the access, if it reads as one, then modifiers. */
static int parse_tail(struct event *event, char *tail, struct spec *spec, struct err *err)
{
	char *colon;

	event->attr.bp_type = HW_BREAKPOINT_RW;
	if (!tail)
		return 0;
	colon = strchr(tail, ':');
	if (colon)
		*colon++ = '\0';
	if (access_bits(tail)) {
		event->attr.bp_type = access_bits(tail);
	} else if (*tail && !colon && !tail[strspn(tail, MODIFIERS)]) {
		colon = tail;
	} else {
		return err__usage(err,
				  "event '%s': '%.40s' is neither an access (r, w, rw or x) "
				  "nor a modifier (%s); write " USAGE,
				  spec->shown, tail, MODIFIERS);
	}
	if (!colon)
		return 0;
	if (!*colon || spec->mods)
		return err__usage(err,
				  "event '%s': modifiers are expected once after the colon "
				  "(allowed: %s)",
				  spec->shown, MODIFIERS);
	spec->mods = xstrdup(colon);
	return 0;
}

static void describe(struct event *event)
{
	static const char *const accesses[] = {
		[HW_BREAKPOINT_R] = "r",
		[HW_BREAKPOINT_W] = "w",
		[HW_BREAKPOINT_RW] = "rw",
		[HW_BREAKPOINT_X] = "x",
	};
	static const char *const titles[] = {
		[HW_BREAKPOINT_R] = "reads of",
		[HW_BREAKPOINT_W] = "writes to",
		[HW_BREAKPOINT_RW] = "accesses to",
		[HW_BREAKPOINT_X] = "executions of",
	};
	uint64_t addr = event->attr.bp_addr, len = event->attr.bp_len;

	event->title = xasprintf("%s 0x%" PRIx64, titles[event->attr.bp_type], addr);
	event->maps_to = xasprintf("mem:0x%" PRIx64 "/%" PRIu64 ":%s", addr, len,
				   accesses[event->attr.bp_type]);
	event->counts = xstrdup("accesses");
	event->pmu = xstrdup("breakpoint");
	event->period = 1;
	event->is_breakpoint = true;
	event->has_addr = true;
}

int event__parse_mem(struct event *event, struct spec *spec, struct err *err)
{
	_cleanup_free_ char *address = xstrdup(spec->base + strlen("mem:"));
	char *tail = strchr(address, ':');
	int r;

	if (tail)
		*tail++ = '\0';
	event->attr.type = PERF_TYPE_BREAKPOINT;
	r = parse_address(event, address, spec, err);
	if (r < 0)
		return r;
	r = parse_tail(event, tail, spec, err);
	if (r < 0)
		return r;
	r = check_access(event, spec, err);
	if (r < 0)
		return r;
	describe(event);
	return 0;
}
