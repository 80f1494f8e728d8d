// Tables that stand in the page: a click on a heading sorts the measured rows; published ones stay where they are.

const makeSortable = (table) => {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, place) => {
    const button = element("button", { type: "button" }, ...head.childNodes);
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      body.append(...sortRows([...body.rows], (row) => cellValue(row.cells[place]), down));
    });
  });
};

const cellValue = (cell) => {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const text = cell.textContent.trim();
  if (text === "–" || text === "n/a") return null;
  // "<0.001", "97.5 %", "20 of 817", "−1.2"
  const number = cell.classList.contains("number") ? parseFloat(text.replace("−", "-").replace(/[<+,]/g, "")) : NaN;
  return Number.isNaN(number) ? text : number;
};
