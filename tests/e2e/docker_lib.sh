#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A Docker of the test's own, and when what runs in a container has begun.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# It begins with the first test that needs it and ends with the suite; containers end with a test.
need_dockerd() {
	need_program dockerd
	[ "$(id -u)" = 0 ] || skip "dockerd needs root"
	export DOCKER_HOST=unix://$S/docker.sock
	later end_containers
	! docker info >/dev/null 2>&1 || return 0
	# not by spawn: it has to end its containers before it ends
	# as on hosts with systemd, / is shared: in this mount namespace
	unshare -m sh -c 'mount --make-rshared / && exec dockerd "$@"' - --iptables=false \
		--bridge=none --data-root "$S/far/away" --exec-root "$S/exec" \
		--pidfile "$S/docker.pid" -H "$DOCKER_HOST" >/dev/null 2>"$S/dockerd.log" &
	at_the_end end_docker
	wait_for 20 docker info ||
		skip "dockerd does not start here: $(tail -n 1 "$S/dockerd.log" | cut -c -120)"
}

end_containers() {
	docker ps -aq | xargs -r docker rm -f >/dev/null 2>&1
}

end_docker() {
	local pid
	pid=$(cat "$S/docker.pid" 2>/dev/null) || return 0
	kill "$pid"
	wait_for 20 sh -c "! kill -0 $pid"
}

# Until the container's program has had some CPU time, of which a clock samples two dozen times.
# What starts it (runc) has the same pid before, and on some machines takes more than that.
wait_for_work_of() { # DOCKER|PODMAN_ NAME COMM
	local pid
	pid=$("$1" inspect -f '{{.State.Pid}}' "$2") && wait_for 60 has_comm "$pid" "$3" &&
		wait_for 60 has_worked "$pid" $(($(cpu_time_ns "$pid") + 60000000)) ||
		fail "$2 does not run: $(head -c 300 "$T/err")"
}

has_comm() { # PID COMM
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}

has_worked() { # PID NS
	[ "$(cpu_time_ns "$1")" -ge "$2" ]
}
