// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The page is made when the program is built (mk/page.sh) and lies in it as two texts: what comes
 * before the data, and what comes after.
 */
#include "render/html.h"

#include <errno.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "render/html_data.h"

/* .incbin: no tool has to turn the page into C, and every assembler here has it. */
#define INCLUDE_TEXT(name, path)                                   \
	__asm__(".pushsection .rodata\n"                           \
		".global " #name "\n" #name ":\n"                  \
		".incbin \"" path "\"\n"                           \
		".global " #name "_end\n" #name "_end:\n.byte 0\n" \
		".popsection\n");                                  \
	extern const char name[], name##_end[]

INCLUDE_TEXT(html_page_head, HTML_PAGE "head.html");
INCLUDE_TEXT(html_page_tail, HTML_PAGE "tail.html");

static void put_base64(struct buf *out, const uint8_t *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *to = buf__room(out, (len + 2) / 3 * 4);

	for (size_t i = 0; i < len; i += 3, to += 4) {
		uint32_t three = (uint32_t)data[i] << 16;

		if (i + 1 < len)
			three |= (uint32_t)data[i + 1] << 8;
		if (i + 2 < len)
			three |= data[i + 2];
		to[0] = digits[three >> 18];
		to[1] = digits[three >> 12 & 63];
		to[2] = i + 1 < len ? digits[three >> 6 & 63] : '=';
		to[3] = i + 2 < len ? digits[three & 63] : '=';
	}
}

static int put_compressed(struct buf *out, const struct buf *data)
{
	_cleanup_(buf__done) struct buf packed = {0};
	uLongf size = compressBound(data->len);
	uint8_t *room = buf__room(&packed, size);

	if (compress2(room, &size, (const uint8_t *)data->data, data->len, Z_DEFAULT_COMPRESSION) !=
	    Z_OK)
		return -ENOMEM;
	put_base64(out, room, size);
	return 0;
}

int html__write(FILE *file, const struct prof *prof, const struct prof *old, const struct buf *code)
{
	_cleanup_(buf__done) struct buf data = {0}, page = {0};
	int r;

	html_data__encode(&data, prof, old, code);
	buf__add(&page, html_page_head, (size_t)(html_page_head_end - html_page_head));
	r = put_compressed(&page, &data);
	if (r < 0)
		return r;
	buf__add(&page, html_page_tail, (size_t)(html_page_tail_end - html_page_tail));
	return buf__write(&page, file);
}
