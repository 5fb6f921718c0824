/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a pod's name says of who made it: no API server is asked. */
#ifndef PMUBPF_PROC_WORKLOAD_H
#define PMUBPF_PROC_WORKLOAD_H

/* Of "namespace/pod"; NULL: there is none. The caller frees. */
char *pod_namespace(const char *pod);

/*
 * "web" of "shop/web-66b6c48dd5-x7k2p" (a Deployment's), "node-exporter" of
 * "node-exporter-x7k2p" (a DaemonSet's), "db" of "db-0" (a StatefulSet's), "backup" of
 * "backup-28391040-x7k2p" (a CronJob's): without what controllers put behind their names, so that
 * all replicas are one, and those of before and after a rollout, too. Else the pod's own name. The
 * caller frees.
 */
char *pod_workload(const char *pod);

#endif
