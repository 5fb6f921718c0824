// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc/container_path.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

enum { ID_LEN = 64 };

/* Scopes of systemd's drivers: what stands before the id. Folders of the cgroupfs drivers are the
 * id, whatever they are in: "/docker/ID", "/NAMESPACE/ID" (ctr, nerdctl), "/kubepods/podUID/ID". */
static const char *const scopes[] = {
	"docker-", "libpod-", "cri-containerd-", "nerdctl-", "crio-",
};

/* Exactly an id: 64 digits, and nothing after them but a scope's suffix. */
static bool is_id(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n == ID_LEN && (!text[n] || strcmp(text + n, ".scope") == 0);
}

static void set(char **to, const char *text, size_t len)
{
	free(*to);
	*to = xstrndup(text, len);
}

static void set_container(struct container_path *p, char *id, bool is_name)
{
	free(p->id);
	p->id = id;
	p->id_is_name = is_name;
}

/* systemd writes - as \x2d in names of its own. */
static char *unescape(const char *text, size_t len)
{
	char *out = xcalloc(len + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (len - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
		    isxdigit((unsigned char)text[i + 2]) && isxdigit((unsigned char)text[i + 3])) {
			char hex[3] = {text[i + 2], text[i + 3], 0};

			out[n++] = (char)strtoul(hex, NULL, 16);
			i += 3;
		} else {
			out[n++] = text[i];
		}
	}
	return out;
}

static bool take_scope(struct container_path *p, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		const char *id = name + strlen(scopes[i]);

		/* libpod-conmon-…, crio-conmon-…: the engine's own process beside the container */
		if (!starts_with(name, scopes[i]) || !is_id(id))
			continue;
		set_container(p, xstrndup(id, ID_LEN), false);
		return true;
	}
	return false;
}

/* "machine-web\x2d1.scope", "systemd-nspawn@web.service", "lxc.payload.web" */
static bool take_machine(struct container_path *p, const char *before, const char *name)
{
	static const struct {
		const char *start, *end;
	} forms[] = {
		{"machine-", ".scope"},
		{"systemd-nspawn@", ".service"},
		{"lxc.payload.", ""},
	};

	if (strcmp(before, "lxc") == 0 || strcmp(before, "lxc.payload") == 0) {
		set_container(p, xstrdup(name), true);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t start = strlen(forms[i].start), end = strlen(forms[i].end);
		size_t len = strlen(name);

		if (!starts_with(name, forms[i].start) || len <= start + end ||
		    strcmp(name + len - end, forms[i].end) != 0)
			continue;
		set_container(p, unescape(name + start, len - start - end), true);
		return true;
	}
	return false;
}

/* "pod<uid>", or "kubepods-burstable-pod<uid with _>.slice" */
static bool take_pod(struct container_path *p, const char *name)
{
	const char *pod = ends_with(name, ".slice") && strstr(name, "kubepods-") ?
				  strstr(name, "-pod") :
				  NULL;
	size_t len;

	pod = pod ? pod + 4 : starts_with(name, "pod") ? name + 3 : NULL;
	if (!pod)
		return false;
	len = strspn(pod, "0123456789abcdef-_");
	if (len < 32 || (pod[len] && strcmp(pod + len, ".slice") != 0))
		return false;
	set(&p->pod_uid, pod, len);
	for (char *c = p->pod_uid; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return true;
}

static bool take_bare_id(struct container_path *p, const char *name)
{
	if (!is_id(name) || name[ID_LEN])
		return false;
	set_container(p, xstrdup(name), false);
	return true;
}

static void take_part(struct container_path *p, const char *before, const char *name)
{
	if (take_pod(p, name) || take_scope(p, name) || take_bare_id(p, name) ||
	    take_machine(p, before, name))
		return;
	if (ends_with(name, ".service") || ends_with(name, ".scope"))
		set(&p->unit, name, strlen(name));
}

void container_path__parse(struct container_path *ret, const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	const char *before = "";
	char *rest = copy, *name;

	*ret = (struct container_path){0};
	while ((name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		take_part(ret, before, name);
		before = name;
	}
}

void container_path__done(struct container_path *path)
{
	free(path->id);
	free(path->pod_uid);
	free(path->unit);
	*path = (struct container_path){0};
}
