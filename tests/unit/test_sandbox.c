// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A helper that was taken over: it enters the sandbox, and then does as it likes. Each thing it
 * tries must end it, or be refused; each thing it is there for must still work.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/drop.h"
#include "sys/fd_packet.h"
#include "sys/landlock.h"
#include "sys/memory_file.h"
#include "sys/procfs.h"
#include "symd/sandbox.h"

enum { SOCK = 3, GIVEN = 4, REFUSED = 1, CHILD_BROKEN = 99 };

TestSuite(sandbox, .timeout = 60);

/* In a child that has entered the sandbox. *ret_parent_sock: it is not waited for, and its pid is
 * returned. */
static int in_sandbox(int (*deed)(void), int *ret_parent_sock)
{
	int pair[2], status = 0;
	pid_t pid;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		if (dup2(pair[1], SOCK) < 0 || sandbox_enter(SOCK) < 0)
			_exit(CHILD_BROKEN);
		_exit(deed());
	}
	close(pair[1]);
	if (ret_parent_sock) {
		*ret_parent_sock = pair[0];
		return pid;
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	close(pair[0]);
	return status;
}

/* It ends at once. */
#define KILLED(name, what)                                                                  \
	static int try_##name(void)                                                         \
	{                                                                                   \
		return (what) < 0 ? REFUSED : 0;                                            \
	}                                                                                   \
	Test(sandbox, ends_what_does_##name)                                                \
	{                                                                                   \
		int status = in_sandbox(try_##name, NULL);                                  \
                                                                                            \
		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "status 0x%x", \
			  (unsigned)status);                                                \
	}

/* It goes on without. */
#define REFUSES(name, what)                                                                   \
	static int try_##name(void)                                                           \
	{                                                                                     \
		return (what) < 0 ? REFUSED : 0;                                              \
	}                                                                                     \
	Test(sandbox, refuses_##name)                                                         \
	{                                                                                     \
		int status = in_sandbox(try_##name, NULL);                                    \
                                                                                              \
		cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == REFUSED, "status 0x%x", \
			  (unsigned)status);                                                  \
	}

/* Calls by their numbers: what libc would do before is not what is tried. */
static const char *const no_args[] = {"/bin/true", NULL};
static struct sockaddr name_of_nobody = {.sa_family = AF_UNIX};
static struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

static int grow(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED ?
		       -1 :
		       0;
}

KILLED(openat2, syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0))
KILLED(open_by_handle, syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, O_RDONLY))
KILLED(unlink, syscall(SYS_unlinkat, AT_FDCWD, "/tmp/pmubpf-escaped", 0))
KILLED(chroot, syscall(SYS_chroot, "."))
KILLED(fchdir, syscall(SYS_fchdir, SOCK))
KILLED(socket, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0))
KILLED(socketpair, syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, NULL))
KILLED(connect, syscall(SYS_connect, SOCK, &name_of_nobody, sizeof(name_of_nobody)))
KILLED(bind, syscall(SYS_bind, SOCK, &name_of_nobody, sizeof(name_of_nobody)))
KILLED(execve, syscall(SYS_execve, "/bin/true", no_args, NULL))
KILLED(clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
KILLED(clone3, syscall(SYS_clone3, NULL, 0))
KILLED(kill, syscall(SYS_kill, getppid(), 0))
KILLED(tgkill, syscall(SYS_tgkill, 1, 1, 0))
KILLED(ptrace, syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0))
KILLED(process_vm_readv, syscall(SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0))
KILLED(pidfd_open, syscall(SYS_pidfd_open, 1, 0))
KILLED(mount, syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL))
KILLED(unshare, syscall(SYS_unshare, CLONE_NEWUSER))
KILLED(setns, syscall(SYS_setns, SOCK, 0))
KILLED(bpf, syscall(SYS_bpf, 0, NULL, 0))
KILLED(perf_event_open, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0))
KILLED(io_uring, syscall(SYS_io_uring_setup, 1, NULL))
KILLED(keyctl, syscall(SYS_keyctl, 0, 0, 0, 0, 0))
KILLED(userfaultfd, syscall(SYS_userfaultfd, 0))
KILLED(ioctl, syscall(SYS_ioctl, STDERR_FILENO, TIOCSTI, ""))
KILLED(prctl, syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0))
KILLED(setrlimit, syscall(SYS_prlimit64, 0, RLIMIT_AS, &all, NULL))
KILLED(setuid, syscall(SYS_setuid, 0))
KILLED(another_socket, syscall(SYS_sendmsg, GIVEN, NULL, 0))
KILLED(memory_to_code,
       syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
KILLED(code_to_memory,
       syscall(SYS_mprotect, (uintptr_t)grow & ~4095UL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
KILLED(memfd, syscall(SYS_memfd_create, "x", MFD_CLOEXEC))
KILLED(seals, syscall(SYS_fcntl, SOCK, F_ADD_SEALS, F_SEAL_WRITE))
KILLED(duplication, syscall(SYS_fcntl, SOCK, F_DUPFD, 100))
#ifdef __x86_64__
/* another numbering of the calls: x32's openat */
KILLED(other_numbers, syscall(0x40000000 + 257, AT_FDCWD, "/etc/passwd", O_RDONLY))
#endif

#ifndef __SANITIZE_ADDRESS__
REFUSES(memory_beyond_the_limit, grow(SANDBOX_MEMORY_MAX))
#endif
/* libdw tries these with honest files, too. */
REFUSES(openat, syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY))
REFUSES(openat_write, syscall(SYS_openat, AT_FDCWD, "pmubpf-escaped", O_CREAT | O_WRONLY, 0600))
REFUSES(readlinkat, syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", (char[9]){0}, 9))
REFUSES(standard_input, read(STDIN_FILENO, (char[1]){0}, 1) == 1 ? 0 : -1)

/* The filter lets fstat() by; a name must not mean anything to it. (Some hosts allow no empty
 * root.) */
static int stat_by_name(void)
{
#ifdef SYS_newfstatat
	struct stat st;

	return (int)syscall(SYS_newfstatat, AT_FDCWD, "/etc", &st, AT_EMPTY_PATH);
#else
	return -1;
#endif
}
REFUSES(stat_by_name, stat_by_name())

/* As symd gets its files. */
static int in_sandbox_with_files(int (*deed)(void), int n)
{
	int sock, status = 0, pid = in_sandbox(deed, &sock);

	for (int i = 0; i < n; i++) {
		int fd = memory_file__new("x");

		cr_assert_eq(fd_packet__send(sock, "abc", 3, fd, 0), 0);
		close(fd);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	close(sock);
	return status;
}

static int take_file(void)
{
	char text[8];
	int fd;

	return fd_packet__recv(SOCK, text, sizeof(text), &fd, 0) == 3 ? fd : -1;
}

static int too_many_files(void)
{
	for (int i = 0; i < SANDBOX_FILES; i++) {
		if (take_file() < 0)
			return i < SANDBOX_FILES / 2 ? CHILD_BROKEN : REFUSED;
	}
	return 0;
}

Test(sandbox, refuses_too_many_files)
{
	int status = in_sandbox_with_files(too_many_files, SANDBOX_FILES);

	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == REFUSED, "status 0x%x",
		  (unsigned)status);
}

static int too_long_file(void)
{
	static char block[1 << 20];
	int fd = take_file();

	for (int i = 0; i <= SANDBOX_FILE_MIB; i++) {
		if (write(fd, block, sizeof(block)) < 0)
			return -1;
	}
	return 0;
}

Test(sandbox, ends_a_file_that_grows)
{
	int status = in_sandbox_with_files(too_long_file, 1);

	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ, "status 0x%x",
		  (unsigned)status);
}

/* What it is there for. */
static int honest_work(void)
{
	char text[8] = "";
	int fd;

	if (fd_packet__recv(SOCK, text, sizeof(text), &fd, 0) != 3)
		return 2;
	if (fd < 0 || write(fd, text, 3) != 3)
		return 3;
	if (pread(fd, text + 3, 3, 0) != 3 || memcmp(text, text + 3, 3) != 0)
		return 4;
	if (grow(256 << 20) < 0)
		return 5;
	return fd_packet__send(SOCK, text, 6, -1, 0) == 0 ? 0 : 6;
}

/* The text after "KEY:" in a process's status, without the blanks. */
static char *status_of(pid_t pid, const char *key)
{
	char path[64];
	char *text, *line, *value;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	text = file_read(path);
	line = text ? strstr(text, key) : NULL;
	cr_assert_not_null(line, "%s", key);
	value = line + strlen(key);
	value += strspn(value, ":\t ");
	value = xstrndup(value, strcspn(value, "\n"));
	free(text);
	return value;
}

static void expect_status(pid_t pid, const char *key, const char *expected)
{
	char *value = status_of(pid, key);

	cr_expect_str_eq(value, expected, "%s", key);
	free(value);
}

Test(sandbox, lets_it_work_and_is_seen_from_outside)
{
	static const char none[] = "0000000000000000";
	char got[8] = "";
	int sock, status, file = memory_file__new("x");
	pid_t pid = in_sandbox(honest_work, &sock);

	/* it waits for a message */
	for (int i = 0; i < 500; i++) {
		char *filtered = status_of(pid, "Seccomp");
		bool ready = *filtered == '2';

		free(filtered);
		if (ready)
			break;
		usleep(10000);
	}
	expect_status(pid, "Seccomp", "2");
	expect_status(pid, "NoNewPrivs", "1");
	expect_status(pid, "CapEff", none);
	expect_status(pid, "CapPrm", none);
	expect_status(pid, "CapInh", none);
	expect_status(pid, "CapAmb", none);
	expect_status(pid, "CapBnd", none);
	cr_assert_eq(fd_packet__send(sock, "abc", 3, file, 0), 0);
	cr_assert_eq(recv(sock, got, sizeof(got), 0), 6);
	cr_expect_str_eq(got, "abcabc");
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0, "0x%x", (unsigned)status);
	close(file);
	close(sock);
}

/* Each part of it alone: another one must not hide that it does nothing. */
static int open_after_landlock(void)
{
	if (drop_new_privileges() < 0 || landlock_deny_all() < 0)
		return CHILD_BROKEN;
	return open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES ? REFUSED : 0;
}

static int run_after_landlock(void)
{
	if (drop_new_privileges() < 0 || landlock_deny_all() < 0)
		return CHILD_BROKEN;
	execl("/bin/true", "true", NULL);
	return errno == EACCES ? REFUSED : 2;
}

static int mount_without_capabilities(void)
{
	if (drop_capabilities(0) < 0)
		return CHILD_BROKEN;
	return mount("none", "/proc", "proc", 0, NULL) < 0 && errno == EPERM ? REFUSED : 0;
}

static int status_in_child(int (*deed)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(deed());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

Test(sandbox, landlock_alone)
{
	if (!landlock_abi())
		cr_skip_test("this kernel has no Landlock");
	cr_expect_eq(WEXITSTATUS(status_in_child(open_after_landlock)), REFUSED);
	cr_expect_eq(WEXITSTATUS(status_in_child(run_after_landlock)), REFUSED);
}

Test(sandbox, capabilities_alone)
{
	cr_expect_eq(WEXITSTATUS(status_in_child(mount_without_capabilities)), REFUSED);
}

static int keep_two(void)
{
	const uint64_t keep = CAP_BIT(1) | CAP_BIT(39); /* DAC_OVERRIDE, BPF */
	char *bounding, expected[32];
	int r = drop_capabilities(keep);

	snprintf(expected, sizeof(expected), "%016llx", (unsigned long long)keep);
	bounding = status_of(getpid(), "CapBnd");
	return r < 0 || strcmp(bounding, expected) != 0;
}

Test(sandbox, some_capabilities_stay)
{
	if (geteuid() != 0)
		cr_skip_test("needs root");
	cr_expect_eq(status_in_child(keep_two), 0);
}
