"use strict";
// Elements from names, attributes and texts. Texts of models and data sets only ever become text nodes.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
};

// As visible.py: what would act on the page or could not be seen is written out.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const codePoint = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

const visible = (text) => text.replace(INVISIBLE, (char) => `⟦${codePoint(char)}⟧`);

/** Nodes of a text, with marks where something invisible stands. */
const visibleNodes = (text) => {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    nodes.push(text.slice(end, found.index), element("span", { class: "control" }, codePoint(found[0])));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
};

const LANG_NAMES = { en: "English", ur: "Urdu", urmt: "Machine-translated Urdu" };
const SPLIT_NAMES = { dt: "directly translated", lc: "locally contextualised", li: "locally irrelevant" };

/** lang and dir of a text; an answer in another script than asked for finds its own direction. */
const script = (lang, inLanguage = true) =>
  !inLanguage ? { dir: "auto" } : lang === "en" ? { lang: "en", dir: "ltr" } : { lang: "ur", dir: "rtl" };

const whole = new Intl.NumberFormat("en");
