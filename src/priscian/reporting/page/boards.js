// Heat maps: a cell opens its parts, and they their items.

function watchBoards(browser) {
  const opened = new Map(); // board → { cls, row } of the cell that is open
  for (const board of data.boards) {
    const place = document.getElementById(board.id);
    const detail = place.querySelector(".detail");
    const readout = place.querySelector(".readout");
    const inside = (cls) => (board.level === board.unit ? "" : cls);
    const open = (cls, row) => {
      opened.set(board.id, { cls, row });
      for (const cell of place.querySelectorAll("table.heat:not(.inner) td")) {
        const here = cell.dataset.class === cls && cell.dataset.row === row;
        if (here) cell.setAttribute("aria-selected", "true");
        else cell.removeAttribute("aria-selected");
      }
      drawDetail(board, detail, inside(cls), row,
        (set, from) => openItems({ board: board.id, cls: inside(cls), set, row: from }));
    };
    const close = () => {
      if (!opened.delete(board.id)) return;
      place.querySelector("td[aria-selected]")?.removeAttribute("aria-selected");
      detail.replaceChildren();
      detail.hidden = true;
    };
    keyboard(place.querySelector("table"), (cell) => {
      const { class: cls, row } = cell.dataset;
      open(cls, row);
      browser.choose({ board: board.id, cls: inside(cls), set: inside(cls) === cls ? "" : cls, row });
      keep(board.id);
      detail.querySelector("h4").focus();
    }, (cell) => {
      readout.textContent = cell.title;
    });
    kept.push({
      read: () => (opened.has(board.id)
        ? [[`${board.id}.class`, opened.get(board.id).cls], [`${board.id}.row`, opened.get(board.id).row]] : []),
      restore: (address) => {
        const cls = address.get(`${board.id}.class`), row = address.get(`${board.id}.row`);
        const known = cls !== null && row !== null && (cls === "" || cls in board.classes);
        if (known) open(cls, row);
        else close();
      },
    });
  }
}
