/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an agent tells Prometheus: options (an argp parser, a child of the agent's own, whose input
 * is a struct agent_metrics_args), and the processes that write it and answer scrapes. */
#ifndef PMUBPF_CMD_AGENT_METRICS_H
#define PMUBPF_CMD_AGENT_METRICS_H

#include <argp.h>

#include "base/err.h"
#include "cmd/agent_alarms.h"
#include "cmd/agent_to.h"
#include "cmd/live.h"
#include "render/metrics.h"
#include "ship/scrape.h"
#include "spool/writer.h"
#include "sys/renewal.h"

struct agent_metrics_args {
	const char *textfile, *listen;
	struct err *err;
};
extern const struct argp agent_metrics_argp;

struct agent_metrics {
	const struct agent_metrics_args *args;
	struct metrics *sums; /* NULL: nobody wants them */
	struct renewal textfile;
	struct scrape scrape;
	unsigned port;
	struct buf text; /* the last one */
	bool in_trouble;
};

/* Before the network is given up. */
int agent_metrics__start(struct agent_metrics *m, const struct agent_metrics_args *args,
			 struct err *err);
/* What of that has to be opened anew where args change. */
struct agent_metrics_opened {
	bool has_file, has_port; /* that is another one now */
	struct renewal textfile;
	struct scrape scrape;
	unsigned port;
};
/* Who keeps senders opens the port. A negative errno with the sentence: nothing has changed. */
int agent_metrics__open(const struct agent_metrics *m, const struct agent_metrics_args *args,
			struct keeper *keeper, struct agent_metrics_opened *ret, struct err *err);
/* Takes what was opened: it can't fail, and nobody else gives that up. m->args says the same as
 * args did by then. */
void agent_metrics__apply(struct agent_metrics *m, struct agent_metrics_opened *opened);
void agent_metrics__add(struct agent_metrics *m, const struct part *part);
/* A new text, of what there is now. */
void agent_metrics__write(struct agent_metrics *m, const struct writer *writer,
			  const struct agent_to *to, const struct keeper *keeper,
			  const struct agent_alarms *alarms);
/* Now and then: who was killed is started again; of a file that can't be written a sentence is
 * said. */
void agent_metrics__step(struct agent_metrics *m);
void agent_metrics__done(struct agent_metrics *m); /* {0} with .scrape.listener = -1 is fine */

#endif
