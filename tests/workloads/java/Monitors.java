// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads that wait in three ways, for a second each: "enters" for a monitor that main has,
 * "is-told" for notify() on it, which main never calls in that time, "parks" by LockSupport.
 */
import java.util.concurrent.locks.LockSupport;

public class Monitors {
	static final Object taken = new Object(), told = new Object();

	static Thread start(String name, Runnable what) {
		Thread thread = new Thread(what, name);

		thread.start();
		return thread;
	}

	static void waitForIt() {
		synchronized (told) {
			try {
				told.wait(1000);
			} catch (InterruptedException e) {
			}
		}
	}

	public static void main(String[] args) throws Exception {
		Thread[] threads;

		synchronized (taken) {
			threads = new Thread[] {
				start("enters", () -> { synchronized (taken) { } }),
				start("is-told", Monitors::waitForIt),
				start("parks", () -> LockSupport.parkNanos(1000000000L)),
			};
			Thread.sleep(1000);
		}
		for (Thread thread : threads)
			thread.join();
	}
}
