// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whoever writes milliseconds to /proc/held_lock has its own memory's lock for so long, as a
 * program has that maps a file of a server that doesn't answer. Read, it says how many have theirs
 * now.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

static atomic_t held = ATOMIC_INIT(0);

static ssize_t hold(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	unsigned int ms;
	int r = kstrtouint_from_user(text, size, 0, &ms);

	if (r)
		return r;
	down_write(&current->mm->mmap_lock);
	atomic_inc(&held);
	msleep(ms);
	atomic_dec(&held);
	up_write(&current->mm->mmap_lock);
	return size;
}

static ssize_t tell(struct file *file, char __user *text, size_t size, loff_t *at)
{
	char line[16];
	int n = scnprintf(line, sizeof(line), "%d\n", atomic_read(&held));

	return simple_read_from_buffer(text, size, at, line, n);
}

static const struct proc_ops ops = {.proc_write = hold, .proc_read = tell};

static int __init begin(void)
{
	return proc_create("held_lock", 0644, NULL, &ops) ? 0 : -ENOMEM;
}

static void __exit end(void)
{
	remove_proc_entry("held_lock", NULL);
}

module_init(begin);
module_exit(end);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("a process that has its own memory's lock for a while");
