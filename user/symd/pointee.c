// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/pointee.h"

#include <dwarf.h>

bool pointee__object(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die type, struct pointee *ret)
{
	Dwarf_Die peeled;

	*ret = (struct pointee){0};
	type_walk__plain(&type);
	if (!type_walk__number(dwarf, &type, &ret->type))
		return false;
	peeled = type;
	if (!type_walk__peel(&peeled, true))
		return false;
	ret->aggregate = type_walk__is_aggregate(dwarf_tag(&peeled));
	ret->size = type_walk__size(walk, type);
	ret->endless = type_walk__extent(walk, type) == UINT64_MAX;
	return ret->size && ret->size < INT32_MAX &&
	       (ret->size > 1 || dwarf_tag(&peeled) != DW_TAG_base_type);
}

bool pointee__pointer(Dwarf *dwarf, struct type_walk *walk, Dwarf_Die type, struct pointee *ret)
{
	*ret = (struct pointee){0};
	return type_walk__peel(&type, true) && type_walk__is_pointer(dwarf_tag(&type)) &&
	       type_walk__type_of(&type, &type) && pointee__object(dwarf, walk, type, ret);
}
