/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of functions as a picture's page has it (user/html/code.js): JSON, as small as it may
 * be. Numbers of files are places in the function's "files", values are in the order of "types".
 *
 *	{"types":["cpu-clock_sample",…],"functions":[{
 *	  "name","module","file","kind": as the page's function has them,
 *	  "read": whose instructions these are, or null, "build_id",
 *	  "events":[{"event","nearness"}], "files":[…], "notes":[…],
 *	  "sums":[values], "base": 1 if addresses are distances,
 *	  "rows":[[address, text or null, jumps, file, line, "what was inlined", values or 0], or
 *	          how many were left out, …],
 *	  "source":[[file, line, text],…]}],"left_out": functions}
 */
#ifndef PMUBPF_RENDER_HTML_CODE_H
#define PMUBPF_RENDER_HTML_CODE_H

#include "render/code.h"
#include "render/json.h"

enum { HTML_CODE_BYTES_MAX = 4 * 1024 * 1024 }; /* of all functions, before it is compressed */

/* One function: an element of "functions". */
void html_code__put(const struct code_view *view, struct json *j);

#endif
