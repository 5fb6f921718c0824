# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The verdict on a soak, for any awk. Rows are: seconds; programs started; of the main process and
# of its helpers kB and descriptors; BPF maps and their kB; what follows is not looked at. -v all=S:
# how long the soak is.
#
# What a recording takes goes up and down (files are kept until a sweep, names until they age), and
# a build beside it is a peak. So upper quartiles are compared: that of the first third after
# warming up, and that of the last third. Warming up is the first sixth, two minutes at least (what
# nobody refers to any more goes after one). Allowed are a twentieth, a little, and a quarter of how
# far it went up and down in the first third. A leak alone rises from third to third by twice as
# much as it does within one, so that doesn't hide it; one under a saw's teeth has to rise by half
# their height in the whole soak.
#
# Prints "flat" (status 0), what grew (1), or that there are too few rows to tell (2).
function upper_quartile(rows, n, i,    sorted, k, m, v)
{
	for (k = 1; k <= n; k++) {
		v = rows[k, i]
		for (m = k; m > 1 && sorted[m - 1] > v; m--)
			sorted[m] = sorted[m - 1]
		sorted[m] = v
	}
	low = sorted[1]
	high = sorted[n]
	return sorted[int((3 * n + 3) / 4)]
}
BEGIN {
	split("main kB,main fds,helpers kB,helpers fds,maps,maps kB", name, ",")
	split("2048,8,4096,16,0,1024", little, ",")
	warm = all / 6 > 120 ? all / 6 : 120
	third = (all - warm) / 3
}
$1 > warm && $1 <= warm + third {
	n_early++
	for (i = 1; i <= 6; i++)
		early[n_early, i] = $(i + 2) + 0
}
$1 > warm + 2 * third {
	n_late++
	for (i = 1; i <= 6; i++)
		late[n_late, i] = $(i + 2) + 0
}
END {
	if (n_early < 4 || n_late < 4) {
		printf "too short to tell: %d and %d rows after %d s\n", n_early, n_late, warm
		exit 2
	}
	for (i = 1; i <= 6; i++) {
		to = upper_quartile(late, n_late, i)
		from = upper_quartile(early, n_early, i)
		if (to > from * 1.05 + little[i] + (high - low) / 4)
			grew = grew sprintf("%s%s %d -> %d", grew ? ", " : "", name[i], from, to)
	}
	print grew ? "grew: " grew : "flat"
	exit grew != ""
}
