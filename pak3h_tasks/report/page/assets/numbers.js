// Every number, listed when its fold is opened.

const listNumbers = async (root, form) => {
  const { columns, rows, signatures } = await unpack("numbers");
  const signature = columns.indexOf("signature");
  const listing = new Listing(root, "Every number", columns.map((title, place) => {
    const number = ["value", "low", "high", "items", "scored"].includes(title);
    const value = (row) => (place === signature ? signatures[row[place]] : row[place]);
    const text = (row) => {
      if (value(row) === null) return "–";
      if (title === "items" || title === "scored") return whole.format(value(row));
      return number ? value(row).toFixed(2) : visible(value(row));
    };
    return { title, number, sort: value, cell: (row) => (place === signature ? element("code", {}, text(row)) : text(row)) };
  }));
  const filter = () => {
    const words = form.elements.search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const text = (row) => [...row.slice(0, signature), signatures[row[signature]]].join(" ").toLocaleLowerCase();
    listing.show(rows.filter((row) => words.every((word) => text(row).includes(word))));
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.search.addEventListener("input", filter);
  filter();
};
