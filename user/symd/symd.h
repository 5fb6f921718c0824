/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The helper process: the only one that reads bytes which profiled programs wrote. It serves one
 * client over the protocol of symd/protocol.h until that closes the socket.
 */
#ifndef PMUBPF_SYMD_SYMD_H
#define PMUBPF_SYMD_SYMD_H

/* sock is a SOCK_SEQPACKET socket (SYMD_FD when re-executed). Returns an exit status: 0 when the
 * client has gone, 1 on a broken request. Changes the process it runs in; not for the main one. */
int symd_main(int sock);
/* The same, for listings of code: with the library that makes texts of instructions. */
int symd_code_main(int sock);

#endif
