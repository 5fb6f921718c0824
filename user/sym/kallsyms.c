// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 120,000 to 200,000 lines are parsed as they are read, and only the names of functions are kept:
 * the text as a whole would be the largest block of memory of a recording. The hard thing: symbols
 * have no sizes, so the end of a section must come from elsewhere (_etext, /proc/modules, and a
 * limit), or the last function would own everything behind it.
 */
#include "sym/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"

enum {
	FUNCTION_MAX = 1 << 20, /* no function of the kernel comes near */
	NAMES_MAX = 512 * 1024 * 1024,
	CHUNK = 64 * 1024, /* of the file; no line comes near */
	READS = 16,        /* at a time; the kernel gives a page or so each */
};

/* Names are offsets into the text of all names; 0: what lies here has none (the end of a
 * section). */
struct ksym {
	uint64_t addr;
	uint32_t name;
	uint32_t module : 31; /* 0: the kernel proper */
	uint32_t global : 1;
};

struct kmodule {
	uint64_t base;
	uint64_t size;
	char *name;
};

struct kallsyms {
	struct buf names; /* each with its NUL; at 0 there is none */
	struct ksym *symbols;
	size_t n_symbols, cap_symbols;
	/* of the symbols, from the start, before the first that lies lower than the one before
	 * it */
	size_t n_sorted;
	uint32_t module; /* of the last line that had one: those of a module stand together */
	struct kmodule *modules;
	size_t n_modules, cap_modules;
	bool hidden;
	int fd; /* while it is read */
	char *text;
	size_t text_len; /* of the last line, whose end hasn't come */
};

/* Where code ends and nothing follows that has a name. arm64 has them twice, once with __pi_. */
static bool ends_section(const char *name)
{
	if (!strncmp(name, "__pi_", 5))
		name += 5;
	return !strcmp(name, "_etext") || !strcmp(name, "_einittext");
}

static const char *text_at(const struct kallsyms *ks, uint32_t at)
{
	return at ? ks->names.data + at : NULL;
}

static uint32_t keep_name(struct kallsyms *ks, const char *name)
{
	uint32_t at = (uint32_t)ks->names.len;

	buf__add(&ks->names, name, strlen(name) + 1);
	return at;
}

static uint32_t keep_module(struct kallsyms *ks, const char *name)
{
	if (!ks->module || strcmp(text_at(ks, ks->module), name) != 0)
		ks->module = keep_name(ks, name);
	return ks->module;
}

/* `ffffffffc0201000 t name\t[module]`, NUL-terminated; its parts are cut in place. False for data,
 * absolute and per-CPU symbols, hidden addresses and lines of another form. */
static bool parse_symbol(struct kallsyms *ks, char *line, struct ksym *ret)
{
	const char *p = line;
	char type, *tab, *close;

	*ret = (struct ksym){0};
	if (!num__take_hex(&p, &ret->addr) || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	type = p[1];
	if (!strchr("tTwW", type) || !ret->addr || ks->names.len > NAMES_MAX)
		return false;
	ret->global = type != 't';
	tab = strchr(p + 3, '\t');
	if (tab && tab[1] == '[' && (close = strchr(tab, ']'))) {
		*tab = *close = '\0';
		ret->module = keep_module(ks, tab + 2) & INT32_MAX;
	}
	if (ret->module || !ends_section(p + 3))
		ret->name = keep_name(ks, p + 3);
	return true;
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* By address; of those that share one, the best name first. */
static int by_addr(const void *pa, const void *pb, void *ctx)
{
	const struct ksym *a = pa, *b = pb;
	const struct kallsyms *ks = ctx;
	const char *x, *y;

	if (a->addr != b->addr)
		return CMP3(a->addr, b->addr);
	if (!a->name || !b->name)
		return CMP3(!a->name, !b->name);
	if (a->global != b->global)
		return CMP3(b->global, a->global);
	x = text_at(ks, a->name);
	y = text_at(ks, b->name);
	if (leading_underscores(x) != leading_underscores(y))
		return CMP3(leading_underscores(x), leading_underscores(y));
	if (strlen(x) != strlen(y))
		return CMP3(strlen(x), strlen(y));
	return strcmp(x, y);
}

/* Adds s behind the last one, or decides between the two if they share an address. */
static void kallsyms__add(struct kallsyms *ks, const struct ksym *s)
{
	struct ksym *last = ks->n_symbols ? &ks->symbols[ks->n_symbols - 1] : NULL;

	if (last && last->addr == s->addr) {
		if (by_addr(s, last, ks) < 0)
			*last = *s;
		return;
	}
	if (ks->n_sorted == ks->n_symbols && (!last || last->addr < s->addr))
		ks->n_sorted++;
	GROW(ks->symbols, ks->n_symbols, ks->cap_symbols);
	ks->symbols[ks->n_symbols++] = *s;
}

/* How many symbols, of those that come sorted, lie below addr. */
static size_t sorted_below(const struct kallsyms *ks, uint64_t addr)
{
	return FIRST_INDEX(i, ks->n_sorted, ks->symbols[i].addr >= addr);
}

/* The core kernel comes sorted, and modules, which don't, mostly lie above it: what lies below all
 * that is out of place need not be touched. */
static void kallsyms__sort(struct kallsyms *ks)
{
	uint64_t lowest = UINT64_MAX;
	size_t n;

	if (ks->n_sorted == ks->n_symbols)
		return;
	for (size_t i = ks->n_sorted; i < ks->n_symbols; i++) {
		if (ks->symbols[i].addr < lowest)
			lowest = ks->symbols[i].addr;
	}
	n = sorted_below(ks, lowest);
	qsort_r(ks->symbols + n, ks->n_symbols - n, sizeof(*ks->symbols), by_addr, ks);
	for (size_t i = n; i < ks->n_symbols; i++) {
		if (n == 0 || ks->symbols[n - 1].addr != ks->symbols[i].addr)
			ks->symbols[n++] = ks->symbols[i];
	}
	ks->n_symbols = n;
}

static void kallsyms__line(struct kallsyms *ks, char *line)
{
	struct ksym s;

	if (parse_symbol(ks, line, &s))
		kallsyms__add(ks, &s);
}

/* Takes the whole lines of text[0, len) out of it; returns how much is left at its start. */
static size_t kallsyms__lines(struct kallsyms *ks, char *text, size_t len)
{
	char *line = text, *end = text + len, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		*newline = '\0';
		kallsyms__line(ks, line);
		line = newline + 1;
	}
	memmove(text, line, (size_t)(end - line));
	return (size_t)(end - line);
}

static void kallsyms__complete(struct kallsyms *ks)
{
	ks->text[ks->text_len] = '\0';
	kallsyms__line(ks, ks->text);
	kallsyms__sort(ks);
	ks->hidden = ks->n_symbols == 0;
	free(ks->text);
	ks->text = NULL;
	close(ks->fd);
	ks->fd = -1;
}

int kallsyms__read_on(struct kallsyms *ks)
{
	for (int i = 0; i < READS; i++) {
		ssize_t n = read(ks->fd, ks->text + ks->text_len, CHUNK - ks->text_len);

		if (n == 0) {
			kallsyms__complete(ks);
			return 0;
		}
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			ks->text_len = kallsyms__lines(ks, ks->text, ks->text_len + (size_t)n);
		if (ks->text_len == CHUNK)
			return -EFBIG;
	}
	return 1;
}

static int by_base(const void *pa, const void *pb)
{
	const struct kmodule *a = pa, *b = pb;

	return a->base != b->base ? CMP3(a->base, b->base) : strcmp(a->name, b->name);
}

/* `name size refcount users state 0xbase [taints]` */
static bool parse_module(char *line, struct kmodule *ret)
{
	char *space = strchr(line, ' ');
	const char *p = space;

	if (!space)
		return false;
	*space = '\0';
	ret->name = line;
	p++;
	if (!num__take_u64(&p, &ret->size))
		return false;
	p = strstr(p, " 0x");
	if (!p)
		return false;
	p += 3;
	return num__take_hex(&p, &ret->base) && ret->base;
}

static void kallsyms__read_modules(struct kallsyms *ks, const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (file && getline(&line, &cap, file) >= 0) {
		struct kmodule m;

		if (!parse_module(line, &m))
			continue;
		m.name = xstrdup(m.name);
		GROW(ks->modules, ks->n_modules, ks->cap_modules);
		ks->modules[ks->n_modules++] = m;
	}
	if (ks->n_modules)
		qsort(ks->modules, ks->n_modules, sizeof(*ks->modules), by_base);
}

struct kallsyms *kallsyms__modules(const char *path)
{
	struct kallsyms *ks = xcalloc(1, sizeof(*ks));

	ks->fd = -1;
	buf__putc(&ks->names, '\0');
	kallsyms__read_modules(ks, path ? path : "/proc/modules");
	return ks;
}

int kallsyms__begin(const char *path, const char *modules_path, struct kallsyms **ret)
{
	/* modules first: one that comes in between is seen as a change later */
	struct kallsyms *ks = kallsyms__modules(modules_path);
	int r;

	ks->fd = open(path ? path : "/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (ks->fd < 0) {
		r = -errno;
		kallsyms__free(ks);
		return r;
	}
	ks->text = xcalloc(CHUNK + 1, 1);
	*ret = ks;
	return 0;
}

int kallsyms__load_from(const char *path, const char *modules_path, struct kallsyms **ret,
			struct err *err)
{
	struct kallsyms *ks = NULL;
	int r = kallsyms__begin(path, modules_path, &ks);

	if (r == 0) {
		while ((r = kallsyms__read_on(ks)) > 0)
			;
	}
	if (r < 0) {
		kallsyms__free(ks);
		return err__set(err, r, "can't read the kernel's symbols from %s: %s",
				path ? path : "/proc/kallsyms", strerror(-r));
	}
	*ret = ks;
	return 0;
}

int kallsyms__load(const char *path, struct kallsyms **ret, struct err *err)
{
	return kallsyms__load_from(path, NULL, ret, err);
}

struct kallsyms *kallsyms__free(struct kallsyms *ks)
{
	if (!ks)
		return NULL;
	for (size_t i = 0; i < ks->n_modules; i++)
		free(ks->modules[i].name);
	if (ks->fd >= 0)
		close(ks->fd);
	free(ks->text);
	free(ks->symbols);
	free(ks->modules);
	buf__done(&ks->names);
	free(ks);
	return NULL;
}

/* The last symbol at or before addr, or NULL. */
static const struct ksym *symbol_before(const struct kallsyms *ks, uint64_t addr)
{
	size_t above = FIRST_INDEX(i, ks->n_symbols, ks->symbols[i].addr > addr);

	return above ? &ks->symbols[above - 1] : NULL;
}

/* The module whose core section holds addr, or NULL. */
static const struct kmodule *module_at(const struct kallsyms *ks, uint64_t addr)
{
	for (size_t i = ks->n_modules; i-- > 0;) {
		const struct kmodule *m = &ks->modules[i];

		if (m->base <= addr)
			return addr - m->base < m->size ? m : NULL;
	}
	return NULL;
}

void kallsyms__find(const struct kallsyms *ks, uint64_t addr, struct kernel_name *ret)
{
	const struct kmodule *module;
	const struct ksym *s;

	*ret = (struct kernel_name){.reason = SYM_NO_KALLSYMS};
	if (!ks || ks->hidden)
		return;
	s = symbol_before(ks, addr);
	module = module_at(ks, addr);
	/* Behind the last function of one module or of the kernel, another module may begin whose
	 * first bytes have no symbol: they aren't that function's. */
	if (s && s->name && addr - s->addr < FUNCTION_MAX && (!module || s->addr >= module->base)) {
		*ret = (struct kernel_name){text_at(ks, s->name), text_at(ks, s->module),
					    addr - s->addr, SYM_NAMED};
		return;
	}
	ret->reason = SYM_NO_SYMBOL;
	if (module) {
		ret->module = module->name;
		ret->offset = addr - module->base;
	}
}

bool kallsyms__is_hidden(const struct kallsyms *ks)
{
	return ks->hidden;
}

/* A module's last function ends where its core section does, if no symbol comes before. */
uint64_t kallsyms__size(const struct kallsyms *ks, uint64_t addr)
{
	size_t next = FIRST_INDEX(i, ks->n_symbols, ks->symbols[i].addr > addr);
	const struct kmodule *module = module_at(ks, addr);
	uint64_t size = next < ks->n_symbols ? ks->symbols[next].addr - addr : 0;

	if (module && (!size || size > module->base + module->size - addr))
		size = module->base + module->size - addr;
	return size < FUNCTION_MAX ? size : 0;
}

bool kallsyms__same_modules(const struct kallsyms *ks, const char *modules_path)
{
	struct kallsyms *now = kallsyms__modules(modules_path);
	bool same;

	same = now->n_modules == ks->n_modules;
	for (size_t i = 0; same && i < ks->n_modules; i++)
		same = by_base(&now->modules[i], &ks->modules[i]) == 0 &&
		       now->modules[i].size == ks->modules[i].size;
	kallsyms__free(now);
	return same;
}
