# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What tests/run.sh and the suites share.

# A python3 that is a script which looks for the real one, as pyenv's, takes several times as long
# to begin: looked for once. (What inherits the PATH finds it as it is.)
python_itself() {
	local found magic real
	found=$(command -v python3) || return 0
	read -r -d '' -n 2 magic <"$found"
	[ "$magic" = '#!' ] && real=$(python3 -c 'import sys; print(sys.executable)') || return 0
	export PATH=${real%/*}:$PATH
}
python_itself

# CPU time of this shell's children that have ended, in clock ticks.
children_ticks() { # VARIABLE
	local stat
	read -r stat <"/proc/$BASHPID/stat"
	read -ra stat <<<"${stat##*) }"
	printf -v "$1" %d $((stat[13] + stat[14]))
}
