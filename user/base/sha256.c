// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The constants are the first 32 bits of the fractional parts of roots of primes; they are
 * computed, once, by whole numbers: a table of 72 would have to be believed.
 */
#include "base/sha256.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t constants[64], first[8];

/* The integer part of the square root (2) or cube root (3). */
static uint64_t root(unsigned __int128 n, unsigned degree)
{
	uint64_t r = 0;

	for (int bit = 40; bit >= 0; bit--) {
		unsigned __int128 t = r | (uint64_t)1 << bit;

		if ((degree == 2 ? t * t : t * t * t) <= n)
			r = (uint64_t)t;
	}
	return r;
}

static void make_constants(void)
{
	unsigned n = 0;

	for (unsigned p = 2; n < 64; p++) {
		bool prime = true;

		for (unsigned d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (!prime)
			continue;
		if (n < 8)
			first[n] = (uint32_t)root((unsigned __int128)p << 64, 2);
		constants[n++] = (uint32_t)root((unsigned __int128)p << 96, 3);
	}
}

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void schedule(const uint8_t *block, uint32_t w[static 64])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void take_block(struct sha256 *s, const uint8_t *block)
{
	uint32_t w[64], v[8];

	schedule(block, w);
	memcpy(v, s->state, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = v[0], e = v[4];
		uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
		uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		s->state[i] += v[i];
}

void sha256__begin(struct sha256 *s)
{
	if (!constants[0])
		make_constants();
	*s = (struct sha256){0};
	memcpy(s->state, first, sizeof(first));
}

void sha256__add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *at = data;

	while (len) {
		size_t used = s->len % SHA256_BLOCK, n = SHA256_BLOCK - used;

		if (n > len)
			n = len;
		memcpy(s->block + used, at, n);
		s->len += n;
		at += n;
		len -= n;
		if (s->len % SHA256_BLOCK == 0)
			take_block(s, s->block);
	}
}

void sha256__end(struct sha256 *s, uint8_t ret[static SHA256_SIZE])
{
	static const uint8_t one = 0x80, zero;
	uint64_t bits = s->len * 8;
	uint8_t len[8];

	sha256__add(s, &one, 1);
	while (s->len % SHA256_BLOCK != SHA256_BLOCK - sizeof(len))
		sha256__add(s, &zero, 1);
	for (unsigned i = 0; i < 8; i++)
		len[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256__add(s, len, sizeof(len));
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		ret[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(const void *data, size_t len, uint8_t ret[static SHA256_SIZE])
{
	struct sha256 s;

	sha256__begin(&s);
	sha256__add(&s, data, len);
	sha256__end(&s, ret);
}

void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t ret[static SHA256_SIZE])
{
	uint8_t pad[SHA256_BLOCK] = {0};
	struct sha256 s;

	if (key_len > sizeof(pad))
		sha256_of(key, key_len, pad);
	else
		memcpy(pad, key, key_len);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36;
	sha256__begin(&s);
	sha256__add(&s, pad, sizeof(pad));
	sha256__add(&s, data, len);
	sha256__end(&s, ret);
	for (size_t i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha256__begin(&s);
	sha256__add(&s, pad, sizeof(pad));
	sha256__add(&s, ret, SHA256_SIZE);
	sha256__end(&s, ret);
	explicit_bzero(pad, sizeof(pad));
	explicit_bzero(&s, sizeof(s));
}

void sha256_hex(const uint8_t hash[static SHA256_SIZE], char ret[static SHA256_HEX])
{
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		snprintf(ret + 2 * i, 3, "%02x", hash[i]);
}
