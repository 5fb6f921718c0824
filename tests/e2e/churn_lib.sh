# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Functions that come and go at the same addresses (tests/workloads/*/churn.*): of a sample
# …;f_N;g_N;work_K with K = N % 16, whose work_K stays, each name can be told to be wrong.

# Samples of lines "FRAME;FRAME;… N": CHURNED in such functions, WRONG of them that can't be, and
# UNNAMED in work_K that nobody called.
churn_of() { # FOLDED
	read -r CHURNED WRONG UNNAMED < <(awk '
		!match($0, /work_[0-9][0-9]/) { next }
		{
			kind = substr($0, RSTART + 5, 2) + 0
			n = $NF; line = $0; id = ""; bad = 0
			while (match(line, /[fg]_[0-9][0-9][0-9][0-9][0-9][0-9][0-9]/)) {
				is = substr(line, RSTART + 2, 7)
				bad = bad || (id != "" && is != id)
				id = is
				line = substr(line, RSTART + 9)
			}
			if (id == "") { unnamed += n; next }
			all += n
			if (bad || id % 16 != kind) wrong += n
		}
		END { print all + 0, wrong + 0, unnamed + 0 }' "$1")
}

# LEAST: samples that there have to be.
expect_churn() { # FOLDED LEAST WHAT
	churn_of "$1"
	echo "$3: $CHURNED samples, $WRONG wrong, $UNNAMED without a name"
	expect_ge "$CHURNED" "$2" "$3: samples in functions that came and went"
	expect_eq "$WRONG" 0 "$3: samples with a name that can't be"
	expect_ge "$((CHURNED / 10))" "$UNNAMED" "$3: samples whose function has no name"
}
