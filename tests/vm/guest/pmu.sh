# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What only a CPU's own counters bring: sources, latencies, precise addresses and levels. The kernel
# delivers them for real; what the silicon would say is told by a module (tests/vm/pmu/).
# module: played_pmu
# qemu: -object memory-backend-ram,id=m0,size=512M -numa node,memdev=m0
# qemu: -object memory-backend-ram,id=m1,size=512M -numa node,memdev=m1
# loads: libjansson.so.4
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

TARGET=$(cat $W/target.addr)

say_ip() { # WORKLOAD-SYMBOL
	cat "$W/$1.addr"
}

load_module() {
	local at
	[ -e /vm/played_pmu.ko ] || skip "the kernel's headers can't be had here"
	[ ! -d /sys/module/played_pmu ] || return 0
	at=$(awk '$3 == "perf_event_overflow" { print "0x" $1 }' /proc/kallsyms)
	insmod /vm/played_pmu.ko "overflow=$at" || fail "the module can't be loaded"
}

# What the PMU shall say: PARAMETER=VALUE…; everything else is as at the beginning.
play() {
	local word
	load_module
	for word in ip=0 di=0 precise=3 no_source=N no_weight=N no_address=N silent=N \
		no_chain=N refuse=0 branches=0 counters=0 hybrid=N "$@"; do
		echo "${word#*=}" >"/sys/module/played_pmu/parameters/${word%%=*}" || fail "$word"
	done
}

# struck's data, as an event of that PMU tells it: TERMS MODIFIERS LABELS
struck() {
	pmb_record --data -c 1000 -e "played/$1/$2" --by "$3" -- $W/struck 0.3
	expect_ledger
	expect_ge "$(sum_get emitted)" 20 "samples"
}

# All samples that stand in strike() have these values of the labels.
expect_all() { # VALUES
	expect_eq "$(sed -n 's/;struck;.*strike [0-9]*$//p' $T/folded | sort -u)" "$1" "values"
}

# Of perf_mem_data_src: OP LEVEL SNOOP LOCK TLB NUMBER REMOTE SNOOPX HOPS
word() {
	echo $(($1 | $2 << 5 | $3 << 19 | $4 << 24 | $5 << 26 | $6 << 33 | $7 << 37 | $8 << 38 | $9 << 43))
}

# Words as drivers make them, and what they say.
SOURCES='
2 0x00a 0x02 0 0 0x1 0 0 0  load L1 hit
2 0x012 0x02 0 0 0xc 0 0 0  load LFB hit
2 0x00a 0x02 0 0x14 0x1 0 0 0  load L1 hit, TLB miss
2 0x402 0x10 0 0 0x3 1 0 0  load remote L3 hit, hitm
2 0x082 0x08 0 0 0xd 0 0 0  load RAM hit, snoop miss
2 0x102 0x02 0 0 0xd 1 0 0  load remote RAM hit
4 0x00c 0x01 2 0 0x1 0 0 0  store L1 miss, locked
2 0x402 0x10 0 0 0xb 1 2 1  load remote cache hit, of another core, hitm, from a peer
2 0x002 0x01 0 0 0x2 0 0 0  load L2 hit
2 0x002 0x01 0 0 0x4 0 0 0  load L4 hit
2 0x002 0x01 0 0 0x6 0 0 0  load memory-side cache hit
2 0x002 0x01 0 0 0x9 1 0 0  load remote CXL hit
8 0x002 0x01 0 0 0x2 0 0 0  prefetch L2 hit
16 0x002 0x01 0 0 0x1 0 0 0  fetch L1 hit
2 0x1002 0x01 0 0 0xa 0 0 0  load I/O hit
2 0x2002 0x01 0 0 0x8 0 0 0  load uncached hit
2 0x002 0x01 0 0 0xe 0 0 0  load PMEM hit
1 0x001 0x01 1 1 0xf 0 0 0  [no data_source]
'

t_the_module() {
	load_module
	[ -d /sys/bus/event_source/devices/played ] || fail "no PMU"
}

t_sources() {
	local op level snoop lock tlb number remote snoopx hops text n=0
	play "ip=$(say_ip struck_load)" "di=$TARGET"
	set --
	while read -r op level snoop lock tlb number remote snoopx hops text; do
		[ -n "$op" ] || continue
		n=$((n + 1))
		set -- "$@" -e "played/data_src=$(word $op $level $snoop $lock $tlb $number $remote $snoopx $hops),addr=$TARGET,name=s$n/ppu"
		echo "s$n;$text"
	done >$T/list <<-END
		$SOURCES
	END
	pmb_record --data -c 1000 "$@" --by data_source -- $W/struck 0.3
	expect_ledger
	expect_eq "$(sed -n 's/;struck;.*strike [0-9]*$//p' $T/folded | sort -u)" "$(sort $T/list)" "values"
}

LABELS=data_class,data_access,data_object,data_offset

# At its own place, and two bytes behind it, where the hardware may stand, too.
t_exact() {
	play "ip=$(say_ip struck_load)" "di=$TARGET"
	struck "addr=$TARGET" ppu $LABELS
	expect_all 'validated;load;target;0..7'
}

t_after() {
	play "ip=$(say_ip struck_end)" "di=$TARGET"
	struck "addr=$((TARGET + 8))" pu $LABELS
	expect_all 'validated;store;target;8..15'
}

# What the registers say is 32 bytes off.
t_contradicted() {
	play "ip=$(say_ip struck_load)" "di=$((TARGET + 32))"
	struck "addr=$TARGET" ppu data_class,data_access,data_object
	expect_all 'contradicted;[no data_access];target'
}

# Where the data is, as the kernel tells it since 6.3: struck's, on the node that it was told.
t_data_node() {
	local node want
	[ -d /sys/devices/system/node/node1 ] || skip "this guest has one node"
	play "ip=$(say_ip struck_load)" "di=$TARGET"
	for node in 0 1; do
		pmb_record --data -c 1000 -e "played/addr=$TARGET/ppu" --by data_class,data_node \
			-- $W/struck 0.3 $node
		expect_ledger
		# until the program touches it, there is no memory
		want=" data_node $node"
		case $(uname -r) in 5.* | 6.[12].*) want= ;; esac
		expect_eq "$(sed -n 's/^validated;\(.*\);struck;.*/ \1/p' $T/folded |
			grep -v 'no data_node' | sort -u)" "$want" "nodes"
	done
}

# What advise says of data from another node, and not of data from here.
t_advise_remote() {
	local near far
	near=$(word 2 0x082 0x08 0 0 0xd 0 0 0) far=$(word 2 0x102 0x02 0 0 0xd 1 0 0)
	play "ip=$(say_ip struck_load)" "di=$TARGET"
	for word in $near $far; do
		pmb_record --data -c 1000 -o $T/p.pb.gz \
			-e "played/data_src=$word,addr=$TARGET/ppu" -- $W/struck 2
		pmb advise --all $T/p.pb.gz || fail "advise ended with $?"
		cp $T/out $T/$word
	done
	grep -q '^[0-9]*\. Data comes from another NUMA node: 100 %' $T/$far ||
		fail "$(cat $T/$far)"
	grep -q '^   remote-memory *0.0 %, less than' $T/$near || fail "$(cat $T/$near)"
}

# A thread of the program, by its name.
thread_of() { # PID NAME
	local i
	for i in 1 2 3 4 5 6 7 8 9; do
		grep -lx "$2" /proc/$1/task/*/comm 2>/dev/null | cut -d/ -f5 | grep . && return
		sleep 1
	done
}

# Until there is a sample of it: the thread is nice, and the machine emulated.
record_thread() { # TID ARGUMENT…
	local tid=$1 i
	shift
	for i in 1 2 3 4 5 6 7 8; do
		pmb_record --data -c 1000 -d 1 -t "$tid" "$@"
		[ "$(sum_get emitted)" -eq 0 ] || return 0
	done
	fail "no sample of a thread in 8 s"
}

# One of its threads writes the first word of a line; the other loads from so far behind it, of
# which the PMU tells that snoop. What is said of the line?
expect_sharing() { # PID SNOOP OFFSET WORDS
	local store load
	store=$(word 4 0x00a 0x02 0 0 0x1 0 0 0) load=$(word 2 0x402 $2 0 0 0x3 1 0 0)
	record_thread "$(thread_of $1 worker-a)" -o $T/a.pb.gz \
		-e "played/data_src=$store,addr=$TARGET,name=line/ppu"
	record_thread "$(thread_of $1 worker-b)" -o $T/b.pb.gz \
		-e "played/data_src=$load,addr=$((TARGET + $3)),name=line/ppu"
	/vm/pmubpf report --shared --by sharing --csv $T/a.pb.gz $T/b.pb.gz >$T/out 2>&1
	expect_eq "$(tail -n +2 $T/out | cut -d, -f3)" "$4" "snoop $2 at $3"
}

# One thread writes a word of a line, the other loads another one, and finds the line changed in
# another CPU's cache. Without that it is suspect, and with the same word no false sharing.
t_false_sharing_is_proven() {
	local pid hit=0x02 hitm=0x10
	play
	# they spin: nicer than who shall start and read beside them
	sh -c 'renice -n 19 -p $$ >/dev/null; exec "$0" 400' $W/threads >/dev/null &
	pid=$!
	trap "kill $pid" EXIT
	expect_sharing $pid $hitm 8 "false sharing"
	expect_sharing $pid $hit 8 "suspect of false sharing"
	expect_sharing $pid $hitm 0 "the same bytes are shared"
}

t_latency() {
	play "ip=$(say_ip struck_load)" "di=$TARGET"
	struck "addr=$TARGET,weight=77" ppu data_latency
	expect_all 64..127
	# and a value of its own: each sample's as many times as it stands for
	pmb record --data --budget 0 -c 1000 -e "played/addr=$TARGET,weight=77/ppu" \
		-o $T/p.pb.gz -- $W/struck 0.3 && pmb report --csv --by process $T/p.pb.gz ||
		fail "it ended with $?: $(head -n 1 $T/err)"
	# the last columns: count self, total, cycles self, total
	expect_eq "$(awk -F, '/struck/ { print $(NF - 1) / $(NF - 3); exit }' $T/out)" 77 \
		"cycles by count"
	struck "addr=$TARGET,weight=3000000000" ppu data_latency
	expect_all 2147483648..4294967295
	# a structure, whose lower half it is: what follows are other latencies (Linux 5.12)
	struck "addr=$TARGET,weight=$((77 | 5000 << 32 | 3 << 48))" ppu data_latency
	expect_all 64..127
}

# Of an event: how many samples, what it counted.
samples_of() { # EVENT
	awk -v event="$1" 'index($0, event ";") == 1 { n += $NF } END { print n + 0 }' $T/folded
}

# Three events, of which two are counted at once: in turn, or in two passes.
t_more_events_than_counters() {
	local name
	play counters=2
	set --
	for name in a b c; do
		set -- "$@" -e "played/addr=$TARGET,name=$name/u"
	done
	pmb_record -c 1000 "$@" -- $W/struck 1
	expect_ledger
	expect_eq "$(sum_get counter_sets)" 2 "sets"
	expect_ge "$(grep -c 'it had a counter [0-9.]* % of the time' $T/err)" 1 \
		"events that were in turn: $(grep -v '^$' $T/err | head -n 5)"
	pmb_record --passes -c 1000 "$@" -- $W/struck 0.3
	expect_ledger
	expect_eq "$(grep -c '"estimated": true' $T/sum)" 0 "estimates of passes"
	for name in a b c; do
		expect_ge "$(samples_of $name)" 20000 "counted by $name"
	done
}

on_cpu() { # CPU
	awk -F, -v cpu="$1" '$2 == "cpu" && $3 == cpu { n = $5 } END { print n + 0 }' $T/out
}

# Each CPU has a PMU of its own, and an event that doesn't say of which is one of both.
t_hybrid() {
	local cpu
	case $(uname -r) in 5.*) skip "Linux 5.13 has such events" ;; esac
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	play hybrid=Y
	for cpu in 1 0; do
		pmb_record -c 1000 -e cycles:u --label cpu -o $T/p.pb.gz -- \
			taskset $((1 << cpu)) $W/struck 0.5
		expect_ledger
		expect_eq "$(sed -n 's/^ *"pmu": "\(.*\)",$/\1/p' $T/sum | sort | xargs)" \
			"cpu_atom cpu_core" "PMUs"
		/vm/pmubpf report --by event,cpu --csv $T/p.pb.gz >$T/out || fail "report"
		expect_eq "$(on_cpu 1) $(on_cpu 0)" \
			"$(sed -n 's/^ *"emitted": \([0-9]*\),$/\1/p' $T/sum | xargs)" \
			"samples of CPU 1 and CPU 0, as cpu_atom and cpu_core have them"
		expect_ge "$(on_cpu $cpu)" 50 "samples of CPU $cpu"
	done
	play
}

# Of 400 slots each us 100 are wasted, nine tenths of them behind branches.
t_top_down_analysis() {
	local value
	[ -e /lib/libjansson.so.4 ] || skip "no libjansson here"
	play rates=40,100,100,300,200,9,1,9
	PMUBPF_CPUID=GenuineIntel-6-70-1 /vm/pmubpf advise --budget 0 --event-db /vm/perfmon -j \
		-o $T/p.pb.gz -- $W/struck 3 >$T/out 2>$T/err || fail "advise: $(cat $T/err)"
	grep -q 'recording .*MISP.ALL' $T/err || fail "recorded: $(head -n 1 $T/err)"
	value=$(tr -d '\n' <$T/out |
		sed -n 's/.*"rule": "topdown-mispredicts",[^{]*"value": \([0-9]*\).*/\1/p')
	expect_ge "${value:-0}" 18 "percent of the slots, of 22.5"
	expect_ge 27 "${value:-0}" "percent of the slots, of 22.5"
	grep -q '"place": "' $T/out || fail "no place"
	play
}

# What the tables say of counters, and what the machine grants.
t_counters_of_the_tables() {
	local line
	[ -e /lib/libjansson.so.4 ] || skip "no libjansson here"
	play rates=40,100 counters=2
	PMUBPF_CPUID=GenuineIntel-6-70-1 /vm/pmubpf list --event-db /vm/perfmon -v \
		ISSUE.NOT_DELIVERED >$T/out 2>$T/err || fail "list: $(cat $T/err)"
	for line in 'at once       2 of them count together (database: counters 0,1,2,3)' \
		'here          yes'; do
		grep -qF "$line" $T/out || fail "not '$line', but: $(cat $T/out)"
	done
	play
}

t_nothing_but_the_sample() {
	play "ip=$(say_ip struck_load)" "di=$TARGET" no_source=Y no_weight=Y no_address=Y
	struck "data_src=2,addr=$TARGET,weight=77" ppu data_source,data_latency,data_object
	expect_all '[no data_source];[no data_latency];target (candidate)'
}

# P takes the highest level that there is; what is asked for in so many words is refused.
t_levels() {
	play precise=1 "ip=$(say_ip struck_end)" "di=$TARGET"
	struck "addr=$((TARGET + 8))" Pu $LABELS
	expect_all 'validated;store;target;8..15'
	pmb record -e "played/addr=1/pp" -- true
	expect_eq $? 3 "exit status with a level too high"
	grep -q "can't count it as precisely as asked" $T/err || fail "says $(cat $T/err)"
}

# With no level at all an address is one that some instruction had: it is not believed as such.
t_no_level() {
	play precise=0 "ip=$(say_ip struck_load)" "di=$((TARGET + 32))"
	struck "addr=$TARGET" Pu data_class,data_object
	expect_eq "$(grep -cE '^(validated|contradicted);' $T/folded)" 0 "what is believed of it"
	expect_eq "$(sum_get precise)" 0 "precise level"
}

# Two instructions later, with no level: the address tells it from the nearer one.
t_several_before() {
	play precise=0 "ip=$(say_ip struck_end)" "di=$TARGET"
	struck "addr=$TARGET" Pu $LABELS
	expect_all 'validated;load;target;0..7'
	struck "addr=$((TARGET + 8))" Pu $LABELS
	expect_all 'validated;store;target;8..15'
	struck "addr=$((TARGET + 16))" Pu data_class
	expect_all address_only
}

# The kernel is told to allow 1,000 a second, of 5,000.
t_throttled() {
	local rate limit=/proc/sys/kernel/perf_event_max_sample_rate
	rate=$(cat $limit)
	play
	echo 50 >/proc/sys/kernel/perf_cpu_time_max_percent # or nothing can be written there
	echo 1000 >$limit
	pmb_record -c 1000 -e played/addr=1/u -- $W/struck 0.5
	echo "$rate" >$limit
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	expect_ledger
	expect_ge "$(sum_get throttled)" 1 "times throttled"
	grep -q 'throttled' $T/err || fail "says nothing of it"
}

t_its_interrupt_does_not_arrive() {
	play silent=Y
	pmb record -c 1000 -e played/addr=1/ -o $T/folded -- $W/struck 0.2
	grep -q 'counted, but no overflow arrived' $T/err || fail "doesn't say so"
}

# ERRNO STATUS WORDS
refused() {
	play refuse=$1
	pmb record -e played/addr=1/ -- true
	expect_eq $? $2 "exit status with errno $1"
	grep -q "$3" $T/err || fail "says $(cat $T/err)"
}

# As AMD's, before Linux 6.1: later kernels take the call chain for any driver.
t_no_chain() {
	play no_chain=Y
	case $(uname -r) in [1-5].* | 6.0*) ;; *) skip "for kernels before 6.1" ;; esac
	pmb record -e played/addr=1/pp -- true
	expect_eq $? 3 "exit status"
	grep -q "use it without p or P" $T/err || fail "says $(cat $T/err)"
}

t_refused() {
	refused 16 1 "the PMU's counters are in use"
	refused 95 3 "PMU played does not support it in this form"
}

# A counter for a part of the machine has neither a program nor an instruction.
t_of_no_program() {
	play
	pmb_record -a -e played_uncore/time/ -d 1
	expect_eq "$(sed 's/ [0-9]*$//' $T/folded)" 'cpu0;[not-program-related]' "stacks"
	expect_within "$(folded_sum)" "1000000 * $(sum_get duration_s)" 200000 "microseconds"
	grep -q 'counted for a part of the machine, not for a program' $T/err || fail "doesn't say so"
}

# Two branches by turns, the latest first: the loop's end (foreseen, 10 cycles) and one amid it
# (not foreseen, 30 cycles). FLAGS: mispredicted 1, predicted 2, cycles from bit 4 on.
two_branches() { # ENTRIES
	local load store end
	load=$(say_ip struck_load) store=$(say_ip struck_store) end=$(say_ip struck_end)
	play "branches=$1" "branch=$end,$load,$((2 | 10 << 4)),$store,$load,$((1 | 30 << 4))"
}

branch_get() { # KEY
	awk -F'[:, ]+' -v key="\"$1\"" '$2 == "\"branches\"" { inside = 1 }
		inside && $2 == key { print $3; exit }' $T/sum
}

# ARGUMENT…
record_branches() {
	pmb_record -c 1000 -o $T/b.pb.gz -e played/addr=1/u "$@" -- $W/struck 0.3
	expect_ledger
	expect_ge "$(sum_get emitted)" 20 "samples"
}

# What is emulated may lose samples; their records are in the books.
expect_records() { # ENTRIES
	local samples
	samples=$(sum_get aggregated)
	expect_eq "$(branch_get stored)" $(($1 * samples)) "records stored"
	expect_eq "$(branch_get runs_stored)" $((($1 - 1) * samples)) "code between two records"
	expect_eq "$(branch_get seen)" $(($1 * samples + $(branch_get lost))) "records seen"
}

hex() { printf '0x%x\n' "$1"; }

# From that symbol: columns of the table, and how it begins.
branch_row() { # SYMBOL
	grep " $(hex "$(say_ip $1)") -> " $T/out | awk '{ print $3, $6, $7, $10 }'
}

t_branches() {
	local n
	for n in 4 16 32; do
		two_branches $n
		record_branches -b
		expect_records $n
	done
	pmb report --branches $T/b.pb.gz || fail "report ended with $?"
	# of 31 runs of a sample 16 end at the loop's end, and pass what the 15 others end at
	expect_eq "$(branch_row struck_end)" "0.0 10.0 0.0 strike" "the loop's end"
	expect_eq "$(branch_row struck_store)" "100.0 30.0 51.6 strike" "amid it"
}

t_branches_for_bolt() {
	local half load store end
	two_branches 32
	record_branches -j any
	half=$((16 * $(sum_get aggregated)))
	load=$(say_ip struck_load) store=$(say_ip struck_store) end=$(say_ip struck_end)
	pmb report --bolt $T/b.pb.gz || fail "report ended with $?"
	printf 'B %x %x %d %d\n' "$store" "$load" $half $half "$end" "$load" $half 0 >$T/want
	printf 'F %x %x %d\n' "$load" "$store" $((half / 16 * 15)) "$load" "$end" $half >>$T/want
	expect_eq "$(cat $T/out)" "$(cat $T/want)" "lines"
	grep -q 'branches of /vm/workloads/struck (build-id ' $T/err || fail "says $(cat $T/err)"
}

# A CPU tells more than there is room for, and nonsense.
t_hostile_branches() {
	local load end samples
	load=$(say_ip struck_load) end=$(say_ip struck_end)
	play branches=100 "branch=$end,$load,2,0,$load,2,$end,0x8000000000000000,2,\
0xffffffff81000000,$load,1,$end,16,2"
	record_branches -b
	samples=$(sum_get aggregated)
	expect_eq "$(branch_get seen)" $((100 * samples + $(branch_get lost))) "records seen"
	expect_eq "$(for k in stored invalid kernel unmapped cut; do
		echo $(($(branch_get $k) / samples))
	done | xargs)" "13 26 13 12 36" "records of a sample"
}

t_branches_of_the_kernel() {
	local at
	at=$(awk '$3 == "schedule" { print "0x" $1; exit }' /proc/kallsyms)
	play branches=4 "branch=$(hex $((at + 16))),$at,2"
	record_branches -j any,k
	expect_records 4
	pmb report --branches $T/b.pb.gz
	grep -q ' schedule +0x10 -> schedule +0x0  (\[kernel.kallsyms\])' $T/out ||
		fail "no such branch"
}

t_no_branch_records() {
	play
	pmb record -b -c 1000 -e played/addr=1/u -- true
	expect_eq $? 3 "exit status"
	grep -q 'PMU played records no branches here' $T/err || fail "says $(cat $T/err)"
}

run_tests
