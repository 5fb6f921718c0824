// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Classes that come and go, each by a loader of its own, so that they are unloaded again: Churn SECONDS
 * CALLS, of CPU time, and how often each is called (which makes code of it, or doesn't). Class N is this
 * file's Churned0000000 with N in all of its names, and calls work_K with K = N % 16: of a stack that has
 * a work_K, each name can be told to be wrong.
 */
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.function.IntUnaryOperator;

final class Churned0000000 implements IntUnaryOperator {
	public Churned0000000() {}
	public int applyAsInt(int n) { return f_0000000(n); }
	static int f_0000000(int n) { return g_0000000(n) + 1; }
	static int g_0000000(int n) { return Churn.work_00(n) + 1; }
}

public class Churn {
	static final class Loader extends ClassLoader {
		Loader() { super(Churn.class.getClassLoader()); }

		Class<?> define(String name, byte[] bytes) {
			return defineClass(name, bytes, 0, bytes.length);
		}
	}

	static int spin(int n) {
		int s = 0;

		for (int i = 0; i < n; i++)
			s = (s + i * i) % 1003;
		return s;
	}

	public static int work_00(int n) { return spin(n); }
	public static int work_01(int n) { return spin(n); }
	public static int work_02(int n) { return spin(n); }
	public static int work_03(int n) { return spin(n); }
	public static int work_04(int n) { return spin(n); }
	public static int work_05(int n) { return spin(n); }
	public static int work_06(int n) { return spin(n); }
	public static int work_07(int n) { return spin(n); }
	public static int work_08(int n) { return spin(n); }
	public static int work_09(int n) { return spin(n); }
	public static int work_10(int n) { return spin(n); }
	public static int work_11(int n) { return spin(n); }
	public static int work_12(int n) { return spin(n); }
	public static int work_13(int n) { return spin(n); }
	public static int work_14(int n) { return spin(n); }
	public static int work_15(int n) { return spin(n); }

	static String template() throws Exception {
		byte[] bytes = new byte[65536];
		int n = 0, got;

		try (InputStream in = Churn.class.getResourceAsStream("Churned0000000.class")) {
			while ((got = in.read(bytes, n, bytes.length - n)) > 0)
				n += got;
		}
		return new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
	}

	static IntUnaryOperator make(String template, int number) throws Exception {
		String text = template.replace("0000000", String.format("%07d", number))
				      .replace("work_00", String.format("work_%02d", number % 16));

		Constructor<?> made = new Loader()
			.define(String.format("Churned%07d", number),
				text.getBytes(StandardCharsets.ISO_8859_1))
			.getDeclaredConstructor();

		made.setAccessible(true); // its package is another, by its loader
		return (IntUnaryOperator)made.newInstance();
	}

	static volatile int sink;

	public static void main(String[] args) throws Exception {
		java.lang.management.ThreadMXBean cpu =
			java.lang.management.ManagementFactory.getThreadMXBean();
		double end = cpu.getCurrentThreadCpuTime() + 1e9 * Double.parseDouble(args[0]);
		int calls = Integer.parseInt(args[1]);
		String template = template();

		for (int number = 1; cpu.getCurrentThreadCpuTime() < end; number++) {
			IntUnaryOperator made = make(template, number);

			for (int i = 0; i < calls; i++)
				sink = made.applyAsInt(200000 / calls);
		}
	}
}
