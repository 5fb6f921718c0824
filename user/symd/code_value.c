// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "symd/code_value.h"

enum { FAR = 1 << 30 }; /* no object is so large */

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

struct code_value code_value__any(void)
{
	return (struct code_value){.kind = CODE_VALUE_ANY, .to = {.every = 1}};
}

struct code_value code_value__number(int64_t value, uint64_t every)
{
	return (struct code_value){.kind = CODE_VALUE_NUMBER, .to = {.at = value, .every = every}};
}

struct code_value code_value__named(uint64_t name)
{
	struct code_value v = code_value__any();

	v.name = name;
	return v;
}

bool code_value__is_unknown(const struct code_value *v)
{
	return v->kind == CODE_VALUE_ANY || (v->kind == CODE_VALUE_NUMBER && v->name);
}

/* What is too far away is nowhere. */
struct code_value code_value__checked(struct code_value v)
{
	return v.to.at > FAR || v.to.at < -FAR || v.to.every > FAR || v.times > FAR ||
			       v.times < -FAR ?
		       code_value__any() :
		       v;
}

/* It is any multiple of what its name is multiplied with. */
struct code_value code_value__unnamed(struct code_value v)
{
	if (v.name && v.kind == CODE_VALUE_NUMBER) {
		v.to.every = gcd(v.to.every, distance(v.times, 0));
		v.to.two = false;
	}
	if (v.name && v.to.every == 1)
		v = code_value__any();
	v.name = 0;
	v.times = 0;
	return v;
}

struct code_value code_value__half(const struct code_value *v)
{
	return v->kind == CODE_VALUE_NUMBER ? code_value__unnamed(*v) : code_value__any();
}

/* Once what it is called. */
static struct code_value counted(const struct code_value *v)
{
	struct code_value number = code_value__number(0, 0);

	if (v->kind != CODE_VALUE_ANY || !v->name)
		return *v;
	number.name = v->name;
	number.times = 1;
	return number;
}

struct code_value code_value__times(const struct code_value *v, int64_t by)
{
	const struct code_value number = counted(v);
	struct code_value times;

	if (number.kind == CODE_VALUE_ANY && by < FAR)
		return code_value__number(0, (uint64_t)by);
	if (number.kind != CODE_VALUE_NUMBER || by > FAR)
		return code_value__any();
	times = code_value__number(number.to.at * by, number.to.every * (uint64_t)by);
	times.to.two = number.to.two;
	times.name = number.name;
	times.times = number.times * by;
	return code_value__checked(times);
}

static bool points(const struct code_value *v)
{
	return v->kind == CODE_VALUE_POINTER || v->kind == CODE_VALUE_FRESH ||
	       v->kind == CODE_VALUE_FRAME || v->kind == CODE_VALUE_ADDRESS;
}

/* Of two numbers; of one called so and one called otherwise only a multiple is known. */
static struct code_value sum_of_numbers(const struct code_value *a, const struct code_value *b,
					int64_t more)
{
	struct code_value sum = counted(a), other = counted(b);

	if (sum.kind == CODE_VALUE_ANY || other.kind == CODE_VALUE_ANY)
		return code_value__any();
	if (sum.name && other.name && sum.name != other.name) {
		sum = code_value__unnamed(sum);
		other = code_value__unnamed(other);
		return code_value__sum(&sum, &other, 1, more);
	}
	sum.to.at += other.to.at + more;
	sum.to.two = (sum.to.two && !other.to.every) || (other.to.two && !sum.to.every);
	sum.to.every = gcd(sum.to.every, other.to.every);
	sum.times += other.times;
	sum.name = sum.times ? sum.name | other.name : 0;
	return code_value__checked(sum);
}

/* What nobody knows is a number, if it is added to a pointer. */
struct code_value code_value__sum(const struct code_value *a, const struct code_value *b,
				  unsigned scale, int64_t more)
{
	struct code_value sum = *a, other = scale == 1 ? *b : code_value__times(b, scale);

	if (points(&other) && scale == 1) {
		sum = other;
		other = *a;
	}
	if (points(&other) || sum.kind == CODE_VALUE_NONE || other.kind == CODE_VALUE_NONE)
		return code_value__any();
	if (!points(&sum))
		return sum_of_numbers(&sum, &other, more);
	other = code_value__unnamed(other);
	sum.to.at += other.to.at + more;
	sum.to.two = (sum.to.two && !other.to.every) || (other.to.two && !sum.to.every);
	sum.to.every = gcd(sum.to.every, other.to.every);
	return code_value__checked(sum);
}

/* What a pointer is less something that may be one, too, is a number. */
struct code_value code_value__difference(const struct code_value *a, const struct code_value *b)
{
	struct code_value less = counted(b);

	if (less.kind != CODE_VALUE_NUMBER || (points(a) && b->kind != CODE_VALUE_NUMBER))
		return code_value__any();
	less.to.at = less.to.two ? -less.to.at - (int64_t)less.to.every : -less.to.at;
	less.times = -less.times;
	return code_value__sum(a, &less, 1, 0);
}

struct code_value code_value__twice(const struct code_value *v, unsigned times, int64_t more)
{
	struct code_value sum = code_value__times(v, times);

	sum.to.at += sum.kind == CODE_VALUE_NUMBER ? more : 0;
	return code_value__checked(sum);
}

static bool is_null(const struct code_value *v)
{
	return v->kind == CODE_VALUE_NUMBER && !v->to.at && !v->to.every && !v->name;
}

/* Null is as well a pointer to anything, and what a call gave to what it is used for. */
static bool is_any_pointer(const struct code_value *v, const struct code_value *pointer)
{
	const bool typed = pointer->kind == CODE_VALUE_POINTER;

	if (is_null(v))
		return typed || pointer->kind == CODE_VALUE_FRESH;
	return typed && v->kind == CODE_VALUE_FRESH && v->to.at == pointer->to.at &&
	       v->to.every == pointer->to.every && v->to.two == pointer->to.two;
}

/* Of two types the one that lies in the other: a class, and its base. False: neither does. */
static bool join_types(struct code_value *to, const struct code_value *from,
		       const struct code_value_types *types, bool *changed)
{
	const uint64_t every = gcd(to->to.every, from->to.every);
	struct pointee what = to->to;

	if (!types->holds(types->ctx, &from->to, &to->to)) {
		if (!types->holds(types->ctx, &to->to, &from->to))
			return false;
		what = from->to;
	}
	what.every = every;
	what.two = to->to.two && from->to.two && every == to->to.every && every == from->to.every;
	*changed = what.type != to->to.type || every != to->to.every || what.two != to->to.two;
	to->to = what;
	return true;
}

/* The offset, or one of two, is one of these already. */
static bool is_one_of(const struct pointee *one, const struct pointee *of)
{
	const int64_t last = (int64_t)((uint64_t)of->at + of->every);

	if (one->two)
		return of->two && one->at == of->at && one->every == of->every;
	return !one->every && (one->at == of->at || (of->two && one->at == last));
}

/* Where both are, in multiples. True: it is less certain than it was. */
static bool join_offsets(struct pointee *to, const struct pointee *from)
{
	const uint64_t apart = distance(to->at, from->at);
	const uint64_t every = gcd(gcd(to->every, from->every), apart);
	const struct pointee was = *to;

	if (is_one_of(from, to))
		return false;
	to->two = (!to->every && !from->every) || is_one_of(to, from);
	if (to->two && from->at < to->at)
		to->at = from->at;
	to->every = every;
	return to->every != was.every || to->two != was.two;
}

bool code_value__join(struct code_value *to, const struct code_value *other,
		      const struct code_value_types *types)
{
	const struct code_value unnamed = code_value__unnamed(*other), *from = &unnamed;
	bool changed = true;

	*to = code_value__unnamed(*to);

	if (from->kind == CODE_VALUE_NONE || to->kind == CODE_VALUE_ANY || is_any_pointer(from, to))
		return false;
	if (to->kind == CODE_VALUE_NONE || is_any_pointer(to, from)) {
		*to = *from;
		return true;
	}
	if (to->kind != from->kind || (points(to) && to->to.type != from->to.type)) {
		if (to->kind != CODE_VALUE_POINTER || from->kind != CODE_VALUE_POINTER ||
		    !join_types(to, from, types, &changed))
			*to = code_value__any();
		return changed;
	}
	changed = join_offsets(&to->to, &from->to);
	if (code_value__checked(*to).kind == CODE_VALUE_ANY) {
		*to = code_value__any();
		return true;
	}
	changed |= to->to.row > from->to.row || (to->to.node && to->to.node != from->to.node);
	to->to.row &= from->to.row;
	if (to->to.node != from->to.node)
		to->to.node = 0;
	return changed;
}
