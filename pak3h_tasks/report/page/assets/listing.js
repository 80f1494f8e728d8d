// A table that sorts and turns pages.

const PAGE_ROWS = 25;

class Listing {
  /**
   * @param {HTMLElement} root Where it goes.
   * @param {string} caption What it lists.
   * @param {Array} columns {title, group?, groupClass?, headClass?, number?, sort: row => value, cell: row => nodes, attributes?: row => {...}}.
   */
  constructor(root, caption, columns) {
    this.columns = columns;
    this.order = { column: null, down: false };
    this.body = element("tbody");
    this.status = element("span", { role: "status" });
    this.back = this.button("‹ Back", -1);
    this.forth = this.button("Next ›", 1);
    const table = element("table", { class: "samples" }, this.groups(), element("thead", {}, this.headings()), this.body);
    const region = { class: "scroll", tabindex: 0, role: "region", "aria-label": caption };
    root.replaceChildren(
      element("div", region, table),
      element("div", { class: "pager" }, this.back, this.forth, this.status),
    );
  }

  groups() {
    if (!this.columns.some((column) => column.group)) return null;
    const cells = [];
    for (const { group = "", groupClass = "" } of this.columns) {
      const last = cells.at(-1);
      if (last && group && last.group === group) last.span += 1;
      else cells.push({ group, groupClass, span: 1 });
    }
    const heads = cells.map(({ group, groupClass, span }) =>
      group
        ? element("th", { scope: "colgroup", colspan: span, class: `group ${groupClass}` }, group)
        : element("td", { colspan: span }),
    );
    return element("thead", {}, element("tr", {}, heads));
  }

  headings() {
    this.heads = this.columns.map((column, place) => {
      const button = element("button", { type: "button" }, column.title);
      if (column.group) button.setAttribute("aria-label", `${column.title}, ${column.group}`);
      button.addEventListener("click", () => this.sortBy(place));
      return element("th", { scope: "col", class: column.headClass ?? (column.number ? "number" : null), "aria-sort": "none" }, button);
    });
    return element("tr", {}, this.heads);
  }

  button(label, step) {
    const made = element("button", { type: "button", class: "button" }, label);
    made.addEventListener("click", () => {
      this.page += step;
      this.draw();
    });
    return made;
  }

  sortBy(place) {
    this.order = { column: place, down: this.order.column === place && !this.order.down };
    this.heads.forEach((head, other) => {
      const sorted = other !== place ? "none" : this.order.down ? "descending" : "ascending";
      head.setAttribute("aria-sort", sorted);
    });
    this.show(this.given);
  }

  /** Show these rows, from the first page. */
  show(rows) {
    this.given = rows;
    const column = this.columns[this.order.column];
    this.rows = column ? sortRows(rows, column.sort, this.order.down) : rows;
    this.page = 0;
    this.draw();
  }

  draw() {
    const start = this.page * PAGE_ROWS;
    const end = Math.min(start + PAGE_ROWS, this.rows.length);
    this.body.replaceChildren(...this.rows.slice(start, end).map((row) => this.row(row)));
    this.back.disabled = start === 0;
    this.forth.disabled = end === this.rows.length;
    const range = this.rows.length ? `${whole.format(start + 1)}–${whole.format(end)} of ` : "";
    this.status.textContent = `${range}${whole.format(this.rows.length)}`;
  }

  row(row) {
    const cells = this.columns.map((column, place) => {
      const attributes = { class: column.number ? "number" : null, ...(column.attributes ? column.attributes(row) : {}) };
      return element(place ? "td" : "th", place ? attributes : { scope: "row", ...attributes }, column.cell(row));
    });
    return element("tr", {}, cells);
  }
}
