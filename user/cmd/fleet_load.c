// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/fleet_load.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "ship/fleet.h"
#include "ship/schema.h"

int fleet_from__option(struct fleet_from *from, int key, const char *arg)
{
	switch (key) {
	case FLEET_HOST:
		from->host = arg;
		return 0;
	case FLEET_CREDENTIALS:
		from->credentials = arg;
		return 0;
	case FLEET_CA:
		from->ca = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int fleet_from__check(const struct fleet_from *from, const char *dir, struct err *err)
{
	if ((!from->host && !from->credentials && !from->ca) ||
	    (dir && (ship_url__is(dir) || ship_url__is_s3(dir))))
		return 0;
	return err__usage(err, "--host, --credentials and --ca are of a server: --from "
			       "clickhouse+http://HOST:PORT/DATABASE, or s3+http");
}

/* Of a sample what a column says, or of its frames. */
static bool is_of_columns(const char *word)
{
	static const char *const others[] = {"host", "event",   "module",  "class",
					     "line", "address", "function"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (strcmp(word, others[i]) == 0)
			return true;
	}
	return schema__is_label(word);
}

void fleet_from__tell_apart(struct fleet_from *from, const char *keys)
{
	_cleanup_free_ char *words = xstrdup(keys);
	char *rest = words, *word;
	bool can = true;

	while ((word = strsep(&rest, ",")))
		can &= is_of_columns(word);
	for (size_t i = 0; from->only && i < from->only->n_labels; i++)
		can &= is_of_columns(from->only->labels[i].key);
	from->apart = can ? keys : NULL;
}

int fleet_from__connect(struct fleet_connection *c, const char *text, const struct fleet_from *from,
			struct err *err)
{
	int r;

	*c = (struct fleet_connection){.secrets.ca = -1};
	r = ship_url__parse_any(&c->url, text, "--from", err);
	if (r == 0)
		r = http_secrets__load(&c->secrets, from->credentials, &c->url, err);
	if (r == 0 && from->ca)
		r = http_secrets__load_ca(&c->secrets, from->ca, err);
	return r < 0 ? r : http_client__new(&c->http, &c->url, &c->secrets, err);
}

void fleet_connection__done(struct fleet_connection *c)
{
	http_client__free(c->http);
	http_secrets__done(&c->secrets);
	ship_url__done(&c->url);
}

static void tell(const struct fleet_news *news)
{
	if (news->missing)
		fprintf(stderr,
			"pmubpf: the server no longer knows %zu of the stacks; what they weigh is "
			"[unknown]\n",
			news->missing);
	if (news->torn)
		fprintf(stderr,
			"pmubpf: of %" PRIu64 " window(s) the server has not as many rows as were "
			"sent: sums are off by the rest; a replica that lags behind has them "
			"later\n",
			news->torn);
	if (news->outlived)
		fprintf(stderr,
			"pmubpf: of %" PRIu64 " window(s) the server has no longer all rows: it "
			"keeps samples for %d days, and windows longer; name a time since then\n",
			news->outlived, SCHEMA_SAMPLES_DAYS);
	if (news->without_remarks)
		fprintf(stderr,
			"pmubpf: what %" PRIu64
			" windows say of themselves isn't added up (losses, "
			"machines): name less time or a host\n",
			news->windows);
}

static char *make_title(const char *url, const struct fleet_news *news)
{
	char first[TIME_TEXT], last[TIME_TEXT];

	time__text(news->first_ns, first);
	time__text(news->end_ns, last);
	return xasprintf("%s: %" PRIu64 " window%s, %s to %s", url, news->windows,
			 news->windows == 1 ? "" : "s", first, last);
}

int fleet_from__load(struct prof **ret, char **ret_title, const char *url,
		     const struct time_range *range, const struct fleet_from *from,
		     const struct pprof_limits *limits, struct err *err)
{
	_cleanup_(fleet_connection__done) struct fleet_connection c;
	struct fleet_news news = {0};
	const struct fleet_ask ask = {
		.since_ns = range->since_ns,
		.until_ns = range->until_ns,
		.host = from->host,
		.apart = from->apart,
		.labels = from->only ? from->only->labels : NULL,
		.n_labels = from->only ? from->only->n_labels : 0,
		.max_bytes = limits->max_bytes,
	};
	int r = fleet_from__connect(&c, url, from, err);

	if (r == 0)
		r = fleet__load(ret, c.http, &ask, &news, err);
	if (r < 0)
		return r;
	tell(&news);
	*ret_title = make_title(url, &news);
	return 0;
}
