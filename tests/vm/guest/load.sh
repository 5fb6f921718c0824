# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Only what every guest has to show: the quickest look at what a verifier says (SCRIPT=load).
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

run_tests
