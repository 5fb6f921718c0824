// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/schema_arg.h"

#include <stdio.h>

#include "ship/schema.h"

int schema_arg__print(const char *form, struct err *err)
{
	const char *text = schema__text(form);

	if (!text)
		return err__usage(err, "--schema '%s' is neither clickhouse nor clickhouse-cluster",
				  form);
	fputs(text, stdout);
	return 0;
}
