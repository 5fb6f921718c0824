// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Four bytes of version, then what _PyRuntime begins with. What passes has its members within what
 * the overflow program reads. */
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "symd/python_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmb_python p;
	uint32_t version;

	if (size < sizeof(version))
		return 0;
	memcpy(&version, data, sizeof(version));
	if (python_layout(version, data + sizeof(version), size - sizeof(version), &p) &&
	    (p.frame_size > PMB_PY_FRAME_MAX || p.code_size > PMB_PY_CODE_MAX ||
	     p.code_name >= p.code_size || p.code_file >= p.code_size ||
	     p.code_line >= p.code_size))
		abort();
	return 0;
}
