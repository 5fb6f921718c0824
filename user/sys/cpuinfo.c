// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sys/cpuinfo.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/processor.h"
#include "sys/procfs.h"

char *cpuinfo_value(const char *cpuinfo, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) != 0)
			continue;
		line += len + strspn(line + len, "\t ");
		if (*line != ':')
			continue;
		line += 1 + strspn(line + 1, " ");
		return xstrndup(line, strcspn(line, "\n"));
	}
	return NULL;
}

/* What an architecture calls its model, most telling first; arm64 only has numbers. */
static void put_model(struct buf *out, const char *cpuinfo)
{
	static const char *const names[] = {"model name", "cpu model", "uarch", "isa"};
	_cleanup_free_ char *implementer = cpuinfo_value(cpuinfo, "CPU implementer");
	_cleanup_free_ char *part = cpuinfo_value(cpuinfo, "CPU part");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *name = cpuinfo_value(cpuinfo, names[i]);

		if (!name)
			continue;
		buf__puts(out, name);
		return;
	}
	if (implementer && part)
		buf__printf(out, "CPU implementer %s, part %s", implementer, part);
	else
		buf__puts(out, "CPU of unknown model");
}

char *cpuinfo_describe(void)
{
	_cleanup_free_ char *cpuinfo = file_read("/proc/cpuinfo");
	const char *text = cpuinfo ? cpuinfo : "";
	_cleanup_free_ char *microcode = cpuinfo_value(text, "microcode");
	_cleanup_free_ char *family = cpuinfo_value(text, "cpu family");
	_cleanup_free_ char *model = cpuinfo_value(text, "model");
	_cleanup_free_ char *stepping = cpuinfo_value(text, "stepping");
	_cleanup_free_ char *mhz = cpuinfo_value(text, "cpu MHz");
	struct buf out = {0};

	put_model(&out, text);
	if (family && model && stepping)
		buf__printf(&out, ", family %s model %s stepping %s", family, model, stepping);
	if (microcode)
		buf__printf(&out, ", microcode %s", microcode);
	buf__printf(&out, ", %ld CPUs online", sysconf(_SC_NPROCESSORS_ONLN));
	if (mhz)
		buf__printf(&out, " at %s MHz", mhz);
	processor_describe("", &out);
	return buf__take(&out);
}
