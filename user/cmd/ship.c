// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pmubpf ship: windows to ClickHouse. It has no network itself (ship/http.h is the process that
 * has it), and whatever ends it at any time, the next one goes on from what is written down.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/output.h"
#include "cmd/schema_arg.h"
#include "cmd/ship_args.h"
#include "ship/sender.h"
#include "sys/caps.h"
#include "sys/drop.h"

enum { LOOK_S = 5, TRIES_ONCE = 3 };

struct ship_run {
	struct ship_args args;
	int spool, state;
	struct ship_url url;
	struct http_secrets secrets;
	struct http_client *http;
	struct sender *sender;
	struct utsname names;
};

static void ship_run__done(struct ship_run *run)
{
	sender__free(run->sender);
	http_client__free(run->http);
	http_secrets__done(&run->secrets);
	ship_url__done(&run->url);
	cleanup_close(&run->spool);
	cleanup_close(&run->state);
}

static int open_folder(const char *path, const char *option, int *ret, struct err *err)
{
	*ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0)
		return err__set(err, -errno, "can't open %s '%s': %s", option, path,
				strerror(errno));
	return 0;
}

static void say(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "pmubpf: %s\n", text);
}

static int open_all(struct ship_run *run, struct err *err)
{
	const struct ship_args *a = &run->args;
	int r = ship_url__parse_any(&run->url, a->to, "--to", err);

	if (r == 0 && a->one_of > 1 && run->url.kind != SHIP_CLICKHOUSE)
		return err__usage(err,
				  "--share is about rows for ClickHouse; '%s' gets whole "
				  "windows",
				  a->to);
	if (r == 0)
		r = http_secrets__load(&run->secrets, a->credentials, &run->url, err);
	if (r == 0 && a->ca)
		r = http_secrets__load_ca(&run->secrets, a->ca, err);
	if (r == 0)
		r = open_folder(a->from, "--from", &run->spool, err);
	if (r < 0)
		return r;
	run->state = ship_state__open(a->state, "--state", 0, err);
	return run->state < 0 ? run->state : 0;
}

/* What is left is what the process with the network needs to become nobody. */
static int drop(struct err *err)
{
	int r = drop_capabilities(CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SETPCAP) |
				  caps_to_hand_over());

	return r < 0 ? err__set(err, r, "can't give up privileges: %s", strerror(-r)) : 0;
}

static int start(struct ship_run *run, struct err *err)
{
	const struct ship_args *a = &run->args;
	struct sender_opts opts = {
		.spool = run->spool,
		.state_dir = run->state,
		.to = a->to,
		.url = &run->url,
		.secrets = &run->secrets,
		.host = a->host ? a->host : run->names.nodename,
		.rows = {.max_stacks = (size_t)a->stacks,
			 .all_labels = a->all_labels,
			 .one_of = a->one_of},
		.tries = a->once ? TRIES_ONCE : 0,
		.timeout_ms = (uint32_t)a->timeout_s * 1000,
		.say = say,
	};
	int r = geteuid() == 0 ? drop(err) : 0;

	if (r == 0)
		r = http_client__new(&run->http, &run->url, &run->secrets, err);
	return r < 0 ? r : sender__new(&run->sender, run->http, &opts, err);
}

static void tell(const struct ship_run *run)
{
	const struct ship_state *state = sender__state(run->sender);
	const struct sender_news *news = sender__news(run->sender);

	if (run->args.quiet)
		return;
	fprintf(stderr,
		"pmubpf: %" PRIu64 " windows sent, %" PRIu64 " rows, %.1f MB\n"
		"pmubpf: ever: %" PRIu64 " sent, %" PRIu64 " refused, %" PRIu64 " expired, %" PRIu64
		" uncertain\n",
		news->windows, news->rows, (double)news->bytes / 1e6, state->sent, state->refused,
		state->expired, state->uncertain);
}

static int run_all(struct ship_run *run, struct err *err)
{
	const struct timespec wait = {.tv_sec = LOOK_S};
	int r;

	while ((r = sender__run(run->sender, err)) == 0 && !run->args.once)
		nanosleep(&wait, NULL);
	tell(run);
	return r;
}

int cmd_ship(int argc, char **argv)
{
	_cleanup_(ship_run__done) struct ship_run run = {
		.spool = -1,
		.state = -1,
		.secrets.ca = -1,
	};
	struct err err = {.exit_code = EXIT_FAILED};
	int r = ship_args__parse(&run.args, argc, argv, &err);

	if (r == 0 && run.args.schema) {
		r = schema_arg__print(run.args.schema, &err);
		return r < 0 ? complain(&err) : EXIT_DONE;
	}
	if (r == 0 && uname(&run.names) < 0)
		r = err__set(&err, -errno, "this host has no name: %s", strerror(errno));
	if (r == 0)
		r = open_all(&run, &err);
	if (r == 0)
		r = start(&run, &err);
	if (r == 0)
		r = run_all(&run, &err);
	return r < 0 ? complain(&err) : EXIT_DONE;
}
