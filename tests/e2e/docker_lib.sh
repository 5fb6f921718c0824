#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A Docker of the test's own, and when what runs in a container has begun.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

need_dockerd() {
	need_program dockerd
	[ "$(id -u)" = 0 ] || skip "dockerd needs root"
	export DOCKER_HOST=unix://$T/docker.sock
	# not by spawn: it has to end its containers before it ends
	# as on hosts with systemd, / is shared: in this mount namespace
	unshare -m sh -c 'mount --make-rshared / && exec dockerd "$@"' - --iptables=false \
		--bridge=none --data-root "$T/far/away" --exec-root "$T/exec" \
		--pidfile "$T/docker.pid" -H "$DOCKER_HOST" >/dev/null 2>"$T/dockerd.log" &
	later end_docker
	wait_for 20 docker info ||
		skip "dockerd does not start here: $(tail -n 1 "$T/dockerd.log" | cut -c -120)"
}

end_docker() {
	local pid
	pid=$(cat "$T/docker.pid" 2>/dev/null) || return 0
	docker ps -aq | xargs -r docker rm -f >/dev/null 2>&1
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
