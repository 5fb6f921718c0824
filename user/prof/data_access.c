// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/data_access.h"

#include <string.h>

#include "base/text.h"

struct data_access prof__data_access(const struct prof *p, uint32_t labels)
{
	const char *access = prof__label_text(p, labels, "data_access");
	const char *source = prof__label_text(p, labels, "data_source");
	struct data_access ret = {strstr(access, "load"), strstr(access, "store")};

	if (!ret.loads && !ret.stores)
		ret = (struct data_access){starts_with(source, "load"),
					   starts_with(source, "store")};
	return ret;
}
