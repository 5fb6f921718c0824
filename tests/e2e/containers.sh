#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Containers by name: real Docker and real Podman, whose state lies where nobody guesses it.
# shellcheck source=tests/e2e/docker_lib.sh
. "$(dirname "$0")/docker_lib.sh"

# A root file system of one static program under several names, and dockerd in a mount namespace of
# its own.
setup() {
	local name
	mkdir -p "$S/root/bin"
	gcc -O2 -g -static -o "$S/root/bin/alpha" "$TOP/tests/workloads/split.c" 2>"$S/gcc.err" ||
		skip "no static libc: $(head -n 1 "$S/gcc.err")"
	for name in beta gamma delta; do
		cp "$S/root/bin/alpha" "$S/root/bin/$name"
	done
	tar -C "$S/root" -cf "$S/root.tar" .
}

# Milliseconds between turns: what works in a container leaves the CPU to what starts others.
REST=2

need_docker() {
	need_dockerd
	has_image pmubpf-test:1 || docker import "$S/root.tar" pmubpf-test:1 >/dev/null ||
		fail "docker import"
}

has_image() { # NAME
	docker image inspect "$1" >/dev/null 2>&1
}

docker_run() { # NAME PROGRAM SECONDS
	docker run -d --name "$1" --network none pmubpf-test:1 "/bin/$2" "$3" "$REST" >/dev/null ||
		fail "docker run $1"
}

podman_() {
	podman --root "$T/graph" --runroot "$T/run" --runtime runc --cgroup-manager cgroupfs "$@"
}

# Nanoseconds of a container's lines that name its program's function.
ns_of() { # CONTAINER COMM
	awk -v c="$1;$2;" 'index($0, c) == 1 && /;hot[37]0 / { s += $NF } END { printf "%.0f\n", s }' "$T/folded"
}

# One that runs all along, one that is stopped and removed meanwhile, one that starts meanwhile.
t_docker() {
	need_docker
	docker_run web-1 alpha 60
	docker_run old-2 beta 60
	"$PMUBPF" record -q -a -e cpu-clock -F 499 -d 120 --by container -o "$T/folded" \
		-o "$T/p.pb.gz" 2>"$T/err" &
	local recorder=$! state
	wait_until has_perf_events "$recorder" || fail "record does not start"
	sleep 2
	docker rm -f old-2 >/dev/null 2>&1
	docker_run new-3 gamma 60
	wait_for_work_of docker new-3 gamma
	kill -TERM "$recorder"
	wait "$recorder"
	expect_eq $? 0 "exit status"
	for state in 'web-1 alpha' 'old-2 beta' 'new-3 gamma'; do
		# shellcheck disable=SC2086
		expect_ge "$(ns_of $state)" 1 "ns in hot70 and hot30 of $state"
	done
	expect_eq "$(grep -c ';alpha;' "$T/folded")" "$(grep -c '^web-1;alpha;' "$T/folded")" \
		"lines of alpha"
	if command -v go >/dev/null; then
		HOME=$T go tool pprof -tags "$T/p.pb.gz" >"$T/tags" 2>/dev/null
		expect_match "$T/tags" 'container: Total' "the label"
		expect_match "$T/tags" ': old-2$' "of a container that has gone"
		expect_match "$T/tags" ': pmubpf-test:1$' "the image"
	fi
}

# Only that one, which starts when the recording is under way; by its pod's or id's name it is the
# same.
t_only_one() {
	need_docker
	docker_run web-1 alpha 60
	spawn "$WORKLOADS/split" 60 "$REST" >/dev/null
	"$PMUBPF" record -q -e cpu-clock -F 499 -d 120 --container new-3 -o "$T/folded" \
		--summary "$T/sum.json" 2>"$T/err" &
	local recorder=$! id
	wait_until has_perf_events "$recorder" || fail "record does not start"
	docker_run new-3 gamma 60
	wait_for_work_of docker new-3 gamma
	kill -TERM "$recorder"
	wait "$recorder"
	expect_eq $? 0 "exit status"
	expect_ledger
	expect_ge "$(grep -c '^gamma;' "$T/folded")" 1 "lines of gamma"
	# what starts the container runs in it before it is gamma, under names of its own
	# (runc:[2:INIT], a descriptor's)
	expect_no_match "$T/folded" '^(alpha|split|dockerd|containerd);' \
		"a line of another container or of the host"
	id=$(docker inspect -f '{{.Id}}' web-1)
	pmb_ok record -e cpu-clock -F 499 -d 1 --container "${id:0:7}" -o "$T/folded"
	expect_ge "$(grep -c '^alpha;' "$T/folded")" 1 "lines of alpha"
	expect_eq "$(grep -vc '^alpha;' "$T/folded")" 0 "lines of other programs"
	pmb_ok stat -j -e task-clock --container web-1 -d 1
	expect_ge "$(jq '.rows[0].events[0].scaled' "$T/out")" 1 "ns of web-1"
	pmb_ok record -e cpu-clock -F 499 -d 1 --container no-such -o "$T/folded"
	expect_match "$T/err" 'container no-such: nothing ran in one of that name; these did: .*web-1' "what ran"
	expect_empty "$T/folded" "lines"
}

# Two that share a CPU: one's waits are for the other, and nobody's of one that is elsewhere.
t_neighbours() {
	local cpu name
	need_docker
	cpu=$(taskset -cp $$ | sed 's/.*[-, ]//')
	for name in web-1:alpha loud-2:beta; do
		docker run -d --name "${name%:*}" --network none --cpuset-cpus "$cpu" \
			pmubpf-test:1 "/bin/${name#*:}" 60 >/dev/null || fail "docker run $name"
	done
	wait_for_work_of docker web-1 alpha
	wait_for_work_of docker loud-2 beta
	pmb_ok stat --neighbours --container web-1 -e task-clock -j -o "$T/n.json" -d 1
	expect_eq "$(jq '.neighbours.counters[0] | .value == .rows' "$T/n.json")" true \
		"all rows are the waits: $(jq -c .neighbours.counters "$T/n.json")"
	expect_ge "$(jq '[.neighbours.rows[] | select(.name == "loud-2") | .values[0]] | add' \
		"$T/n.json")" 1 "ns that the other container had the CPU"
}

build_image() {
	"$TOP/examples/image-root.sh" "$T/image" "$PMUBPF" || fail "image-root.sh"
	DOCKER_BUILDKIT=0 docker build -q -t pmubpf -f "$TOP/examples/Dockerfile" \
		"$T/image" >"$T/out" 2>"$T/err" ||
		fail "docker build: $(tail -n 1 "$T/err")"
	expect_eq "$(docker run --rm --network none pmubpf --version)" "$("$PMUBPF" --version)" \
		"the version"
}

# pmubpf as an image, and in `options` how a container of it is run.
need_image() {
	need_docker
	has_image pmubpf || build_image
	options=(--rm --network none --pid=host -v "/:/host:ro,rslave" -v /etc/passwd:/etc/passwd:ro)
	# a machine that lacks a capability starts no privileged container; Docker takes only those
	# that its kernel knows
	if docker run "${options[@]}" --privileged pmubpf --version >/dev/null 2>&1; then
		options+=(--privileged)
	else
		echo "    not privileged: this machine hasn't all capabilities"
		options+=(--cap-drop ALL --cap-add SYS_ADMIN --cap-add SYS_PTRACE --cap-add DAC_READ_SEARCH)
	fi
}

# pmubpf as an image, in a container with the host's processes and files, beside others; those that
# start later, too.
t_image() {
	local recorder state
	need_image
	docker_run web-1 alpha 60
	docker run --name tool "${options[@]}" pmubpf record -q -a -e cpu-clock -F 499 -d 120 \
		--by container,user >"$T/folded" 2>"$T/err" &
	recorder=$!
	wait_for 60 has_perf_events_in tool ||
		fail "record does not start in a container: $(head -c 300 "$T/err")"
	docker_run new-3 gamma 60
	wait_for_work_of docker new-3 gamma
	kill -TERM "$recorder"
	wait "$recorder"
	expect_eq $? 0 "exit status"
	for state in 'web-1;root alpha' 'new-3;root gamma'; do
		# shellcheck disable=SC2086
		expect_ge "$(ns_of $state)" 1 "ns in hot70 and hot30 of $state"
	done
	expect_no_match "$T/folded" 'alpha;.*\[alpha\]' "frames without names"
}

has_perf_events_in() { # CONTAINER
	has_perf_events "$(docker inspect -f '{{.State.Pid}}' "$1")"
}

# An agent in it, as the DaemonSet runs it, and a server of this host that it sends to.
t_image_of_an_agent() {
	local port
	need_program python3
	need_image
	options=("${options[@]/#none/host}" --cap-add SETUID --cap-add SETGID)
	mkdir -m 755 "$T/node" "$T/taken"
	spawn python3 "$TOP/tests/e2e/otlp_server.py" "$T/taken" collector >"$T/port" 2>/dev/null
	wait_until test -s "$T/port" || fail "no server"
	port=$(cat "$T/port")
	docker_run web-1 alpha 60
	docker run --name tool "${options[@]}" -v "$T/node:/profiles" pmubpf agent -q \
		--dir /profiles --keep 7d --max-disk 1G --host n1 --every 1s -e cpu-clock -F 499 \
		--to "otlp+http://127.0.0.1:$port/prefix" >"$T/out" 2>"$T/err" &
	wait_for 60 grep -q 'hot70.web-1' "$T/taken/weights" ||
		fail "nothing of web-1 is sent: $(head -c 300 "$T/err")"
	docker stop tool >/dev/null
	wait_for 30 eval '! docker inspect tool' || fail "it doesn't end"
	pmb_ok report --csv --by container,function --from "$T/node"
	expect_match "$T/out" '^1,container,web-1,' "the container"
	expect_match "$T/out" '^2,function,hot70,' "its function"
	expect_empty "$T/err" "what the agent says"
}

t_podman() {
	need_program podman
	need_program runc
	later sh -c "umount -R '$T/graph/overlay' 2>/dev/null"
	podman_ import "$S/root.tar" pmubpf-test:2 >/dev/null 2>"$T/err" ||
		skip "podman import: $(tail -n 1 "$T/err")"
	podman_ run -d --name db-7 --network none --ulimit nofile=1024:1024 \
		--ulimit nproc=1000:1000 pmubpf-test:2 \
		/bin/delta 60 "$REST" >/dev/null 2>"$T/err" ||
		skip "podman run: $(tail -n 1 "$T/err")"
	"$PMUBPF" record -q -a -e cpu-clock -F 499 -d 2 --by container,image \
		-o "$T/folded" 2>"$T/err"
	expect_eq $? 0 "exit status"
	"$PMUBPF" record -q -e cpu-clock -F 499 -d 120 --container late-8 -o "$T/late" 2>"$T/err" &
	local recorder=$!
	wait_until has_perf_events "$recorder" || fail "record does not start"
	podman_ run -d --name late-8 --network none --ulimit nofile=1024:1024 \
		--ulimit nproc=1000:1000 pmubpf-test:2 \
		/bin/gamma 60 "$REST" >/dev/null 2>"$T/err"
	wait_for_work_of podman_ late-8 gamma
	kill -TERM "$recorder"
	wait "$recorder"
	expect_eq $? 0 "exit status of the second"
	podman_ rm -f -t 0 db-7 late-8 >/dev/null 2>&1
	expect_ge "$(folded_sum_of "$T/late" '^gamma;.*hot[37]0')" 1 "ns of one that started later"
	# runc starts itself anew, as /proc/self/exe, and from a descriptor: then that is its comm
	expect_eq "$(grep -Ev '^(gamma|runc[^;]*|exe|[0-9]+);' "$T/late")" "" \
		"lines of other programs"
	expect_ge "$(ns_of 'db-7;localhost/pmubpf-test:2' delta)" 1 "ns in hot70 and hot30"
}

t_outside_of_containers() {
	pmb_ok record -e cpu-clock -F 999 --by container -- "$WORKLOADS/split" 0.5
	expect_match "$T/out" '^[^;]*;split;.*hot70 [0-9]+$' "a label before the command"
	expect_no_match "$T/out" '^split;' "lines without a label"
}

UNIT=$$
# In a hierarchy at $1: a unit by --container, by --by and by --label; one that is removed while the
# recording goes on keeps its name. Runs in a subshell (a mount namespace of its own, perhaps), so
# says what is wrong.
hierarchy_tells() {
	local top=$1 stay gone recorder
	mkdir "$top/pmb-$UNIT" "$top/pmb-$UNIT/stay-$UNIT.service" \
		"$top/pmb-$UNIT/gone-$UNIT.service" || return
	"$WORKLOADS/split" 120 "$REST" >/dev/null &
	stay=$!
	"$WORKLOADS/split" 120 "$REST" >/dev/null &
	gone=$!
	echo $stay >"$top/pmb-$UNIT/stay-$UNIT.service/cgroup.procs"
	echo $gone >"$top/pmb-$UNIT/gone-$UNIT.service/cgroup.procs"
	"$PMUBPF" doctor >"$T/doctor"
	"$PMUBPF" record -q -p "$stay,$gone" -e cpu-clock -F 499 -d 3 --by cgroup --label cgroup \
		-o "$T/folded" \
		-o "$T/p.pb.gz" 2>"$T/err" &
	recorder=$!
	wait_until has_perf_events $recorder || echo "record does not start"
	sleep 1
	kill $gone
	wait $gone 2>/dev/null
	wait_until rmdir "$top/pmb-$UNIT/gone-$UNIT.service" 2>/dev/null ||
		echo "the cgroup can't be removed"
	wait $recorder || echo "record --by cgroup ended with $?"
	"$PMUBPF" record -q -e cpu-clock -F 499 -d 1 --container "stay-$UNIT.service" \
		-o "$T/one" 2>>"$T/err" ||
		echo "record --container ended with $?"
	kill $stay
	wait $stay 2>/dev/null
	wait_until rmdir "$top/pmb-$UNIT/stay-$UNIT.service" 2>/dev/null
	rmdir "$top/pmb-$UNIT"
}

expect_told() {
	local name
	for name in stay gone; do
		expect_ge "$(folded_sum_of "$T/folded" "^/pmb-$UNIT/$name-$UNIT.service;split;.*hot[37]0")" 1 \
			"ns in $name-$UNIT.service"
	done
	pmb_ok report --by cgroup "$T/p.pb.gz"
	expect_match "$T/out" "/pmb-$UNIT/gone-$UNIT.service\$" "the label of what was removed"
	expect_ge "$(folded_sum_of "$T/one" '^split;.*hot[37]0')" 1 "ns with --container"
	expect_no_match "$T/one" "^[^s]" "other programs"
}

# A mount namespace without any hierarchy of version 1.
t_v2_only() {
	need_root
	unshare -m bash -c 'umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup' 2>"$T/err" ||
		skip "no mounting of cgroup2 here: $(tail -n 1 "$T/err")"
	export -f hierarchy_tells wait_until has_perf_events
	export T WORKLOADS UNIT REST
	# shellcheck disable=SC2016
	unshare -m bash -c 'umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup &&
		hierarchy_tells /sys/fs/cgroup' >"$T/wrong"
	expect_empty "$T/wrong" "in the mount namespace"
	expect_match "$T/doctor" 'cgroups +v2$' "the layout"
	expect_told
}

# As this host has it, if that is both.
t_hybrid() {
	local memory
	need_root
	pmb doctor
	grep -Eq 'cgroups +hybrid$' "$T/out" || skip "not a hybrid host"
	memory=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/self/mounts)
	[ -w "${memory:-/proc/none}" ] || skip "no memory hierarchy of version 1"
	hierarchy_tells "$memory" >"$T/wrong"
	expect_empty "$T/wrong" "on this host"
	expect_told
}

# Two users' programs; those that /etc/passwd doesn't know are numbers.
t_users_and_threads() {
	need_program setpriv
	need_root
	cp "$WORKLOADS/split" "$T/split"
	chmod 755 "$T/split"
	spawn setpriv --reuid 65534 --regid 65534 --clear-groups "$T/split" 20 "$REST" >/dev/null
	local nobody=$spawned other
	spawn setpriv --reuid 4000000 --regid 4000000 --clear-groups "$T/split" \
		20 "$REST" >/dev/null
	other=$spawned
	pmb_ok record -p "$nobody,$other" -e cpu-clock -F 499 -d 1 --by user -o "$T/folded" \
		-o "$T/p.pb.gz"
	expect_ge "$(folded_sum_of "$T/folded" '^nobody;split;.*hot[37]0')" 1 "ns of nobody"
	expect_ge "$(folded_sum_of "$T/folded" '^4000000;split;.*hot[37]0')" 1 "ns of 4000000"
	expect_no_match "$T/folded" '^root;split' "lines of root"
	pmb_ok report --by user "$T/p.pb.gz"
	expect_match "$T/out" 'nobody$' "the report's rows"
	pmb_ok record -p "$nobody,$other" -e cpu-clock -F 499 -d 1 --by user,thread -o "$T/folded"
	expect_match "$T/folded" "^nobody;thread split/$nobody;split;" "a thread of nobody"
	expect_match "$T/folded" "^4000000;thread split/$other;split;" "a thread of the other"
}

run_tests
