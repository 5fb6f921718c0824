/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subcommands. Each gets its own argv (argv[0] is the subcommand's name), prints, and returns
 * the exit status (EXIT_* of base/err.h, or the profiled command's own).
 */
#ifndef PMUBPF_CMD_CMD_H
#define PMUBPF_CMD_CMD_H

int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_advise(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_ship(int argc, char **argv);

#endif
