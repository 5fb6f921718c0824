// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "base/mem.h"
#include "session/counting_internal.h"

void counting_result__begin(struct counting_result *result, const struct event_list *events)
{
	*result = (struct counting_result){.command = {.go_fd = -1, .failed_fd = -1}};
	event_list__copy(&result->events, events);
	result->tried = xcalloc(events->n, sizeof(*result->tried));
}

void counting_result__done(struct counting_result *result)
{
	event_list__done(&result->events);
	counts__done(&result->counts);
	free(result->tried);
	buf__done(&result->notes);
	work_counts__done(&result->work);
	free(result->work_tried);
	owners__done(&result->owners);
	owner_lines__done(&result->owner_lines);
	free(result->owners_tried);
	for (size_t i = 0; i < result->n_beside; i++)
		counting_result__done(&result->beside[i]);
	free(result->beside);
	*result = (struct counting_result){0};
}
