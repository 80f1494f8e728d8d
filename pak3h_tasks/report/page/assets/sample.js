// One sample: the item in its languages side by side, and what each model answered and how that was judged.

// what 0 and 1 of an item are called
const YES_NO = ["no", "yes"];
const WORDS = {
  truthful: YES_NO, informative: YES_NO, ti_joint: YES_NO, refusal_rate: YES_NO, in_language: YES_NO, empty_rate: YES_NO,
  truncated_rate: YES_NO, position_consistency: YES_NO, mc1: ["wrong", "right"], unsafe_rate: ["safe", "unsafe"],
  safety: ["safe", "unsafe"],
};
const BETTER = { safety: false, truthful: true, informative: true, preference: null };

const numberText = (value, unit) =>
  unit === "fraction" ? `${(100 * value).toFixed(1)} %` : unit === "chars" ? whole.format(value) : value.toFixed(1);

/** A value as a small labelled patch; the words carry the meaning, the colour repeats it. */
const chip = (name, value, metric = {}) => {
  if (value === undefined) return element("span", { class: "muted" }, "–");
  if (value === null) return element("span", { class: "chip none" }, "not scored");
  const better = metric.better ?? BETTER[name];
  const words = WORDS[name]?.[value];
  const kind = words === undefined || better === null || better === undefined ? "plain" : Boolean(value) === better ? "good" : "bad";
  return element("span", { class: `chip ${kind}` }, words ?? numberText(value, metric.unit ?? "fraction"));
};

const textBlock = (text, attributes, name = "div") => {
  const made = element(name, { class: text.length > 1500 ? "text long" : "text", ...attributes }, visibleNodes(text));
  if (text.length > 1500) made.tabIndex = 0;
  return made;
};

const heading = (text) => element("h5", {}, text);

const list = (texts, attributes) =>
  element("ul", { class: "texts" }, texts.map((text) => textBlock(text, attributes, "li")));

const itemSide = (texts, lang) => {
  const as = script(lang);
  const parts = [textBlock(texts.prompt, as)];
  if (texts.reference) parts.push(heading("Reference answer"), textBlock(texts.reference, as));
  if (texts.correct || texts.incorrect) {
    const correct = (texts.correct ?? []).filter((text) => text !== texts.reference);
    parts.push(
      element("details", {}, element("summary", { class: "muted" }, "All reference answers"),
        correct.length ? [heading("Correct"), list(correct, as)] : [],
        texts.incorrect?.length ? [heading("Incorrect"), list(texts.incorrect, as)] : []),
    );
  }
  return parts;
};

const verdictView = (name, verdict, block) => {
  const probability = verdict.probability === null ? "" : ` p = ${verdict.probability.toFixed(3)}`;
  const parts = [element("p", {}, element("b", {}, `${visible(name)}: `), chip(name, verdict.value),
    element("span", { class: "muted" }, probability))];
  if (verdict.reason) parts.push(element("p", { class: "muted" }, visibleNodes(verdict.reason)));
  if (verdict.raw && verdict.raw.length <= 60) {
    parts.push(element("p", { class: "muted" }, "Raw reply: ", element("code", {}, element("bdi", {}, visibleNodes(verdict.raw)))));
  } else if (verdict.raw) {
    parts.push(heading("Raw reply"), element("pre", { dir: "auto", tabindex: 0 }, visibleNodes(verdict.raw)));
  }
  if (verdict.probabilities) parts.push(harmTable(verdict.probabilities));
  const making = [];
  if (verdict.details) making.push(element("pre", { dir: "ltr" }, visibleNodes(JSON.stringify(verdict.details, null, 1))));
  if (verdict.signature !== undefined) making.push(element("p", {}, element("code", {}, visibleNodes(block.signatures[verdict.signature]))));
  if (making.length) parts.push(element("details", {}, element("summary", { class: "muted" }, "How it was judged"), making));
  return element("div", { class: "verdict" }, parts);
};

const harmTable = (probabilities) => {
  const sorted = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
  const rows = ([category, p]) => element("tr", {},
    element("th", { scope: "row" }, visible(category.replaceAll("_", " ").replaceAll(",", ", "))),
    element("td", {}, element("meter", { min: 0, max: 1, low: 0.5, optimum: 0, value: p, "aria-hidden": "true" })),
    element("td", { class: "number" }, p.toFixed(3)));
  const table = (entries) => element("table", { class: "small" }, entries.map(rows));
  return [table(sorted.slice(0, 3)),
    element("details", {}, element("summary", { class: "muted" }, `All ${sorted.length} categories`), table(sorted.slice(3)))];
};

const choiceTable = (choices, lang) => {
  const sorted = [...choices].sort(([, a], [, b]) => (b ?? -Infinity) - (a ?? -Infinity));
  return element("table", { class: "small choices" },
    element("caption", { class: "muted" }, "Log-likelihood of each answer"),
    element("tbody", {}, sorted.map(([text, loglikelihood, isCorrect]) => element("tr", {},
      element("td", { class: "number" }, loglikelihood === null ? "–" : loglikelihood.toFixed(1)),
      element("td", {}, element("span", { class: `chip ${isCorrect ? "good" : "bad"}` }, isCorrect ? "correct" : "incorrect")),
      textBlock(text, script(lang), "td")))));
};

const answerSide = (answer, lang, item, block) => {
  if (!answer) return [element("p", { class: "muted" }, "Not in this model's logs.")];
  const parts = [];
  if (answer.texts) parts.push(heading("This run's item reads differently"), itemSide(answer.texts, lang));
  if (answer.choices) parts.push(choiceTable(answer.choices, lang));
  if (answer.answer !== undefined) {
    const as = script(lang, answer.numbers.in_language !== 0);
    parts.push(answer.answer ? textBlock(answer.answer, as) : element("p", { class: "muted" }, "(empty answer)"));
    if (answer.raw !== undefined) {
      parts.push(element("details", {}, element("summary", { class: "muted" }, "As generated, before cleaning"), textBlock(answer.raw, { dir: "auto" })));
    }
  }
  if (answer.reason) parts.push(element("p", {}, chip("", null), " ", visibleNodes(answer.reason)));
  for (const [name, verdict] of Object.entries(answer.verdicts ?? {})) parts.push(verdictView(name, verdict, block));
  parts.push(numbersView(answer.numbers, block));
  return parts;
};

const numbersView = (numbers, block) => {
  const rows = Object.entries(numbers).map(([name, value]) => element("tr", {},
    element("th", { scope: "row" }, block.metrics[name].title),
    element("td", { class: "number" }, WORDS[name]?.[value] ?? numberText(value, block.metrics[name].unit))));
  return element("details", { class: "verdict" }, element("summary", { class: "muted" }, "All measures"), element("table", { class: "small" }, rows));
};

/** The body of the dialog; the chosen model comes first. */
const sampleView = (block, item, chosen) => {
  const langs = block.langs.filter((lang) => item.texts[lang]);
  const sides = (make) => element("div", { class: `sides sides-${langs.length}` },
    langs.map((lang) => element("div", { class: "side" }, element("h4", { class: `lang-${lang}` }, LANG_NAMES[lang]), make(lang))));
  const models = block.models.map((model, number) => number).sort((a, b) => (b === chosen) - (a === chosen));
  return element("div", { class: "sample-body" },
    element("h3", {}, "Item"), sides((lang) => itemSide(item.texts[lang], lang)),
    models.filter((number) => item.answers[number]).map((number) => [
      element("h3", {}, "Answer of ", element("bdi", {}, visible(block.models[number]))),
      sides((lang) => answerSide(item.answers[number][lang], lang, item, block)),
    ]));
};
