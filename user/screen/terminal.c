// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * By ncurses, which is loaded when a screen is wanted. The hard thing is the end: ncurses restores
 * the terminal in endwin(), which no handler of a fault may call, so what endwin() would write is
 * kept ready from the start. A change of size comes as a signal, which is read from a descriptor:
 * what a handler interrupts is somebody else's poll().
 */
#include "screen/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"

/* As ncurses 6 has them since 2015, and its curses.h says. */
typedef struct screen SCREEN;
typedef struct window WINDOW;

enum {
	NC_ERR = -1,
	NC_REVERSE = 1 << 18,
	NC_BOLD = 1 << 21,
	NC_DOWN = 0402,
	NC_UP,
	NC_LEFT,
	NC_RIGHT,
	NC_HOME,
	NC_BACKSPACE,
	NC_PAGE_DOWN = 0522,
	NC_PAGE_UP,
	NC_ENTER = 0527,
	NC_END = 0550,
};

static struct {
	SCREEN *(*newterm)(const char *, FILE *, FILE *);
	WINDOW **stdscr;
	int (*endwin)(void), (*cbreak)(void), (*noecho)(void), (*doupdate)(void);
	int (*curs_set)(int), (*set_escdelay)(int), (*resizeterm)(int, int);
	int (*keypad)(WINDOW *, bool), (*nodelay)(WINDOW *, bool);
	int (*wgetch)(WINDOW *), (*wmove)(WINDOW *, int, int);
	int (*wclrtoeol)(WINDOW *), (*wclrtobot)(WINDOW *), (*wnoutrefresh)(WINDOW *);
	int (*wattrset)(WINDOW *, int), (*waddnstr)(WINDOW *, const char *, int);
	char *(*tigetstr)(const char *);
} nc;

static struct {
	bool open, utf8;
	int fd, winch_fd;
	unsigned rows, columns;
	struct termios before;
	char restore[256]; /* what makes it an ordinary terminal again */
	size_t restore_len;
} term = {.fd = -1, .winch_fd = -1};

bool terminal_available(void)
{
	static const struct library_function functions[] = {
		{"newterm", &nc.newterm},       {"stdscr", &nc.stdscr},
		{"endwin", &nc.endwin},         {"cbreak", &nc.cbreak},
		{"noecho", &nc.noecho},         {"doupdate", &nc.doupdate},
		{"curs_set", &nc.curs_set},     {"set_escdelay", &nc.set_escdelay},
		{"resizeterm", &nc.resizeterm}, {"keypad", &nc.keypad},
		{"nodelay", &nc.nodelay},       {"wgetch", &nc.wgetch},
		{"wmove", &nc.wmove},           {"wclrtoeol", &nc.wclrtoeol},
		{"wclrtobot", &nc.wclrtobot},   {"wnoutrefresh", &nc.wnoutrefresh},
		{"wattrset", &nc.wattrset},     {"waddnstr", &nc.waddnstr},
		{"tigetstr", &nc.tigetstr},
	};

	return library_load("libncursesw.so.6", functions, ARRAY_SIZE(functions));
}

/* ---- the end */

static void keep(const char *capability)
{
	const char *text = nc.tigetstr(capability);
	size_t len = text && text != (char *)-1 ? strlen(text) : 0;

	if (!len || term.restore_len + len >= sizeof(term.restore))
		return;
	memcpy(term.restore + term.restore_len, text, len);
	term.restore_len += len;
}

static void restore(int signo)
{
	const char new_line = '\n';

	if (write(STDOUT_FILENO, term.restore, term.restore_len) < 0 ||
	    write(STDOUT_FILENO, &new_line, 1) < 0)
		term.open = false; /* a terminal that has gone needs no more */
	tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
	raise(signo); /* its handler has gone */
}

static void restore_on_faults(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGQUIT};
	const struct sigaction action = {.sa_handler = restore, .sa_flags = SA_RESETHAND};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &action, NULL);
}

void terminal_close(void)
{
	if (!term.open)
		return;
	term.open = false;
	nc.endwin();
	tcsetattr(STDIN_FILENO, TCSANOW, &term.before);
	cleanup_close(&term.fd);
	cleanup_close(&term.winch_fd);
	term.fd = term.winch_fd = -1;
}

/* ---- the beginning */

static int watch(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t winch;

	sigemptyset(&winch);
	sigaddset(&winch, SIGWINCH);
	sigprocmask(SIG_BLOCK, &winch, NULL);
	term.winch_fd = signalfd(-1, &winch, SFD_CLOEXEC | SFD_NONBLOCK);
	term.fd = epoll_create1(EPOLL_CLOEXEC);
	if (term.winch_fd < 0 || term.fd < 0 ||
	    epoll_ctl(term.fd, EPOLL_CTL_ADD, term.winch_fd, &event) < 0 ||
	    epoll_ctl(term.fd, EPOLL_CTL_ADD, STDIN_FILENO, &event) < 0)
		return -errno;
	return 0;
}

static void measure(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		term.rows = size.ws_row;
		term.columns = size.ws_col;
	} else {
		term.rows = 24;
		term.columns = 80;
	}
	nc.resizeterm((int)term.rows, (int)term.columns);
}

static bool can_move(void)
{
	const char *text = nc.tigetstr("cup");

	return text && text != (char *)-1;
}

static int begin(struct err *err)
{
	const char *name = getenv("TERM");
	int r;

	if (!nc.newterm(NULL, stdout, stdin))
		return err__set(err, -ENOTSUP, "nothing is known of a terminal '%s'",
				name ? name : "");
	term.open = true;
	if (!can_move()) {
		terminal_close();
		return err__set(err, -ENOTSUP, "a terminal '%s' can't move its cursor",
				name ? name : "");
	}
	r = watch();
	if (r < 0) {
		terminal_close();
		return err__set(err, r, "can't wait for keys: %s", strerror(-r));
	}
	return 0;
}

int terminal_open(struct err *err)
{
	int r;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &term.before) < 0)
		return err__set(err, -ENOTSUP, "standard input and output are no terminal");
	if (!terminal_available())
		return err__set(err, -ENOTSUP, "there is no libncursesw.so.6");
	setlocale(LC_CTYPE, "");
	term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	r = begin(err);
	if (r < 0)
		return r;
	keep("sgr0");
	keep("cnorm");
	keep("rmkx");
	keep("rmcup");
	restore_on_faults();
	atexit(terminal_close);
	nc.cbreak();
	nc.noecho();
	nc.set_escdelay(25); /* ms; a key's bytes come together */
	nc.keypad(*nc.stdscr, true);
	nc.nodelay(*nc.stdscr, true);
	nc.curs_set(0);
	measure();
	return 0;
}

/* ---- what comes in */

int terminal_fd(void)
{
	return term.fd;
}

static bool resized(void)
{
	struct signalfd_siginfo info;
	bool any = false;

	while (read(term.winch_fd, &info, sizeof(info)) == sizeof(info))
		any = true;
	return any;
}

/* There is something to read, and it is nothing. */
static bool is_gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int n = 0;

	return poll(&p, 1, 0) > 0 && (ioctl(STDIN_FILENO, FIONREAD, &n) < 0 || n == 0);
}

static int translate(int key)
{
	switch (key) {
	case NC_UP:
		return TERMINAL_UP;
	case NC_DOWN:
		return TERMINAL_DOWN;
	case NC_LEFT:
		return TERMINAL_LEFT;
	case NC_RIGHT:
		return TERMINAL_RIGHT;
	case NC_PAGE_UP:
		return TERMINAL_PAGE_UP;
	case NC_PAGE_DOWN:
		return TERMINAL_PAGE_DOWN;
	case NC_HOME:
		return TERMINAL_HOME;
	case NC_END:
		return TERMINAL_END;
	case NC_ENTER:
	case '\r':
		return TERMINAL_ENTER;
	case NC_BACKSPACE:
	case '\b':
		return TERMINAL_BACKSPACE;
	default:
		return key > 0 && key < 256 ? key : TERMINAL_OTHER;
	}
}

int terminal_key(void)
{
	int key;

	if (resized()) {
		measure();
		return TERMINAL_RESIZED;
	}
	key = nc.wgetch(*nc.stdscr);
	if (key != NC_ERR)
		return translate(key);
	return is_gone() ? TERMINAL_GONE : TERMINAL_NONE;
}

/* ---- what goes out */

void terminal_size(unsigned *ret_rows, unsigned *ret_columns)
{
	*ret_rows = term.rows;
	*ret_columns = term.columns;
}

/* The next character of a text: its bytes and columns. 0: there is none that can be shown. A
 * terminal without UTF-8 gets ? for one of several bytes. */
static size_t next_character(const char *text, const char **ret, int *ret_width)
{
	mbstate_t state = {0};
	size_t len = 1;
	wchar_t c;

	*ret = text;
	*ret_width = 1;
	if (!term.utf8 && (unsigned char)*text >= 0x80) {
		*ret = "?";
		while (((unsigned char)text[len] & 0xc0) == 0x80)
			len++;
		return len;
	}
	if (term.utf8) {
		len = mbrtowc(&c, text, MB_CUR_MAX, &state);
		if (len == 0 || len > MB_CUR_MAX)
			return 0;
		*ret_width = wcwidth(c);
	}
	return *ret_width < 0 || (unsigned char)*text < ' ' ? 0 : len;
}

/* What of a text fits into so many columns; the last one says that there is more. */
static void fit(char *to, size_t size, const char *text, unsigned columns)
{
	const char *mark = term.utf8 ? "…" : "+", *shown;
	size_t n = 0, n_before_mark = 0;
	unsigned used = 0;

	while (*text) {
		int width;
		size_t len = next_character(text, &shown, &width);
		size_t bytes = shown == text ? len : 1;

		if (!len)
			return;
		if (used + (unsigned)width > columns || n + bytes + sizeof("…") > size) {
			memcpy(to + n_before_mark, mark, strlen(mark) + 1);
			return;
		}
		memcpy(to + n, shown, bytes);
		n += bytes;
		to[n] = '\0';
		text += len;
		used += (unsigned)width;
		if (used < columns)
			n_before_mark = n;
	}
}

void terminal_line(unsigned row, const char *text, enum terminal_style style)
{
	static const int styles[] = {
		[TERMINAL_PLAIN] = 0,
		[TERMINAL_BOLD] = NC_BOLD,
		[TERMINAL_REVERSE] = NC_REVERSE,
	};
	char line[4096] = "";

	if (row >= term.rows)
		return;
	/* the last cell of the last line would scroll some terminals */
	fit(line, sizeof(line), text, term.columns - (row + 1 == term.rows));
	nc.wmove(*nc.stdscr, (int)row, 0);
	nc.wattrset(*nc.stdscr, styles[style]);
	nc.waddnstr(*nc.stdscr, line, -1);
	nc.wattrset(*nc.stdscr, 0);
	if (strlen(line) < term.columns)
		nc.wclrtoeol(*nc.stdscr);
}

void terminal_show(unsigned from_row)
{
	if (from_row < term.rows) {
		nc.wmove(*nc.stdscr, (int)from_row, 0);
		nc.wclrtobot(*nc.stdscr);
	}
	nc.wnoutrefresh(*nc.stdscr);
	nc.doupdate();
}
