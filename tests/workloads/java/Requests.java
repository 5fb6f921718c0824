// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Known answer: virtual threads, ARGV[1] of them for ARGV[0] seconds, that handle requests: handle,
// route, service, store, query each work for a while, and wait in the innermost. What returns from
// there has its callers in the heap. Java 21 and later.
public class Requests {
	static volatile boolean over;

	static int spin(int n) {
		int s = 0;

		for (int i = 0; i < n; i++)
			s = (s + i * i) % 1000003;
		return s;
	}

	static int await() throws Exception { Thread.sleep(1); return 1; }
	static int query() throws Exception { return await() + spin(200000); }
	static int store() throws Exception { return query() + spin(100000); }
	static int service() throws Exception { return spin(50000) + store() + spin(50000); }
	static int route() throws Exception { return service() + spin(20000); }
	static int handle() throws Exception { return spin(80000) + route(); }

	static void serve() {
		try {
			while (!over)
				handle();
		} catch (Exception e) {
			throw new RuntimeException(e);
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < Integer.parseInt(args[1]); i++)
			Thread.ofVirtual().start(Requests::serve);
		Thread.sleep((long)(Double.parseDouble(args[0]) * 1000));
		over = true;
		Thread.sleep(50);
	}
}
