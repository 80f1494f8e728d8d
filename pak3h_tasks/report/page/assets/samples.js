// The sample browser: filters, the list, and the dialog that a link to a sample opens.

class SampleBrowser {
  constructor(form, root, dialog) {
    Object.assign(this, { form, root, dialog });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.elements.block.addEventListener("change", () => this.open(form.elements.block.value));
    for (const name of ["model", "split", "topic", "result"]) {
      form.elements[name].addEventListener("change", () => (name === "model" ? this.list() : this.filter()));
    }
    form.elements.search.addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.filter(), 150);
    });
    dialog.addEventListener("close", () => {
      if (location.hash.startsWith("#sample=")) history.replaceState(null, "", "#samples");
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea, .long, pre") || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowLeft") this.step(-1);
      if (event.key === "ArrowRight") this.step(1);
    });
  }

  /** Show the samples of a task. */
  async open(key) {
    this.key = key;
    this.form.elements.block.value = key;
    for (const note of document.querySelectorAll("[data-extent]")) note.hidden = note.dataset.extent !== key;
    try {
      this.block = await unpack(key);
    } catch (error) {
      this.root.replaceChildren(element("p", { class: "notice" }, `The samples cannot be shown: ${error.message}.`));
      return;
    }
    if (this.key !== key) return; // another one was chosen meanwhile
    const { models, langs, items } = this.block;
    const options = (name, pairs) => {
      const select = this.form.elements[name];
      select.replaceChildren(...pairs.map(([value, label]) => element("option", { value }, visible(label))));
      select.parentElement.hidden = pairs.length < 2;
    };
    const values = (field) => [...new Set(items.map((item) => item[field]).filter(Boolean))].sort();
    options("model", models.map((model, number) => [number, model]));
    options("split", [["", "all"], ...values("split").map((split) => [split, `${split.toUpperCase()}, ${SPLIT_NAMES[split]}`])]);
    options("topic", [["", "all"], ...values("topic").map((topic) => [topic, topic])]);
    this.form.elements.topic.parentElement.hidden = !values("topic").length;
    const results = [["", "any"], ["unscored", "not scored"]];
    if (langs.includes("en") && langs.includes("ur")) {
      results.push(["en", "better in English than in Urdu"], ["ur", "better in Urdu than in English"]);
    }
    if (models.length > 1) results.push(["models", "models differ"]);
    options("result", results);
    this.list();
  }

  get model() {
    return Number(this.form.elements.model.value || 0);
  }

  value(item, lang, metric, model = this.model) {
    const answer = item.answers[model]?.[lang];
    if (!answer) return undefined;
    return answer.numbers[metric] ?? null;
  }

  list() {
    const { outcomes, metrics, items } = this.block;
    const langs = this.block.langs.filter((lang) => items.some((item) => item.answers[this.model]?.[lang]));
    const columns = [
      { title: "Item", sort: (item) => item.id, cell: (item) => element("a", { href: this.link(item) }, visible(shortened(item.id))) },
    ];
    for (const lang of langs.filter((other) => other !== "urmt" || langs.length === 1)) {
      columns.push({
        title: LANG_NAMES[lang], headClass: lang === "en" ? null : "number", sort: (item) => item.texts[lang]?.prompt,
        attributes: () => ({ class: "snippet", ...script(lang) }),
        cell: (item) => visible(beginning(item.texts[lang]?.prompt ?? "–", lang === "en" ? 54 : 28)),
      });
    }
    columns.push({ title: "Split", sort: (item) => item.split, cell: (item) => element("abbr", { title: SPLIT_NAMES[item.split] }, item.split.toUpperCase()) });
    if (items.some((item) => item.topic)) {
      columns.push({ title: "Topic", sort: (item) => item.topic, attributes: () => ({ class: "topic", dir: "auto" }), cell: (item) => visible(shortened(item.topic ?? "")) });
    }
    for (const lang of langs) {
      for (const name of outcomes) {
        columns.push({
          title: metrics[name]?.title ?? name, group: LANG_NAMES[lang], groupClass: `lang-${lang}`,
          sort: (item) => this.value(item, lang, name), cell: (item) => chip(name, this.value(item, lang, name), metrics[name]),
        });
      }
    }
    this.listing = new Listing(this.root, "Samples", columns);
    this.filter();
  }

  filter() {
    const { split, topic, result, search } = this.form.elements;
    const wanted = search.value.trim().toLocaleLowerCase();
    this.listing.show(
      this.block.items.filter(
        (item) =>
          (!split.value || item.split === split.value) &&
          (!topic.value || item.topic === topic.value) &&
          (!result.value || this.hasResult(item, result.value)) &&
          (!wanted || this.searchText(item).includes(wanted)),
      ),
    );
  }

  hasResult(item, wanted) {
    const { langs, outcomes, metrics, models } = this.block;
    // a yes or no says more than a number that is never twice the same
    const decided = outcomes.filter((name) => WORDS[name]);
    const telling = decided.length ? decided : outcomes;
    if (wanted === "unscored") return langs.some((lang) => outcomes.some((name) => this.value(item, lang, name) === null));
    const better = (name, a, b) => typeof a === "number" && typeof b === "number" && (metrics[name].better === false ? a < b : a > b);
    if (wanted === "models") {
      return langs.some((lang) => telling.some((name) => {
        const values = models.map((_, number) => this.value(item, lang, name, number)).filter((value) => typeof value === "number");
        return values.some((value) => Math.round(value) !== Math.round(values[0]));
      }));
    }
    const other = wanted === "en" ? "ur" : "en";
    return telling.some((name) => better(name, this.value(item, wanted, name), this.value(item, other, name)));
  }

  /** What a search looks at: id, item and the chosen model's answers. */
  searchText(item) {
    const answers = Object.values(item.answers[this.model] ?? {}).map((answer) => answer.answer ?? "");
    const texts = Object.values(item.texts).flatMap(({ prompt, reference }) => [prompt, reference ?? ""]);
    return [item.id, ...texts, ...answers].join("\n").toLocaleLowerCase();
  }

  link(item) {
    return `#sample=${encodeURIComponent(this.key)}/${encodeURIComponent(wellFormed(item.id))}`;
  }

  step(by) {
    const rows = this.listing.rows;
    const next = rows[rows.indexOf(this.shown) + by];
    if (!next) return;
    history.replaceState(null, "", this.link(next));
    this.show(next);
  }

  /** What the address says: open that sample, or close the dialog. */
  async follow(hash) {
    const [key, id] = hash.startsWith("#sample=") ? hash.slice(8).split("/").map(decoded) : [];
    if (!id) {
      if (this.dialog.open) this.dialog.close();
      return;
    }
    if (this.key !== key || !this.block) {
      if (!document.getElementById(`block-${key}`)) return;
      await this.open(key);
    }
    const item = this.block?.items.find((other) => wellFormed(other.id) === id);
    if (item) this.show(item);
    else this.say(id);
  }

  say(id) {
    this.dialog.replaceChildren(
      this.head(`${visible(shortened(id))} is not on this page`, null),
      element("p", { class: "sample-body" }, "The page may hold only a part of the items, or it is a page of another run."),
    );
    if (!this.dialog.open) this.dialog.showModal();
  }

  show(item) {
    this.shown = item;
    const opened = !this.dialog.open;
    const focused = this.dialog.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
    this.dialog.replaceChildren(this.head(visible(item.id), item), sampleView(this.block, item, this.model));
    if (opened) this.dialog.showModal();
    this.dialog.scrollTop = 0;
    // drawing anew takes the focus away from the button that asked for it
    (this.dialog.querySelector(`[data-step="${focused}"]:not(:disabled)`) ?? this.dialog.querySelector("[data-close]")).focus();
  }

  head(title, item) {
    const button = (label, attributes, action) => {
      const made = element("button", { type: "button", class: "button", ...attributes }, label);
      made.addEventListener("click", action);
      return made;
    };
    const parts = [element("h2", { id: "sample-title" }, element("bdi", {}, title))];
    const end = [button("Close", { "data-close": true }, () => this.dialog.close())];
    if (item) {
      const rows = this.listing.rows;
      const place = rows.indexOf(item);
      parts.push(element("span", { class: "chip plain" }, `${item.split.toUpperCase()}, ${SPLIT_NAMES[item.split]}`));
      if (item.topic) parts.push(element("span", { class: "chip plain" }, element("bdi", {}, visible(shortened(item.topic)))));
      end.unshift(
        button("‹ Previous", { "data-step": -1, disabled: place < 1 }, () => this.step(-1)),
        button("Next ›", { "data-step": 1, disabled: place === rows.length - 1 }, () => this.step(1)),
      );
    }
    return element("div", { class: "sample-head" }, parts, element("div", { class: "end" }, end));
  }
}

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/** The first words: a cut inside a word is unreadable where letters join. */
const beginning = (text, most) => {
  const start = text.slice(0, most + 200).trim().split(/\s+/);
  let found = "";
  for (const word of start) {
    if (found && found.length + word.length >= most) return `${found}…`;
    found = found ? `${found} ${word.slice(0, most)}` : word.slice(0, most);
  }
  return found;
};

// encodeURIComponent refuses lone surrogates
const wellFormed = (text) => text.replace(/[\ud800-\udfff]/gu, "\ufffd");

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
