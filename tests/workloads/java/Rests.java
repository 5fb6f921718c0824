// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rests SECONDS: works for about 2 ms, then rests for 18, in methods that get compiled.
final class Rests {
	static volatile long sum;

	static long work(int n)
	{
		long s = 0;

		for (int i = 0; i < n; i++)
			s += Math.floorMod(s * 31 + i, 1000003L);
		return s;
	}

	public static void main(String[] args) throws InterruptedException
	{
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;

		while (System.nanoTime() < end) {
			long until = System.nanoTime() + 2_000_000L;

			while (System.nanoTime() < until)
				sum += work(10_000);
			Thread.sleep(18);
		}
	}
}
