// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Numbers as people read them.

const whole = new Intl.NumberFormat("en");
const threeDigits = new Intl.NumberFormat("en", {minimumSignificantDigits: 3, maximumSignificantDigits: 3});

const TIME_UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const BYTE_UNITS = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const COUNT_UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
// What pprof files say a value is in, as a multiple of what is above.
const TIMES = {nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9};

function scaled(value, units) {
	const [size, unit] = units.find(([s]) => Math.abs(value) >= s) || units[units.length - 1];
	const text = size === 1 && Number.isInteger(value) ? whole.format(value) : threeDigits.format(value / size);
	return text + (unit ? "\u2009" + unit : "");
}

// In three digits and a unit.
function shortText(value, unit) {
	if (unit in TIMES)
		return scaled(value * TIMES[unit], TIME_UNITS);
	return scaled(value, unit === "bytes" ? BYTE_UNITS : COUNT_UNITS);
}

// Counts to the last unit; times and sizes aren't known better than to three digits.
function valueText(value, unit) {
	return unit in TIMES || unit === "bytes" ? shortText(value, unit) : whole.format(value);
}

function countText(n, thing) {
	return `${whole.format(n)} ${thing}${n === 1 ? "" : "s"}`;
}

function percentText(share) {
	const percent = 100 * share;
	if (!isFinite(percent))
		return "–";
	const digits = percent >= 99.95 || percent === 0 ? 0 : percent >= 9.995 ? 1 : 2;
	return (percent > 0 && percent < 0.005 ? "<0.01" : percent.toFixed(digits)) + "\u2009%";
}

// A difference of two shares, in points of percent.
function pointsText(difference) {
	const points = 100 * difference;
	return (points > 0 ? "+" : points < 0 ? "−" : "±") + Math.abs(points).toFixed(2);
}

function dateText(ms) {
	if (!ms)
		return "";
	const two = n => String(n).padStart(2, "0");
	const d = new Date(ms);
	return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ` +
		`${two(d.getHours())}:${two(d.getMinutes())}`;
}
