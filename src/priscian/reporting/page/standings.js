// The table at the top: a heading sorts by its column, highest first, and then the other way.

function sortable(table) {
  if (!table) return;
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return column ? Number(cell.dataset.value ?? -1) : cell.textContent.trim();
  };
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = column ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const order = column ? x - y : x.localeCompare(y, "en", { numeric: true });
        return down ? -order : order;
      });
      for (const other of heads) other.ariaSort = "none";
      head.ariaSort = down ? "descending" : "ascending";
      body.append(...rows);
    });
  });
}
