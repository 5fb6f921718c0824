// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Ratios of two events (cycles per instruction, misses per thousand of them): of all that is below a node, and how
// sure that is. The head of the data says which there are: numbers of types above and below the line, and of those
// that count their samples (-1: nobody did).

const RATIO_FEW = 30;    // samples of a part; with fewer a ratio is a guess
const RATIO_OCTAVES = 2; // from the whole's ratio to the ends of the colours

const ratioKey = ratio => `${ratio.event} ${ratio.kind}`;
const ratioName = ({event, kind, words}) => /^(ipc|cpi|.*_ghz)$/.test(kind) ? words : `${event} ${words}`;

// of(type): what was measured of a type. null: there is nothing to divide by. error: the standard error of the ratio's
// logarithm, as two counts of samples have it; NaN: nobody counted.
function ratioOf(ratio, of) {
	const above = of(ratio.above), below = of(ratio.below);
	if (!(below > 0))
		return null;
	const counted = ratio.above_samples >= 0 && ratio.below_samples >= 0;
	const n = counted ? of(ratio.above_samples) : NaN, m = counted ? of(ratio.below_samples) : NaN;
	return {
		value: ratio.factor * above / below, error: Math.sqrt(1 / n + 1 / m),
		sure: !ratio.doubtful && n >= RATIO_FEW && m >= RATIO_FEW,
	};
}

const ratioOfNode = (ratio, tally, node) => ratioOf(ratio, type => tally.value(node, 0, type));

// -1: much better than the whole … 1: much worse; what may be chance is near 0, and so is half of what nobody counted.
function ratioAmount(ratio, here, whole) {
	if (!here.value || !whole.value)
		return 0;
	const distance = Math.log(here.value / whole.value), z = Math.abs(distance) / here.error;
	const strength = isNaN(here.error) || ratio.doubtful ? 0.5 : Math.min(1, z / 3);
	const amount = Math.max(-1, Math.min(1, distance / (RATIO_OCTAVES * Math.LN2)));
	return (ratio.more_is_better ? -amount : amount) * strength;
}

function ratioText({value, sure}) {
	return (sure ? "" : "~") + threeDigits.format(value);
}

// With the interval in which it is 95 times of 100.
function ratioFact(ratio, here, whole) {
	const range = isFinite(here.error) ? [-1, 1].map(side =>
		threeDigits.format(here.value * Math.exp(1.96 * side * here.error))) : null;
	const parts = [ratioText(here) + (range ? ` (${range.join("–")})` : "")];
	if (ratio.doubtful)
		parts.push("not all of its events came");
	else if (!here.sure)
		parts.push(range ? "few samples" : "nobody counted samples");
	if (whole && whole.value)
		parts.push(`${threeDigits.format(here.value / whole.value)} × the whole`);
	return [ratioName(ratio), parts.join(", ")];
}

// [colour, words] of values from the least to the most.
function ratioLegend(ratio, whole, colour) {
	const steps = [-1, -0.5, 0, 0.5, 1];
	return steps.map(step => {
		const ends = Math.abs(step) === 1 || step === 0;
		const value = whole ? whole.value * 2 ** (step * RATIO_OCTAVES) : NaN;
		const words = ends && isFinite(value) ? threeDigits.format(value) : "";
		return [colour(ratio.more_is_better ? -step : step), step === 1 && words ? `${words} ${ratio.title}` : words + (step ? "" : "\u00a0")];
	});
}
