// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"
#include "proc/workload.h"

/* Names as Kubernetes' controllers make them, and some that only look so. */
static const struct {
	const char *pod, *space, *workload;
} cases[] = {
	{"shop/web-66b6c48dd5-x7k2p", "shop", "web"},
	{"shop/web-6b5d98cf4-9fnxl", "shop", "web"},
	{"kube-system/coredns-5dd5756b68-8zf6q", "kube-system", "coredns"},
	{"shop/web-2-66b6c48dd5-x7k2p", "shop", "web-2"},
	{"monitoring/node-exporter-x7k2p", "monitoring", "node-exporter"},
	{"kube-system/kube-dns-x7k2p", "kube-system", "kube-dns"},
	{"data/db-0", "data", "db"},
	{"data/db-17", "data", "db"},
	{"ops/backup-28391040-x7k2p", "ops", "backup"},
	{"ops/backup-1703462400-x7k2p", "ops", "backup"},
	{"ops/migrate-x7k2p", "ops", "migrate"},
	/* people's */
	{"shop/web", "shop", "web"},
	{"shop/my-nginx", "shop", "my-nginx"},
	{"shop/web-canary", "shop", "web-canary"},
	{"shop/web-v2", "shop", "web-v2"},
	{"kube-system/etcd-master", "kube-system", "etcd-master"},
	{"shop/release-20240101", "shop", "release-20240101"},
	/* nothing is left of none */
	{"shop/-x7k2p", "shop", "-x7k2p"},
	{"shop/x7k2p", "shop", "x7k2p"},
	{"shop/a-66b6c48dd5-x7k2p", "shop", "a"},
	{"shop/66b6c48dd5-x7k2p", "shop", "66b6c48dd5"},
	{"shop/", "shop", ""},
	{"web-66b6c48dd5-x7k2p", NULL, "web"},
	{"/web-0", NULL, "web"},
	{"", NULL, ""},
};

Test(workload, of_pods)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *space = pod_namespace(cases[i].pod), *workload = pod_workload(cases[i].pod);

		if (cases[i].space)
			cr_assert_str_eq(space, cases[i].space, "%s", cases[i].pod);
		else
			cr_assert_null(space, "%s", cases[i].pod);
		cr_assert_str_eq(workload, cases[i].workload, "%s", cases[i].pod);
		free(space);
		free(workload);
	}
}
