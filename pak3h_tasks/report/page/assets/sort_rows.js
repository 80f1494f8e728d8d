const byName = new Intl.Collator("en", { numeric: true });

/** A sorted copy; what has no value comes last either way. */
const sortRows = (rows, valueOf, down) => {
  const missing = (value) => value === null || value === undefined || value === "";
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : byName.compare(a, b));
  const keyed = rows.map((row) => [valueOf(row), row]);
  keyed.sort(([a], [b]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return down ? compare(b, a) : compare(a, b);
  });
  return keyed.map(([, row]) => row);
};
