// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options in a file: what a line may be, and which one counts beside a command line. */
#include <criterion/criterion.h>

#include <string.h>

#include "base/buf.h"
#include "cmd/config_file.h"

static const struct argp_option inner[] = {{"event", 'e', "EVENT", 0, "what", 0},
					   {0, 'g', 0, 0, "nothing", 0},
					   {0}};
static const struct argp inner_argp = {.options = inner};
static const struct argp_child children[] = {{.argp = &inner_argp}, {0}};
static const struct argp_option outer[] = {{0, 0, 0, 0, "A head", 1},
					   {"keep", 300, "TIME", 0, "how long", 0},
					   {"keep-all", 301, 0, 0, "for ever", 0},
					   {"to", 302, "URL", 0, "where to", 0},
					   {"ca", 303, "FILE", 0, "of that", 0},
					   {"config", 304, "FILE", 0, "this", 0},
					   {0}};
static const struct argp argp = {.options = outer, .children = children};

static struct config_file parse(const char *text)
{
	struct config_file f;
	struct err err = {0};

	cr_assert_eq(config_file__parse(&f, text, "f", &argp, &err), 0, "%s", err.text);
	return f;
}

static void expect_refused(const char *text, const char *why)
{
	struct config_file f;
	struct err err = {0};

	cr_expect_lt(config_file__parse(&f, text, "f", &argp, &err), 0, "%s", text);
	cr_expect(strstr(err.text, why), "%s: %s", text, err.text);
}

static void expect_words(const char *text, int argc, char **argv, const char *want)
{
	static const char *const with[][2] = {{"to", "ca"}, {NULL, NULL}};
	struct config_file f = parse(text);
	struct config_words words;
	struct buf got = {0};

	config_words__make(&words, &f, &argp, argc, argv, with);
	for (size_t i = 0; i < words.n; i++) {
		buf__printf(&got, "%s ", words.words[i]);
	}
	cr_expect_str_eq(got.data, want);
	buf__done(&got);
	config_words__done(&words);
	config_file__done(&f);
}

Test(config_file, lines)
{
	struct config_file f = parse("# a comment\n\n keep =  7d \r\nkeep-all\nevent=a,b # c");

	cr_assert_eq(f.n, 3);
	cr_expect_str_eq(f.lines[0].name, "keep");
	cr_expect_str_eq(f.lines[0].value, "7d");
	cr_expect_null(f.lines[1].value);
	cr_expect_str_eq(f.lines[2].value, "a,b # c");
	config_file__done(&f);
}

Test(config_file, what_is_wrong_has_a_line)
{
	expect_refused("keep = 1\nkepp = 7d", "f, line 2: 'kepp'");
	expect_refused("kee = 7d", "no option");
	expect_refused("config = other", "no option");
	expect_refused("help", "no option");
	expect_refused("e = cycles", "no option");
	expect_refused("keep", "wants a value: keep = TIME");
	expect_refused("keep =", "wants a value");
	expect_refused("keep-all = yes", "takes no value");
	expect_refused("= 7d", "no option");
	expect_refused("keep = 7\033d", "control character");
}

/* An option of the command line takes the place of all lines of it, a letter as well. */
Test(config_file, the_command_line_counts)
{
	char *none[] = {"agent", NULL};
	char *letter[] = {"agent", "-ge", "x", "--keep", "1d", "--", "--to", "u", NULL};
	char *to[] = {"agent", "--to=v", NULL};
	const char *text = "event = a\nkeep = 2d\nkeep-all\nevent = b\nto = w\nca = f\n";

	expect_words(text, 1, none,
		     "agent --event=a --keep=2d --keep-all --event=b --to=w --ca=f ");
	expect_words(text, 8, letter, "agent --keep-all --to=w --ca=f -ge x --keep 1d -- --to u ");
	expect_words(text, 2, to, "agent --event=a --keep=2d --keep-all --event=b --to=v ");
}

Test(config_file, an_options_value)
{
	char *argv[] = {"agent", "--config", "f", "x", "--config", "g", NULL};
	char *none[] = {"agent", "--keep=1", NULL};

	cr_expect_str_eq(config_words__option(&argp, 6, argv, "config"), "f");
	cr_expect_null(config_words__option(&argp, 2, none, "config"));
}

Test(config_file, what_has_changed)
{
	struct config_file a = parse("event=a\nkeep=1\nevent=b"),
			   b = parse("event=a\nevent=b\nkeep=2"), c = parse("event=b\nevent=a");

	cr_expect(config_file__same(&a, &b, "event"));
	cr_expect(!config_file__same(&a, &b, "keep"));
	cr_expect(!config_file__same(&a, &c, "event"));
	cr_expect(!config_file__same(&a, &c, "keep"));
	cr_expect(config_file__same(&a, &c, "to"));
	config_file__done(&a);
	config_file__done(&b);
	config_file__done(&c);
}
