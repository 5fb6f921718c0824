#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tests/vm/run.sh [NAME…]: boots the guests of tests/vm/guests (all without a name), one after the other,
# runs pmubpf in each, and ends each with a line of its figures:
#
#     VM amd64-5.10: split 70.1 %, Σ/counter 99.8 %, 11 passed, 0 failed, 1 skipped
#
# A guest that fails leaves its console in $O/vm/NAME.log. One that can't be fetched is skipped by name.
# Exit status: 0, or 1 if anything failed.
# Environment: O (the build folder, as for make), TIMEOUT (seconds a guest, default 420),
# SCRIPT (of tests/vm/guest/, instead of those in the list), UPDATE=1 (write the verifier's costs down instead of comparing them), and those of fetch.sh.
set -u -o pipefail
export LC_ALL=C

VM=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$VM/../.." && pwd)
O=$(cd "$TOP" && realpath -m "${O:-build}")
OUT=$O/vm
COSTS=$VM/verifier-cost.txt

need() {
	command -v "$1" >/dev/null && return 0
	echo "vm: $1 is missing (Debian: $2)" >&2
	return 1
}

# ---------------------------------------------------------------- what goes into a guest

# What pmubpf is built with for another architecture, and what its guest runs.
PACKAGES="libbpf-dev libelf-dev libdw-dev liblzma-dev zlib1g-dev libiberty-dev libpfm4-dev libjansson-dev uthash-dev libc6-dev linux-libc-dev busybox-static"

# Where the libraries of an architecture lie (ROOT; / for the host's), its compiler (CROSS) and BUSYBOX.
find_tools() { # ARCH
	CROSS=()
	case $1 in
	"$(dpkg --print-architecture)")
		ROOT=/
		need busybox busybox-static && need qemu-system-x86_64 qemu-system-x86 || return 1
		;;
	arm64)
		need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu || return 1
		need qemu-system-aarch64 qemu-system-arm || return 1
		# shellcheck disable=SC2086
		ROOT=$("$VM/fetch.sh" root arm64 bookworm $PACKAGES) || return 1
		CROSS=(ARCH=arm64 "CC=aarch64-linux-gnu-gcc --sysroot=$ROOT")
		;;
	riscv64)
		# Debian 12 has no riscv64, and its GNU ld can't read Debian 13's objects.
		need clang-19 clang-19 && need ld.lld-19 lld-19 || return 1
		need qemu-system-riscv64 qemu-system-misc || return 1
		# shellcheck disable=SC2086
		ROOT=$("$VM/fetch.sh" root riscv64 trixie $PACKAGES libgcc-14-dev opensbi) || return 1
		CROSS=(ARCH=riscv LDFLAGS=-fuse-ld=lld-19 "CC=clang-19 --target=riscv64-linux-gnu\
 --sysroot=$ROOT --gcc-toolchain=$ROOT/usr")
		;;
	*)
		echo "vm: no cross build for $1" >&2
		return 1
		;;
	esac
	BUSYBOX=$(find "${ROOT%/}/bin" "${ROOT%/}/usr/bin" -maxdepth 1 -name busybox -type f | head -n 1)
}

# pmubpf, the workloads and the cost loader, in the folder BUILD.
build_for() { # ARCH
	BUILD=$OUT/$1
	make -C "$TOP" --no-print-directory -s "O=$BUILD" ${CROSS[@]+"${CROSS[@]}"} vm-parts >/dev/null
}

# The shared libraries that a program names, found under ROOT, put into the guest where the loader looks.
copy_libraries() { # PROGRAM FOLDER
	local name file
	for name in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ -e "$2/lib/$name" ] && continue
		file=$(find "${ROOT%/}"/lib/*-linux-gnu "${ROOT%/}"/usr/lib/*-linux-gnu -maxdepth 1 \
			-name "$name" 2>/dev/null | head -n 1)
		[ -n "$file" ] || { echo "vm: $1 needs $name, and $ROOT has none" >&2; return 1; }
		cp -L "$file" "$2/lib/$name"
		copy_libraries "$file" "$2" || return 1
	done
}

copy_loader() { # PROGRAM FOLDER
	local loader
	loader=$(readelf -l "$1" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	[ -n "$loader" ] || return 0
	mkdir -p "$2${loader%/*}"
	cp -L "${ROOT%/}$loader" "$2$loader"
}

make_initramfs() { # FILE SCRIPT
	local dir program
	dir=$(mktemp -d) || return 1
	mkdir -p "$dir"/{bin,lib,vm}
	cp "$BUSYBOX" "$dir/bin/busybox"
	cp "$VM/guest/init" "$dir/init"
	cp "$VM/guest/lib.sh" "$dir/vm/lib.sh"
	cp "$VM/guest/$2.sh" "$dir/vm/run"
	cp "$BUILD/pmubpf" "$BUILD/vm/cost" "$dir/vm/"
	cp -r "$BUILD/workloads" "$dir/vm/workloads"
	nm "$BUILD/workloads/watch" | awk '$3 == "watched" { print "0x" $1 }' >"$dir/vm/workloads/watch.addr"
	copy_loader "$BUILD/pmubpf" "$dir" || return 1
	for program in "$dir"/vm/{pmubpf,cost} "$dir"/vm/workloads/*; do
		[ -x "$program" ] || continue
		copy_libraries "$program" "$dir" || return 1
	done
	chmod 755 "$dir/init"
	( cd "$dir" && find . | cpio -o -H newc --quiet | gzip -1 ) >"$1" || return 1
	rm -rf "$dir"
}

# ---------------------------------------------------------------- the machines

# Under -icount an instruction takes a nanosecond of the guest's time, and counters interrupt exactly.
machine() { # ARCH KERNEL INITRAMFS SCRIPT
	local common=(-m 1024 -kernel "$2" -initrd "$3" -nographic -no-reboot -net none -monitor none)
	[ "$4" = cycles ] && common+=(-icount "shift=0")
	case $1 in
	amd64)
		# both clocks from the TSC: calibrated apart, they differ by up to 7 % on a busy host
		QEMU=(qemu-system-x86_64 -cpu max -smp 2 "${common[@]}"
			-append "console=ttyS0 panic=-1 quiet tsc=reliable clocksource=tsc")
		;;
	arm64)
		QEMU=(qemu-system-aarch64 -machine virt -cpu max -smp 1 "${common[@]}"
			-append "console=ttyAMA0 panic=-1 quiet")
		;;
	riscv64)
		QEMU=(qemu-system-riscv64 -machine virt -cpu "rv64,sscofpmf=true" -smp 1 "${common[@]}"
			-bios "$ROOT/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin"
			-append "console=ttyS0 panic=-1 quiet")
		;;
	esac
}

# ---------------------------------------------------------------- results

write_cost() { # NAME PROGRAM COST
	{
		echo "# guest, program/configuration, instructions that the verifier processed (make test-vm UPDATE=1)"
		{ grep -v "^#\|^$1 $2 " "$COSTS" 2>/dev/null; echo "$*"; } | sort -V
	} >"$COSTS.new" && mv "$COSTS.new" "$COSTS"
}

# The costs that a guest printed against those written down; one that grew by more than 25 % fails.
check_costs() { # NAME LOG
	local program cost before
	while read -r program cost; do
		before=$(awk -v g="$1" -v p="$program" '$1 == g && $2 == p { print $3 }' "$COSTS" 2>/dev/null)
		if [ -z "$before" ] || [ "${UPDATE:-0}" = 1 ]; then
			write_cost "$1" "$program" "$cost"
		elif [ $((cost * 100)) -gt $((before * 125)) ]; then
			echo "FAIL $1/verifier_cost: $program takes $cost instructions, it took $before"
		fi
	done < <(sed -n 's/^@ cost //p' "$2")
}

# Boots the machine with one script; the results go to $OUT/NAME.results, the console to $OUT/NAME.log.
boot() { # NAME ARCH KERNEL SCRIPT
	local name=$1 initramfs=$OUT/$1.initramfs console=$OUT/$1.$4.log
	make_initramfs "$initramfs" "$4" || return 1
	machine "$2" "$3" "$initramfs" "$4"
	timeout "${TIMEOUT:-420}" "${QEMU[@]}" </dev/null 2>&1 | tr -d '\r' >"$console"
	grep -aEo '^@ (ok|FAIL|skip) .*' "$console" | sed "s|^@ \([a-zA-Z]*\) |\1 $name/|"
	check_costs "$name" "$console"
	grep -aq '^@ end' "$console" || echo "FAIL $name/boot: $4: the guest did not come to its end"
	cat "$console" >>"$OUT/$name.log"
	rm -f "$initramfs" "$console"
}

run_guest() { # NAME
	local name=$1 arch scripts script kernel log=$OUT/$1.log results=$OUT/$1.results
	local figures passed failed skipped
	read -r _ arch _ _ scripts < <(grep "^${name}[[:space:]]" "$VM/guests") ||
		{ echo "vm: no guest $name in tests/vm/guests" >&2; return 1; }
	if ! kernel=$("$VM/fetch.sh" kernel "$name") || ! find_tools "$arch"; then
		echo "VM $name: skipped: it can't be had here (see above)"
		return 0
	fi
	if ! build_for "$arch"; then
		echo "VM $name: the build for it failed, 0 passed, 1 failed, 0 skipped"
		return 1
	fi
	: >"$log"
	for script in ${SCRIPT:-${scripts//,/ }}; do
		boot "$name" "$arch" "$kernel" "$script" || echo "FAIL $name/initramfs"
	done | tee "$results"
	figures=$(sed -n 's/^@ figure //p' "$log" | awk '{ printf "%s, ", $0 }')
	passed=$(grep -c '^ok' "$results")
	failed=$(grep -c '^FAIL' "$results")
	skipped=$(grep -c '^skip' "$results")
	[ $((passed + failed)) -gt 0 ] || failed=1
	if [ "$failed" -eq 0 ]; then rm -f "$log"; else echo "    the guest's console: $log"; fi
	echo "VM $name: $figures$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

main() {
	local status=0 name names=("$@")
	mkdir -p "$OUT"
	need cpio cpio || return 1
	if [ $# -eq 0 ]; then
		mapfile -t names < <(awk '/^[^#]/ { print $1 }' "$VM/guests")
	fi
	for name in "${names[@]}"; do
		run_guest "$name" || status=1
	done
	return $status
}

main "$@"
