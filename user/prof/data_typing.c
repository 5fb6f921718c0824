// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prof/data_typing.h"

#include <linux/types.h>
#include <string.h>

#include "pmubpf/object_place.h"

static bool is_padding(const char *member)
{
	static const char word[] = "(padding)";
	size_t len = strlen(member);

	return len >= sizeof(word) - 1 && strcmp(member + len - (sizeof(word) - 1), word) == 0;
}

/* Of what has a name: its type, if it is a variable, and where in it stand behind that. */
static bool typed(const struct sym_name *name, bool is_type, enum data_typing *ret)
{
	unsigned n = name->n_inlined + is_type;
	const char *member = n > 1 ? name->inlined[1 - is_type].name : NULL;

	if (!name->frame.name || !n)
		return false;
	*ret = member && is_padding(member) ? TYPING_PADDING : TYPING_TYPED;
	return true;
}

/* Frame ids; 0: there is none. */
static uint32_t variable_of(const struct places *places, const struct profile_row *row,
			    const struct data_finding *found)
{
	const uint32_t *frames;

	if (found->candidate)
		return places__variable(places, row);
	return profile__stack_frames(places->profile, row->key.data, &frames) ? frames[0] : 0;
}

bool data_typing__of(const struct places *places, const struct names *names,
		     const struct profile_row *row, enum data_typing *ret)
{
	const struct frame *frames;
	struct data_finding found;
	uint32_t id;

	if (!places__find(places, row, &found) ||
	    (found.class != DATA_VALIDATED && found.class != DATA_CANDIDATE))
		return false;
	*ret = TYPING_FETCH;
	if (found.fetch)
		return true;
	id = variable_of(places, row, &found);
	if (id && names->locations[id].frame.name && typed(&names->locations[id], false, ret))
		return true;
	profile__frames(places->profile, &frames);
	id = places__object(places, row);
	if (id && typed(&names->locations[id], !is_variable_place(frames[id].off), ret))
		return true;
	*ret = found.described == PMB_DESCRIBED_NOT ? TYPING_NO_DEBUG_INFO : TYPING_NO_TYPE;
	return true;
}
