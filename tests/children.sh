# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What tests/run.sh and the suites share.

# CPU time of this shell's children that have ended, in clock ticks.
children_ticks() { # VARIABLE
	local stat
	read -r stat <"/proc/$BASHPID/stat"
	read -ra stat <<<"${stat##*) }"
	printf -v "$1" %d $((stat[13] + stat[14]))
}
