#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/prove.sh HOW…: the test command of a fresh clone of HEAD, once for each HOW, one after the
# other; it prints a row of docs/test-runs.md for each. Run it from a clean work tree.
#
#   plain    as it is
#   busy     beside four busy loops and a storm of forks
#   slow     where each entry into the kernel takes 5 µs more (tests/bpf/slow.bpf.c)
#   one-cpu  on CPU 0 alone
#   intel    libpfm takes the CPU for a recent Intel
#   amd      and for an AMD Zen
#   check    make check, as an unprivileged user, in a path with a space
#
# Environment: PROVE_LOGS (a folder for all output; default: a new one in /tmp, which is named).
set -u -o pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LOGS=${PROVE_LOGS:-$(mktemp -d /tmp/pmb-prove.XXXXXX)}
SCRATCH=$(mktemp -d /var/tmp/pmb-prove.XXXXXX)
beside=()
trap 'end_load; rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM HUP

start_load() {
	local i
	for ((i = 0; i < 4; i++)); do
		while :; do :; done &
		beside+=($!)
	done
	while :; do /bin/true; done &
	beside+=($!)
}

start_slow() {
	local from=$TOP/tests/bpf/slow to=$SCRATCH/slow headers
	headers=/usr/include/$(gcc -dumpmachine)
	clang -O2 -g -target bpf -I"$headers" -c "$from.bpf.c" -o "$to.bpf.o" &&
		gcc "$from.c" -o "$to" -lbpf || return
	"$to" "$to.bpf.o" >"$SCRATCH/said" &
	beside+=($!)
	timeout 10 sh -c 'until [ -s "$0" ]; do sleep 0.1; done' "$SCRATCH/said"
}

end_load() {
	[ ${#beside[@]} -eq 0 ] || { kill "${beside[@]}" && wait "${beside[@]}"; } 2>/dev/null
	beside=()
}

clone() { # FOLDER
	git clone -q "$TOP" "$1" && git -C "$1" checkout -q "$(git -C "$TOP" rev-parse HEAD)"
}

# In a /tmp of its own: not on each machine may everybody write there, and Criterion needs that.
check_unprivileged() { # FOLDER
	chmod 755 "$SCRATCH"
	chown -R nobody: "$1"
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount -t tmpfs -o mode=1777 none /tmp && cd "$0" && exec "$@"' "$1" \
		setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/tmp make check
}

run() { # HOW FOLDER
	case $1 in
	plain) make -C "$2" test ;;
	busy)
		start_load
		make -C "$2" test
		;;
	slow) start_slow && make -C "$2" test ;;
	one-cpu) taskset -c 0 make -C "$2" test ;;
	intel) LIBPFM_FORCE_PMU=spr make -C "$2" test ;;
	amd) LIBPFM_FORCE_PMU=amd64_fam19h_zen4 make -C "$2" test ;;
	check) check_unprivileged "$2" ;;
	*) echo "prove: no such way: $1" && return 2 ;;
	esac
}

prove() { # HOW
	local folder=$SCRATCH/clone log status began=$SECONDS result tried
	[ "$1" != check ] || folder="$SCRATCH/a clone"
	log=$LOGS/$1-$(date +%H%M).log
	clone "$folder" || exit 1
	run "$1" "$folder" >"$log" 2>&1 </dev/null
	status=$?
	end_load
	tried=$(grep -c '^second try, alone: ' "$log")
	result=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
	[ "$tried" -eq 0 ] || result="$result, $tried second tries"
	printf '| %s | %s | %s | %s | %d:%02d |\n' "$(git -C "$TOP" rev-parse --short=12 HEAD)" \
		"$(date +%F\ %H:%M)" "$1" \
		"${result:-no sum}, status $status" $(((SECONDS - began) / 60)) \
		$(((SECONDS - began) % 60))
	rm -rf "$folder"
	return "$status"
}

[ $# -gt 0 ] || { sed -n '4,15s/^# \?//p' "$0"; exit 2; }
echo "all output: $LOGS" >&2
failed=0
for how in "$@"; do
	prove "$how" || failed=1
done
exit $failed
