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
	enum container_engine engine;
	const char *id, *pod, *unit;
} cases[] = {
	{"/", ENGINE_NONE, NULL, NULL, NULL},
	{"", ENGINE_NONE, NULL, NULL, NULL},
	{"/docker/" ID, ENGINE_DOCKER, ID, NULL, NULL},
	{"/system.slice/docker-" ID ".scope", ENGINE_DOCKER, ID, NULL, NULL},
	{"/system.slice/docker.service", ENGINE_NONE, NULL, NULL, "docker.service"},
	{"/docker/" ID "/system.slice/sshd.service", ENGINE_DOCKER, ID, NULL, "sshd.service"},
	{"/docker/" ID "/docker/" ID2, ENGINE_DOCKER, ID2, NULL, NULL},
	{"/libpod_parent/libpod-" ID, ENGINE_PODMAN, ID, NULL, NULL},
	{"/machine.slice/libpod-" ID ".scope/container", ENGINE_PODMAN, ID, NULL, NULL},
	{"/machine.slice/libpod-conmon-" ID ".scope", ENGINE_NONE, NULL, NULL,
	 "libpod-conmon-" ID ".scope"},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	 ENGINE_PODMAN, ID, NULL, "user@1000.service"},
	{"/default/" ID, ENGINE_CONTAINERD, ID, NULL, NULL},
	{"/system.slice/nerdctl-" ID ".scope", ENGINE_CONTAINERD, ID, NULL, NULL},
	{"/kubepods/burstable/pod" POD "/" ID, ENGINE_KUBERNETES, ID, POD, NULL},
	{"/kubepods/pod" POD "/" ID, ENGINE_KUBERNETES, ID, POD, NULL},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
	 ".slice/cri-containerd-" ID ".scope",
	 ENGINE_CONTAINERD, ID, POD, NULL},
	{"/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", ENGINE_CRIO, ID, POD,
	 NULL},
	{"/kubepods.slice/kubepods-pod" POD_ ".slice/crio-conmon-" ID ".scope", ENGINE_NONE, NULL,
	 POD, "crio-conmon-" ID ".scope"},
	{"/docker/" ID2 "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_
	 ".slice/cri-containerd-" ID ".scope", /* kind */
	 ENGINE_CONTAINERD, ID, POD, NULL},
	{"/lxc/web", ENGINE_LXC, "web", NULL, NULL},
	{"/lxc.payload.web-1/system.slice/nginx.service", ENGINE_LXC, "web-1", NULL,
	 "nginx.service"},
	{"/lxc.monitor.web-1", ENGINE_NONE, NULL, NULL, NULL},
	{"/machine.slice/machine-web\\x2d1.scope/payload", ENGINE_NSPAWN, "web-1", NULL, NULL},
	{"/machine.slice/systemd-nspawn@web.service/payload", ENGINE_NSPAWN, "web", NULL, NULL},
	{"/system.slice/redis-server.service", ENGINE_NONE, NULL, NULL, "redis-server.service"},
	{"/user.slice/user-1000.slice/session-3.scope", ENGINE_NONE, NULL, NULL, "session-3.scope"},
	/* what only looks like one */
	{"/docker/4f1d", ENGINE_NONE, NULL, NULL, NULL},
	{"/docker/" ID "0", ENGINE_NONE, NULL, NULL, NULL},
	{"/docker-" ID ".scopes", ENGINE_NONE, NULL, NULL, NULL},
	{"/system.slice/podman.service", ENGINE_NONE, NULL, NULL, "podman.service"},
	{"/kubepods/podX", ENGINE_NONE, NULL, NULL, NULL},
	{"/machine-.scope", ENGINE_NONE, NULL, NULL, "machine-.scope"},
};

Test(container_path, as_engines_make_them)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct container_path got;

		container_path__parse(&got, cases[i].path);
		cr_expect_eq(got.engine, cases[i].engine, "%s: engine %d", cases[i].path,
			     got.engine);
		cr_expect(same(got.id, cases[i].id), "%s: id %s", cases[i].path, got.id);
		cr_expect(same(got.pod_uid, cases[i].pod), "%s: pod %s", cases[i].path,
			  got.pod_uid);
		cr_expect(same(got.unit, cases[i].unit), "%s: unit %s", cases[i].path, got.unit);
		container_path__done(&got);
	}
}
