// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What was recorded, on what, with which losses: the profile's comments, "key: value" where they are ours.

function remark(profile, key) {
	const found = profile.comments.find(c => c.startsWith(key + ": "));
	return found ? found.slice(key.length + 2) : "";
}

function profileTitle(profile) {
	return remark(profile, "command") || remark(profile, "command_line") || remark(profile, "command line");
}

function recordedText(profile) {
	const parts = [dateText(profile.time_ms)];
	if (profile.duration_ms)
		parts.push("for " + shortText(profile.duration_ms * 1e6, "nanoseconds"));
	return parts.filter(Boolean).join(" ");
}

function commentList(profile) {
	const list = element("dl");
	for (const comment of profile.comments) {
		const at = comment.search(/: /), isOurs = at > 0 && at < 40 && !comment.slice(0, at).includes("\n");
		list.append(element("dt", {textContent: isOurs ? comment.slice(0, at).replaceAll("_", " ") : ""}),
			element("dd", {textContent: isOurs ? comment.slice(at + 2) : comment}));
	}
	if (profile.negative) {
		list.append(element("dt", {textContent: "left out"}),
			element("dd", {textContent: whole.format(profile.negative) + " negative values"}));
	}
	return list;
}

function showFoot(data, tally) {
	const {profiles, types, version} = data.head, body = document.getElementById("foot-body");
	const words = data.sides === 2 ? ["new", "old"] : [""];
	const parts = types.filter(t => t.part !== "samples").slice(0, 4).map(t =>
		`${t.event} ${shortText(tally.total(0, types.indexOf(t)), t.unit)}`);

	words.forEach((word, side) => {
		const heading = word && [word, profileTitle(profiles[side]), recordedText(profiles[side])].filter(Boolean).join(" · ");
		body.append(element("section", {},
			...(heading ? [element("h2", {textContent: heading})] : []),
			commentList(profiles[side])));
	});
	body.append(element("p", {className: "made", textContent: `Made by pmubpf ${version} from ` +
		`${whole.format(data.stacks)} stacks, ${whole.format(data.functions.kind.filter(k => k < KIND_OBJECT).length)} functions.`}));
	document.getElementById("foot-summary").textContent =
		["About this recording", ...parts, recordedText(profiles[0])].filter(Boolean).join("  ·  ");
	const title = profileTitle(profiles[0]) || "profile";
	document.title = title + " · pmubpf";
	document.getElementById("title").textContent = document.getElementById("title").title = title;
	document.getElementById("subtitle").textContent = data.sides === 2 ?
		"what changed since " + (recordedText(profiles[1]) || "the old profile") : recordedText(profiles[0]);
}
