// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/share_arg.h"

#include <string.h>

#include "base/num.h"

int share_arg__parse(const char *text, unsigned *ret, struct err *err)
{
	const char *at = text;
	uint64_t percent;

	if (!num__take_u64(&at, &percent) || (*at && strcmp(at, "%") != 0) || !percent ||
	    percent > 100 || 100 % percent)
		return err__usage(err,
				  "--share '%s': one window of a whole number of them, so it is "
				  "100%%, 50%%, 25%%, 20%%, 10%%, 5%%, 4%%, 2%% or 1%%",
				  text);
	*ret = (unsigned)(100 / percent);
	return 0;
}
