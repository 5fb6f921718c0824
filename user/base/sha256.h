/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHA-256 (FIPS 180-4), and HMAC by it (RFC 2104). Not for secrets whose time may be measured. */
#ifndef PMUBPF_BASE_SHA256_H
#define PMUBPF_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_HEX = 2 * SHA256_SIZE + 1, SHA256_BLOCK = 64 };

struct sha256 {
	uint32_t state[8];
	uint64_t len;
	uint8_t block[SHA256_BLOCK];
};

void sha256__begin(struct sha256 *s);
void sha256__add(struct sha256 *s, const void *data, size_t len);
void sha256__end(struct sha256 *s, uint8_t ret[static SHA256_SIZE]);

void sha256_of(const void *data, size_t len, uint8_t ret[static SHA256_SIZE]);
void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t ret[static SHA256_SIZE]);
void sha256_hex(const uint8_t hash[static SHA256_SIZE], char ret[static SHA256_HEX]);

#endif
