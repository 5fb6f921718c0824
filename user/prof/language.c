// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A JIT's code has the names that its runtime gave it, in perf maps and jitdumps: each has a way of
 * its own. */
#include "prof/language.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static bool begins_with_any(const char *name, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strncmp(name, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

const char *prof_jit_language(const char *name)
{
	/* V8's kinds of code */
	static const char *const javascript[] = {"JS:",      "LazyCompile:", "Function:",
						 "Script:",  "Eval:",        "RegExp",
						 "Builtin:", "Stub:",        "BytecodeHandler:"};
	static const char *const python[] = {"py::"};

	if (begins_with_any(name, python, ARRAY_SIZE(python)))
		return "python";
	if (begins_with_any(name, javascript, ARRAY_SIZE(javascript)))
		return "javascript";
	/* HotSpot's: java.lang.String::hashCode, Ljava/lang/String;::hashCode */
	if (name[0] != '[' && strstr(name, "::"))
		return "java";
	return "jit";
}

const char *prof__language(const struct prof *p, uint32_t location)
{
	const struct prof_location *l = &p->locations[location];
	uint32_t function = l->n_lines ? p->lines[l->first_line].function : 0;

	switch (prof__kind(p, location)) {
	case PROF_KERNEL:
		return "kernel";
	case PROF_PYTHON:
		return "python";
	case PROF_SCRIPT:
		return "javascript";
	case PROF_JIT:
		return prof_jit_language(prof__text(p, prof__function_name(p, function)));
	case PROF_USER:
		return "native";
	default:
		return NULL;
	}
}

bool prof_is_libc(const char *module)
{
	return starts_with(module, "libc.") || starts_with(module, "libc-") ||
	       starts_with(module, "libpthread") || starts_with(module, "ld-musl");
}

bool prof_is_python(const char *module)
{
	return starts_with(module, "python3") || starts_with(module, "libpython3");
}
