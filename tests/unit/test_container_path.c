// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "proc/container_path.h"

#define ID "4f1d7b1c9d5e2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80912a3b"
#define ID2 "00007b1c9d5e2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80912a3b"
#define POD "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define POD_ "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Paths as the engines make them, of hosts with either driver. */
static const struct {
	const char *path;
	bool id_is_name;
	const char *id, *pod, *unit;
} cases[] = {
	{"/", false, NULL, NULL, NULL},
	{"", false, NULL, NULL, NULL},
	{"/docker/" ID, false, ID, NULL, NULL},
	{"/system.slice/docker-" ID ".scope", false, ID, NULL, NULL},
	{"/system.slice/docker.service", false, NULL, NULL, "docker.service"},
	{"/docker/" ID "/system.slice/sshd.service", false, ID, NULL, "sshd.service"},
	{"/docker/" ID "/docker/" ID2, false, ID2, NULL, NULL},
	{"/libpod_parent/libpod-" ID, false, ID, NULL, NULL},
	{"/machine.slice/libpod-" ID ".scope/container", false, ID, NULL, NULL},
	{"/machine.slice/libpod-conmon-" ID ".scope", false, NULL, NULL,
	 "libpod-conmon-" ID ".scope"},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	 false, ID, NULL, "user@1000.service"},
	{"/default/" ID, false, ID, NULL, NULL},
	{"/system.slice/nerdctl-" ID ".scope", false, ID, NULL, NULL},
	{"/kubepods/burstable/pod" POD "/" ID, false, ID, POD, NULL},
	{"/kubepods/pod" POD "/" ID, false, ID, POD, NULL},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
	 ".slice/cri-containerd-" ID ".scope",
	 false, ID, POD, NULL},
	{"/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", false, ID, POD, NULL},
	{"/kubepods.slice/kubepods-pod" POD_ ".slice/crio-conmon-" ID ".scope", false, NULL, POD,
	 "crio-conmon-" ID ".scope"},
	{"/docker/" ID2 "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_
	 ".slice/cri-containerd-" ID ".scope", /* kind */
	 false, ID, POD, NULL},
	{"/lxc/web", true, "web", NULL, NULL},
	{"/lxc.payload.web-1/system.slice/nginx.service", true, "web-1", NULL, "nginx.service"},
	{"/lxc.monitor.web-1", false, NULL, NULL, NULL},
	{"/machine.slice/machine-web\\x2d1.scope/payload", true, "web-1", NULL, NULL},
	{"/machine.slice/systemd-nspawn@web.service/payload", true, "web", NULL, NULL},
	{"/system.slice/redis-server.service", false, NULL, NULL, "redis-server.service"},
	{"/user.slice/user-1000.slice/session-3.scope", false, NULL, NULL, "session-3.scope"},
	/* what only looks like one */
	{"/docker/4f1d", false, NULL, NULL, NULL},
	{"/docker/" ID "0", false, NULL, NULL, NULL},
	{"/docker-" ID ".scopes", false, NULL, NULL, NULL},
	{"/system.slice/podman.service", false, NULL, NULL, "podman.service"},
	{"/kubepods/podX", false, NULL, NULL, NULL},
	{"/machine-.scope", false, NULL, NULL, "machine-.scope"},
};

Test(container_path, as_engines_make_them)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct container_path got;

		container_path__parse(&got, cases[i].path);
		cr_expect_eq(got.id_is_name, cases[i].id_is_name, "%s", cases[i].path);
		cr_expect(same(got.id, cases[i].id), "%s: id %s", cases[i].path, got.id);
		cr_expect(same(got.pod_uid, cases[i].pod), "%s: pod %s", cases[i].path,
			  got.pod_uid);
		cr_expect(same(got.unit, cases[i].unit), "%s: unit %s", cases[i].path, got.unit);
		container_path__done(&got);
	}
}
