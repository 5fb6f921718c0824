// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 200,000 lines are read in one go and parsed in place: names stay where they are in the text. The
 * hard thing: symbols have no sizes, so the end of a section must come from elsewhere (_etext,
 * /proc/modules, and a limit), or the last function would own everything behind it.
 */
#include "sym/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"

enum {
	FUNCTION_MAX = 1 << 20, /* no function of the kernel comes near */
	FILE_MAX = 512 * 1024 * 1024,
};

struct ksym {
	uint64_t addr;
	const char *name; /* NULL: what lies here has no name (the end of a section) */
	const char *module;
	bool global;
};

struct kmodule {
	uint64_t base;
	uint64_t size;
	const char *name;
};

struct kallsyms {
	char *text, *modules_text;
	struct ksym *symbols;
	size_t n_symbols, cap_symbols;
	struct kmodule *modules;
	size_t n_modules, cap_modules;
	bool hidden;
};

/* The whole file, NUL-terminated. */
static int read_file(const char *path, char **ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t len = 0, cap = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t n;

		if (len == cap) {
			if (cap >= FILE_MAX)
				return -EFBIG;
			cap = cap ? 2 * cap : 16 * 1024 * 1024;
			text = xrealloc(text, cap + 1, 1);
		}
		n = read(fd, text + len, cap - len);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			len += (size_t)n;
	}
	text[len] = '\0';
	*ret = TAKE_PTR(text);
	return 0;
}

/* Where code ends and nothing follows that has a name. arm64 has them twice, once with __pi_. */
static bool ends_section(const char *name)
{
	if (!strncmp(name, "__pi_", 5))
		name += 5;
	return !strcmp(name, "_etext") || !strcmp(name, "_einittext");
}

/* `ffffffffc0201000 t name\t[module]`, NUL-terminated; its parts are cut in place. False for data,
 * absolute and per-CPU symbols, hidden addresses and lines of another form. */
static bool parse_symbol(char *line, struct ksym *ret)
{
	const char *p = line;
	char type, *tab, *close;

	if (!num__take_hex(&p, &ret->addr) || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	type = p[1];
	if (!strchr("tTwW", type) || !ret->addr)
		return false;
	ret->global = type != 't';
	ret->name = p + 3;
	ret->module = NULL;
	tab = strchr(p + 3, '\t');
	if (tab && tab[1] == '[' && (close = strchr(tab, ']'))) {
		*tab = *close = '\0';
		ret->module = tab + 2;
	}
	if (!ret->module && ends_section(ret->name))
		ret->name = NULL;
	return true;
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* By address; of those that share one, the best name first. */
static int by_addr(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;

	if (a->addr != b->addr)
		return CMP3(a->addr, b->addr);
	if (!a->name || !b->name)
		return CMP3(!a->name, !b->name);
	if (a->global != b->global)
		return CMP3(b->global, a->global);
	if (leading_underscores(a->name) != leading_underscores(b->name))
		return CMP3(leading_underscores(a->name), leading_underscores(b->name));
	if (strlen(a->name) != strlen(b->name))
		return CMP3(strlen(a->name), strlen(b->name));
	return strcmp(a->name, b->name);
}

/* Adds s behind the last one if it has a higher address, or decides between the two if they share
 * it. The core kernel comes sorted, modules don't: false asks for a sort at the end. */
static bool kallsyms__add(struct kallsyms *ks, const struct ksym *s)
{
	struct ksym *last = ks->n_symbols ? &ks->symbols[ks->n_symbols - 1] : NULL;

	if (last && last->addr == s->addr) {
		if (by_addr(s, last) < 0)
			*last = *s;
		return true;
	}
	GROW(ks->symbols, ks->n_symbols, ks->cap_symbols);
	ks->symbols[ks->n_symbols] = *s;
	return ks->n_symbols++ == 0 || ks->symbols[ks->n_symbols - 2].addr < s->addr;
}

static void kallsyms__sort(struct kallsyms *ks)
{
	size_t n = 0;

	qsort(ks->symbols, ks->n_symbols, sizeof(*ks->symbols), by_addr);
	for (size_t i = 0; i < ks->n_symbols; i++) {
		if (n == 0 || ks->symbols[n - 1].addr != ks->symbols[i].addr)
			ks->symbols[n++] = ks->symbols[i];
	}
	ks->n_symbols = n;
}

static void kallsyms__parse(struct kallsyms *ks)
{
	bool sorted = true;
	char *line = ks->text, *next;

	for (; *line; line = next) {
		char *newline = strchr(line, '\n');
		struct ksym s;

		next = newline ? newline + 1 : line + strlen(line);
		if (newline)
			*newline = '\0';
		if (parse_symbol(line, &s) && !kallsyms__add(ks, &s))
			sorted = false;
	}
	if (!sorted)
		kallsyms__sort(ks);
	ks->hidden = ks->n_symbols == 0;
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

static void kallsyms__parse_modules(struct kallsyms *ks)
{
	char *line, *rest = ks->modules_text;

	while ((line = strsep(&rest, "\n"))) {
		struct kmodule m;

		if (!parse_module(line, &m))
			continue;
		GROW(ks->modules, ks->n_modules, ks->cap_modules);
		ks->modules[ks->n_modules++] = m;
	}
	if (ks->n_modules)
		qsort(ks->modules, ks->n_modules, sizeof(*ks->modules), by_base);
}

struct kallsyms *kallsyms__of_text(char *text, char *modules_text)
{
	struct kallsyms *ks = xcalloc(1, sizeof(*ks));

	ks->text = text;
	ks->modules_text = modules_text;
	kallsyms__parse(ks);
	kallsyms__parse_modules(ks);
	return ks;
}

int kallsyms__load_from(const char *path, const char *modules_path, struct kallsyms **ret,
			struct err *err)
{
	char *text, *modules = NULL;
	int r;

	path = path ? path : "/proc/kallsyms";
	r = read_file(path, &text);
	if (r < 0)
		return err__set(err, r, "can't read the kernel's symbols from %s: %s", path,
				strerror(-r));
	if (read_file(modules_path ? modules_path : "/proc/modules", &modules) < 0)
		modules = NULL;
	*ret = kallsyms__of_text(text, modules);
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
	free(ks->symbols);
	free(ks->modules);
	free(ks->text);
	free(ks->modules_text);
	free(ks);
	return NULL;
}

/* The last symbol at or before addr, or NULL. */
static const struct ksym *symbol_before(const struct kallsyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->n_symbols;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &ks->symbols[lo - 1] : NULL;
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
		*ret = (struct kernel_name){.name = s->name, .module = s->module};
		return;
	}
	ret->reason = SYM_NO_SYMBOL;
	if (module) {
		ret->module = module->name;
		ret->module_offset = addr - module->base;
	}
}
