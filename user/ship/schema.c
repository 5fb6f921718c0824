// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ship/schema.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define WORD(word) word,
const char *const schema_labels[] = {SCHEMA_LABELS(WORD, WORD) NULL};
#undef WORD

/* Of what had no column once, for rows of agents from then: theirs is among the labels. */
#define OF_LABEL(label, behind) \
	"DEFAULT substring(arrayFirst(x -> startsWith(x, '" label "='), labels), " behind ")"
#define OF_NAMESPACE OF_LABEL("namespace", "11")
#define OF_WORKLOAD OF_LABEL("workload", "10")
#define OF_IMAGE OF_LABEL("image", "7")

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define SAMPLES_DAYS TEXT(SCHEMA_SAMPLES_DAYS)

/* No codec, TTL or LowCardinality: 18.16 has none, or not without a setting. */
static const char one_server[] =
	"-- pmubpf's tables on one ClickHouse server, 18.16 or later:\n"
	"--   pmubpf ship --schema clickhouse | clickhouse-client --multiquery --database pmubpf\n"
	"-- 18.16 has no TTL: ALTER TABLE samples DROP PARTITION 'YYYY-MM-DD' by a timer.\n"
	"CREATE TABLE IF NOT EXISTS samples (\n"
	"    start DateTime,          -- of the window\n"
	"    window UInt64,           -- a hash of host, boot and seq\n"
	"    part UInt16,             -- of the window's rows: 1 is all, 2 and 3 its halves, …\n"
	"    host String, container String,\n"
	"    namespace String " OF_NAMESPACE ",\n"
	"    workload String " OF_WORKLOAD ", -- of pods: deployment, daemon set, …\n"
	"    image String " OF_IMAGE ",\n"
	"    comm String, event String,\n"
	"    labels Array(String),    -- 'key=text', 'key#number unit'\n"
	"    stack UInt64,            -- 0: [other]\n"
	"    samples Int64, weight Int64, time Int64 -- number, events, nanoseconds\n"
	") ENGINE = MergeTree PARTITION BY toDate(start)\n"
	"  ORDER BY (event, container, start, host, comm, stack);\n"
	"CREATE TABLE IF NOT EXISTS stacks (\n"
	"    hash UInt64, day Date,\n"
	"    functions Array(String), -- names, leaf first, inlined ones too\n"
	"    frames Array(String)     -- the rest of each: address, module, build-id, file, line\n"
	") ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (hash, day);\n"
	"CREATE TABLE IF NOT EXISTS names ( -- of frames without one: pmubpf symbolize\n"
	"    build_id String, offset UInt64, added Date,\n"
	"    functions Array(String), frames Array(String) -- as those of stacks\n"
	") ENGINE = ReplacingMergeTree(added) PARTITION BY tuple() ORDER BY (build_id, offset);\n"
	"CREATE TABLE IF NOT EXISTS alarms ( -- of agent --alarm and --when\n"
	"    host String, boot String, seq UInt64, window UInt64,\n"
	"    start DateTime,          -- of the window\n"
	"    at_ns Int64, since_ns Int64,\n"
	"    relation String, news String, -- 'Y ~ X'; raised, over, usual\n"
	"    percent Float64,         -- above what was expected; inf\n"
	"    observed Float64, expected Float64 -- of Y, since then\n"
	") ENGINE = ReplacingMergeTree PARTITION BY toDate(start)\n"
	"  ORDER BY (host, relation, at_ns, window);\n"
	"CREATE TABLE IF NOT EXISTS windows (\n"
	"    host String, boot String, seq UInt64, window UInt64,\n"
	"    start DateTime, start_ns Int64, duration_ns Int64,\n"
	"    types String, default_type String, period_type String, period Int64,\n"
	"    drop_frames String, keep_frames String,\n"
	"    comments Array(String),  -- what the recording says of itself, losses among it\n"
	"    layouts Array(String),\n"
	"    rows UInt64, stacks UInt32, others UInt32\n"
	") ENGINE = ReplacingMergeTree PARTITION BY toDate(start) ORDER BY (host, boot, seq);\n";

/* What both tables of a cluster have: AS would look for a local one in the database "default". */
#define SAMPLES_COLUMNS                                                        \
	"    start DateTime CODEC(DoubleDelta, ZSTD),\n"                       \
	"    window UInt64 CODEC(ZSTD),\n"                                     \
	"    part UInt16 CODEC(ZSTD),\n"                                       \
	"    host LowCardinality(String), container LowCardinality(String),\n" \
	"    namespace LowCardinality(String) " OF_NAMESPACE ",\n"             \
	"    workload LowCardinality(String) " OF_WORKLOAD ",\n"               \
	"    image LowCardinality(String) " OF_IMAGE ",\n"                     \
	"    comm LowCardinality(String), event LowCardinality(String),\n"     \
	"    labels Array(LowCardinality(String)) CODEC(ZSTD),\n"              \
	"    stack UInt64 CODEC(ZSTD),\n"                                      \
	"    samples Int64 CODEC(T64, ZSTD), weight Int64 CODEC(T64, ZSTD),\n" \
	"    time Int64 CODEC(T64, ZSTD)"
#define STACKS_COLUMNS                                               \
	"    hash UInt64, day Date CODEC(DoubleDelta, ZSTD),\n"      \
	"    functions Array(LowCardinality(String)) CODEC(ZSTD),\n" \
	"    frames Array(LowCardinality(String)) CODEC(ZSTD)"
#define NAMES_COLUMNS                                                                   \
	"    build_id LowCardinality(String), offset UInt64 CODEC(ZSTD), added Date,\n" \
	"    functions Array(LowCardinality(String)) CODEC(ZSTD),\n"                    \
	"    frames Array(LowCardinality(String)) CODEC(ZSTD)"
#define ALARMS_COLUMNS                                                        \
	"    host LowCardinality(String), boot LowCardinality(String),\n"     \
	"    seq UInt64, window UInt64,\n"                                    \
	"    start DateTime CODEC(DoubleDelta, ZSTD),\n"                      \
	"    at_ns Int64, since_ns Int64,\n"                                  \
	"    relation LowCardinality(String), news LowCardinality(String),\n" \
	"    percent Float64, observed Float64, expected Float64"
#define WINDOWS_COLUMNS                                                            \
	"    host LowCardinality(String), boot LowCardinality(String),\n"          \
	"    seq UInt64, window UInt64,\n"                                         \
	"    start DateTime CODEC(DoubleDelta, ZSTD),\n"                           \
	"    start_ns Int64, duration_ns Int64,\n"                                 \
	"    types LowCardinality(String), default_type LowCardinality(String),\n" \
	"    period_type LowCardinality(String), period Int64,\n"                  \
	"    drop_frames LowCardinality(String),\n"                                \
	"    keep_frames LowCardinality(String),\n"                                \
	"    comments Array(String) CODEC(ZSTD),\n"                                \
	"    layouts Array(String) CODEC(ZSTD),\n"                                 \
	"    rows UInt64, stacks UInt32, others UInt32"

static const char cluster[] =
	"-- pmubpf's tables on shards with replicas, ClickHouse 24 or later; the macros\n"
	"-- {cluster}, {shard} and {replica} are those of the servers:\n"
	"--   pmubpf ship --schema clickhouse-cluster |\n"
	"--     clickhouse-client --multiquery --database pmubpf\n"
	"CREATE TABLE IF NOT EXISTS samples_local ON CLUSTER '{cluster}' (\n" SAMPLES_COLUMNS ",\n"
	"    INDEX by_namespace namespace TYPE set(100) GRANULARITY 4,\n"
	"    INDEX by_workload workload TYPE set(100) GRANULARITY 4,\n"
	"    INDEX by_image image TYPE set(100) GRANULARITY 4\n"
	") ENGINE = ReplicatedMergeTree(\n"
	"    '/clickhouse/tables/{shard}/{database}/samples', '{replica}')\n"
	"  PARTITION BY toDate(start)\n"
	"  ORDER BY (event, container, start, host, comm, stack)\n"
	"  TTL start + INTERVAL " SAMPLES_DAYS " DAY;\n"
	"CREATE TABLE IF NOT EXISTS stacks_local ON CLUSTER '{cluster}' (\n" STACKS_COLUMNS "\n"
	") ENGINE = ReplicatedReplacingMergeTree(\n"
	"    '/clickhouse/tables/{shard}/{database}/stacks', '{replica}')\n"
	"  PARTITION BY day ORDER BY (hash, day) TTL day + INTERVAL 31 DAY;\n"
	"CREATE TABLE IF NOT EXISTS names_local ON CLUSTER '{cluster}' (\n" NAMES_COLUMNS "\n"
	") ENGINE = ReplicatedReplacingMergeTree(\n"
	"    '/clickhouse/tables/{shard}/{database}/names', '{replica}', added)\n"
	"  ORDER BY (build_id, offset) TTL added + INTERVAL 1 YEAR;\n"
	"CREATE TABLE IF NOT EXISTS alarms_local ON CLUSTER '{cluster}' (\n" ALARMS_COLUMNS "\n"
	") ENGINE = ReplicatedReplacingMergeTree(\n"
	"    '/clickhouse/tables/{shard}/{database}/alarms', '{replica}')\n"
	"  PARTITION BY toDate(start) ORDER BY (host, relation, at_ns, window)\n"
	"  TTL start + INTERVAL 31 DAY;\n"
	"CREATE TABLE IF NOT EXISTS windows_local ON CLUSTER '{cluster}' (\n" WINDOWS_COLUMNS "\n"
	") ENGINE = ReplicatedReplacingMergeTree(\n"
	"    '/clickhouse/tables/{shard}/{database}/windows', '{replica}')\n"
	"  PARTITION BY toDate(start) ORDER BY (host, boot, seq)\n"
	"  TTL start + INTERVAL 31 DAY;\n"
	"CREATE TABLE IF NOT EXISTS samples ON CLUSTER '{cluster}' (\n" SAMPLES_COLUMNS "\n"
	") ENGINE = Distributed(\n"
	"    '{cluster}', currentDatabase(), samples_local, cityHash64(host));\n"
	"CREATE TABLE IF NOT EXISTS stacks ON CLUSTER '{cluster}' (\n" STACKS_COLUMNS "\n"
	") ENGINE = Distributed(\n"
	"    '{cluster}', currentDatabase(), stacks_local, hash);\n"
	"CREATE TABLE IF NOT EXISTS names ON CLUSTER '{cluster}' (\n" NAMES_COLUMNS "\n"
	") ENGINE = Distributed(\n"
	"    '{cluster}', currentDatabase(), names_local, cityHash64(build_id));\n"
	"CREATE TABLE IF NOT EXISTS alarms ON CLUSTER '{cluster}' (\n" ALARMS_COLUMNS "\n"
	") ENGINE = Distributed(\n"
	"    '{cluster}', currentDatabase(), alarms_local, cityHash64(host));\n"
	"CREATE TABLE IF NOT EXISTS windows ON CLUSTER '{cluster}' (\n" WINDOWS_COLUMNS "\n"
	") ENGINE = Distributed(\n"
	"    '{cluster}', currentDatabase(), windows_local, cityHash64(host));\n";

bool schema__is_label(const char *key)
{
	for (const char *const *label = schema_labels; *label; label++) {
		if (strcmp(*label, key) == 0)
			return true;
	}
	return false;
}

const char *schema__text(const char *form)
{
	static const struct {
		const char *name, *text;
	} forms[] = {{"clickhouse", one_server}, {"clickhouse-cluster", cluster}};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (strcmp(form, forms[i].name) == 0)
			return forms[i].text;
	}
	return NULL;
}
