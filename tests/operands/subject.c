// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What tests/operands/skid.sh steps through: a tree, a table, a list and numbers, as compilers make
 * them. Prints a sum. */
#include <stdio.h>
#include <stdlib.h>

struct leaf {
	struct leaf *left, *right;
	long key;
	short weight;
	char text[6];
};

struct entry {
	struct entry *next;
	unsigned key;
	double value;
};

enum { LEAVES = 400, SLOTS = 64, SIDE = 24 };

static struct entry *slots[SLOTS];
static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

static struct leaf *put(struct leaf *at, struct leaf *new)
{
	if (!at)
		return new;
	if (new->key < at->key)
		at->left = put(at->left, new);
	else
		at->right = put(at->right, new);
	at->weight++;
	return at;
}

static long sum(const struct leaf *at)
{
	return at ? sum(at->left) + at->key * at->weight + at->text[1] + sum(at->right) : 0;
}

static void note(unsigned key, double value)
{
	struct entry **at = &slots[key % SLOTS];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		(*at)->key = key;
	}
	(*at)->value += value;
}

static void multiply(void)
{
	for (int i = 0; i < SIDE; i++) {
		for (int j = 0; j < SIDE; j++) {
			for (int k = 0; k < SIDE; k++)
				product[i][j] += left[i][k] * right[k][j];
		}
	}
}

int main(void)
{
	struct leaf *root = NULL;
	unsigned random = 1;
	double total = 0;

	for (int i = 0; i < LEAVES; i++) {
		struct leaf *new = calloc(1, sizeof(*new));

		random = random * 1103515245 + 12345;
		new->key = random >> 8;
		new->text[1] = (char)i;
		root = put(root, new);
		note(random >> 20, i);
		left[i % SIDE][i / SIDE % SIDE] = right[i / SIDE % SIDE][i % SIDE] = i;
	}
	multiply();
	for (int i = 0; i < SLOTS; i++) {
		for (const struct entry *e = slots[i]; e; e = e->next)
			total += e->value;
	}
	printf("%ld %.0f %.0f\n", sum(root), total, product[3][5]);
	return 0;
}
