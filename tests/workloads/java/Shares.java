// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls three methods that do 6, 3 and 1 parts of the work, all of it in spin(), and writes how many
 * thousandths of it each had: Shares SECONDS FILE, of CPU time
 */
import java.io.PrintWriter;

public class Shares {
	static volatile long sink;

	static void spin(int n) {
		long x = sink;

		for (int i = 0; i < n; i++)
			x = (x ^ x >>> 29) * 6364136223846793005L + 1;
		sink = x;
	}

	static int unit = 1;

	static void sixty() { spin(6 * unit); }
	static void thirty() { spin(3 * unit); }
	static void ten() { spin(unit); }

	static void round() {
		sixty();
		thirty();
		ten();
	}

	public static void main(String[] args) throws Exception {
		/* until all of them are compiled, which takes calls */
		for (int i = 0; i < 30000; i++)
			round();
		Thread.sleep(500);
		unit = 100000;
		java.lang.management.ThreadMXBean cpu =
			java.lang.management.ManagementFactory.getThreadMXBean();
		double end = cpu.getCurrentThreadCpuTime() + 1e9 * Double.parseDouble(args[0]);

		while (cpu.getCurrentThreadCpuTime() < end)
			round();
		try (PrintWriter told = new PrintWriter(args[1])) {
			told.print("sixty 600\nthirty 300\nten 100\n");
		}
	}
}
