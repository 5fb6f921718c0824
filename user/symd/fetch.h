/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The third process: asks debuginfod servers for separate debug files, and for programs. It has the
 * network, and nothing else: it runs as nobody, and what it gets is handed back as a descriptor for
 * symd to judge. The protocol is that of symd/protocol.h, with one request:
 *
 * 	FETCH	u8 which (enum fetch_which),	u8 what (enum fetch_answer), +fd if FETCH_FOUND
 * 		u8 n, n bytes of build id
 *
 * A build id of no bytes asks whether anything could be fetched: FETCH_NOTHING or FETCH_NO_LIBRARY.
 */
#ifndef PMUBPF_SYMD_FETCH_H
#define PMUBPF_SYMD_FETCH_H

enum {
	FETCH_FILE_S = 30,    /* for one file */
	FETCH_FILE_MIB = 512, /* that it may be large */
	FETCH_CPU_S = 120,
	FETCH_FILES = 256, /* descriptors at a time */
};

enum fetch_which {
	FETCH_DEBUG_FILE,
	FETCH_PROGRAM, /* or library: what ran */
	N_FETCH_WHICH,
};

enum fetch_answer {
	FETCH_NOTHING,
	FETCH_FOUND,
	FETCH_NO_LIBRARY, /* libdebuginfod isn't installed */
};

/* As symd_main(). Servers are those of DEBUGINFOD_URLS. */
int fetch_main(int sock);

/* What it must not do, whatever a server makes of it (symd/fetch_calls.c). 0 or a negative
 * errno. */
int fetch_forbid_calls(void);

#endif
