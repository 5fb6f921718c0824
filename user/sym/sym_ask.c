// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asks the helper. One file at a time is open in it, with its debug file; it is closed before the
 * next. */
#include "sym/sym_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "opener/opener.h"
#include "sym/debug_file.h"
#include "sym/debuginfod.h"
#include "symd/protocol.h"
#include "sys/clock.h"

enum {
	TIMEOUT_MIN_MS = 1000,
	/* of names of one file; a million frames of 200 bytes */
	NAME_BYTES_MAX = 256 * 1024 * 1024,
	FILE_TIMEOUTS = 6, /* all requests about one file together get this many times as long */
};

/* Whoever stops us, or the end of all time, is not the helper's failure. */
bool sym__is_stopped(struct sym *sym)
{
	uint64_t now = now_ns();
	struct pollfd p = {.fd = sym->helper.stop_fd, .events = POLLIN};

	if (now >= sym->until_ns)
		sym->stopped = true;
	if (p.fd >= 0 && now >= sym->helper.stop_from_ns && poll(&p, 1, 0) > 0)
		sym->stopped = true;
	return sym->stopped;
}

int sym__fail(struct sym *sym, int err)
{
	const uint64_t least = (uint64_t)TIMEOUT_MIN_MS * 1000000;

	helper__kill(&sym->helper);
	if ((err == -ECANCELED || err == -ETIMEDOUT) && sym__is_stopped(sym))
		return err;
	if (err == -ETIMEDOUT && sym->patient_until_ns && now_ns() >= sym->patient_until_ns) {
		sym->put_off = true;
		return err;
	}
	if (!sym->trouble)
		sym->trouble = helper__obituary(&sym->helper, err);
	sym->failures++;
	if (sym->timeout_ns / 2 >= least) {
		sym->timeout_ns /= 2;
		sym->helper.still_ns /= 2;
	}
	return err;
}

uint64_t sym__deadline(const struct sym *sym)
{
	uint64_t deadline = now_ns() + sym->timeout_ns;

	if (deadline > sym->file_deadline_ns)
		deadline = sym->file_deadline_ns;
	if (sym->patient_until_ns && deadline > sym->patient_until_ns)
		deadline = sym->patient_until_ns;
	return deadline < sym->until_ns ? deadline : sym->until_ns;
}

int sym__ask(struct sym *sym, int fd, struct cursor *body)
{
	int r = helper__ask(&sym->helper, fd, sym__deadline(sym), body);

	return r < 0 ? sym__fail(sym, r) : 0;
}

int sym__ask_names(struct sym *sym, struct cursor *body)
{
	int r = sym__ask(sym, -1, body);

	if (r < 0)
		return r;
	sym->name_bytes += cursor__left(body);
	return sym->name_bytes > NAME_BYTES_MAX ? sym__fail(sym, -E2BIG) : 0;
}

int sym__open(struct sym *sym, uint16_t type, int fd, enum sym_reason refusal, struct cursor *body,
	      enum sym_reason *ret)
{
	int r;

	sym->file_deadline_ns = now_ns() + FILE_TIMEOUTS * sym->timeout_ns;
	sym->patient_until_ns = 0;
	sym->name_bytes = 0;
	texts__next_group(sym->texts);
	r = helper__start(&sym->helper, sym__deadline(sym));
	if (r < 0)
		return sym__fail(sym, r);
	if (sym->patience_ns)
		sym->patient_until_ns = now_ns() + sym->patience_ns;
	helper__begin(&sym->helper, type);
	r = sym__ask(sym, fd, body);
	if (r < 0)
		return r;
	r = reply__reason(body, refusal, ret);
	return r < 0 ? sym__fail(sym, r) : 0;
}

static int sym_file__lend(const struct sym_file *file, int found)
{
	return opener__lend(file->opener, found, file->mnt_ns, file->dev);
}

struct offering {
	struct sym *sym;
	const struct sym_file *file;
	int err;
};

/* Whatever goes wrong here ends the search too: there's no helper left to ask. */
static bool offer_debug_file(void *ctx, int fd)
{
	struct offering *o = ctx;
	_cleanup_close_ int found = fd;
	_cleanup_close_ int lent = sym_file__lend(o->file, found);
	struct cursor body;
	int r;

	if (lent < 0)
		return false;

	helper__begin(&o->sym->helper, SYMD_ADD_DEBUG);
	o->err = sym__ask(o->sym, lent, &body);
	if (o->err < 0)
		return true;
	r = reply__flag(&body);
	if (r >= 0)
		return r;
	o->err = sym__fail(o->sym, r);
	return true;
}

/* True: it's one of those that the caller has. */
static bool offer_given(struct offering *o)
{
	for (size_t i = 0; i < o->file->n_debug_fds; i++) {
		int fd = fcntl(o->file->debug_fds[i], F_DUPFD_CLOEXEC, 0);

		if (fd >= 0 && offer_debug_file(o, fd))
			return true;
	}
	return false;
}

static int sym__add_debug_file(struct sym *sym, const struct sym_file *file,
			       const struct reply_identity *id)
{
	struct offering o = {.sym = sym, .file = file};
	struct debug_wanted wanted = {
		.build_id = id->build_id,
		.build_id_len = id->build_id_len,
		.link = *id->link ? id->link : NULL,
		.path = file->path,
		.root_fd = file->root_fd,
		.mnt_ns = file->mnt_ns,
		.dev = file->dev,
		.opener = file->opener,
	};

	if (!offer_given(&o) && !debug_file__search(&wanted, offer_debug_file, &o) &&
	    file->servers && id->build_id_len) {
		int fd = debuginfod__fetch(file->servers, id->build_id, id->build_id_len);

		/* the helper had nothing to do meanwhile */
		sym->file_deadline_ns = now_ns() + FILE_TIMEOUTS * sym->timeout_ns;
		if (sym->patient_until_ns)
			sym->patient_until_ns = now_ns() + sym->patience_ns;
		if (fd >= 0)
			offer_debug_file(&o, fd);
	}
	return o.err;
}

int sym__open_elf(struct sym *sym, const struct sym_file *file, bool symbols, bool dwarf,
		  enum sym_reason *ret)
{
	_cleanup_close_ int lent = sym_file__lend(file, file->fd);
	enum sym_reason reason = SYM_HELPER;
	struct reply_identity id = {0};
	struct cursor body;
	int r;

	sym->identity = id;
	*ret = lent < 0 ? SYM_NO_FILE : SYM_HELPER;
	if (lent < 0)
		return -ENOENT;
	r = sym__open(sym, SYMD_OPEN_ELF, lent, SYM_BAD_FILE, &body, &reason);
	if (r == 0 && reply__identity(&body, &id) < 0)
		r = sym__fail(sym, -EPROTO);
	if (r == 0 && reason == SYM_NAMED &&
	    ((symbols && !id.has_symtab) || (dwarf && !id.has_debug_info)))
		r = sym__add_debug_file(sym, file, &id);
	if (r < 0)
		return r;
	sym->identity = id;
	*ret = reason;
	return reason == SYM_NAMED ? 0 : -ENOEXEC;
}

bool sym__is_silent(struct sym *sym, const struct sym_file *file)
{
	const struct silent_fs where = {file->dev, file->mnt_ns};
	bool refused = silent__refuses(&sym->silent, where, now_ns());

	if (refused)
		sym->trouble = xstrdup("was not asked: that file system does not answer");
	return refused;
}

bool sym__is_stuck_at(struct sym *sym, const struct sym_file *file)
{
	const struct silent_fs where = {file->dev, file->mnt_ns};

	if (sym->helper.stuck)
		silent__add(&sym->silent, where, now_ns());
	return sym->helper.stuck;
}

void sym__close(struct sym *sym, const struct sym_file *file)
{
	uint64_t deadline = now_ns() + sym->timeout_ns;
	struct cursor body;

	if (!sym->helper.pid)
		return;
	helper__begin(&sym->helper, SYMD_CLOSE);
	if (helper__ask(&sym->helper, -1, deadline < sym->until_ns ? deadline : sym->until_ns,
			&body) == 0)
		return;
	sym->failures += !sym__is_stopped(sym);
	sym__is_stuck_at(sym, file);
}
