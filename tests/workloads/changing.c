// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * changing FILE HOW [SECONDS=2]: executes a file that changes meanwhile. FILE is made, a copy of
 * this program, and its code is mapped and run from there; a second thread does to it, some hundred
 * times a second, what HOW says:
 *
 * 	rewrite		its headers and all behind its code are overwritten, with noise and then with what was there
 * 	replace		another file takes its name
 * 	truncate	it is cut to nothing, and filled again
 *
 * Known answer: all CPU time but the second thread's is in mapped_spin. It runs on: of a file that
 * is cut, the pages have gone for a moment (SIGBUS), which it waits out.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "spin.h"

static const char *name, *how;
static char *image;
static size_t image_len, code_off;
static uint64_t end_ns;
static sigjmp_buf gone;

/* Nothing outside of itself: it runs where it was not linked to. A page of its own stays as it
 * is. */
__attribute__((aligned(4096))) WORK void mapped_spin(uint64_t rounds)
{
	burn(rounds);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void write_all(const char *path, int flags, const char *bytes, size_t len)
{
	int fd = open(path, flags | O_WRONLY | O_CLOEXEC, 0755);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		fail(path);
	close(fd);
}

/* All but the page that is executed. */
static void rewrite(const char *bytes)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, code_off, 0) < 0 ||
	    pwrite(fd, bytes + code_off + 4096, image_len - code_off - 4096,
		   (off_t)code_off + 4096) < 0)
		fail(name);
	close(fd);
}

static void *change(void *ignored)
{
	char *noise = malloc(image_len);
	char other[4096];

	(void)ignored;
	for (size_t i = 0; i < image_len; i++)
		noise[i] = (char)(jitter() * 16);
	snprintf(other, sizeof(other), "%s.new", name);
	for (int i = 0;; i++) {
		if (strcmp(how, "rewrite") == 0) {
			rewrite(i % 2 ? image : noise);
		} else if (strcmp(how, "replace") == 0) {
			write_all(other, O_CREAT | O_TRUNC, i % 2 ? image : noise, image_len);
			rename(other, name);
		} else {
			write_all(name, O_TRUNC, image, image_len);
		}
		usleep(2000);
	}
	return NULL;
}

static void read_itself(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		fail("itself");
	image_len = (size_t)st.st_size;
	image = malloc(image_len);
	if (read(fd, image, image_len) != (ssize_t)image_len)
		fail("itself");
	close(fd);
}

/* Where in the file mapped_spin stands: /proc/self/maps knows. */
static size_t offset_of_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, off, at = (unsigned long)mapped_spin;
	char line[4096], *p;

	while (fgets(line, sizeof(line), maps)) {
		start = strtoul(line, &p, 16);
		end = strtoul(p + 1, &p, 16);
		off = strtoul(p + strlen(" r-xp "), NULL, 16);
		if (at >= start && at < end) {
			fclose(maps);
			return at - start + off;
		}
	}
	exit(1);
}

static void page_gone(int number)
{
	siglongjmp(gone, number);
}

int main(int argc, char **argv)
{
	static void (*spin)(uint64_t rounds);
	pthread_t thread;
	int fd;

	if (argc < 3)
		return 2;
	end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(arg_num(argc, argv, 3, 2) * 1e9);
	name = argv[1];
	how = argv[2];
	read_itself();
	code_off = offset_of_code();
	write_all(name, O_CREAT | O_TRUNC, image, image_len);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	spin = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, (off_t)code_off);
	if (spin == MAP_FAILED)
		fail("mmap");
	close(fd);
	sigaction(SIGBUS, &(struct sigaction){.sa_handler = page_gone, .sa_flags = SA_NODEFER},
		  NULL);
	pthread_create(&thread, NULL, change, NULL);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		if (sigsetjmp(gone, 1) == 0)
			spin(100000);
	}
	return 0;
}
