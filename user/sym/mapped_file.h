/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of the recording, as the helper is asked about it. */
#ifndef PMUBPF_SYM_MAPPED_FILE_H
#define PMUBPF_SYM_MAPPED_FILE_H

#include "proc/files.h"
#include "sym/sym.h"

/* late: what files__reopen() gave, for one that isn't open any more; -1. All borrowed. */
static inline struct sym_file sym_file__of(const struct files *files, const struct file *file,
					   int late)
{
	return (struct sym_file){
		.fd = file->fd < 0 ? late : file->fd,
		.root_fd = file->root_fd,
		.mnt_ns = file->mnt_ns,
		.dev = file->dev,
		.opener = files__opener(files),
		.path = file->path,
	};
}

#endif
