// Starts the page: theme, heat maps, figures, and items when the browser is idle.

const data = JSON.parse(document.getElementById("page-data").textContent);
const root = document.documentElement;

function remember(theme) {
  root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch { /* a page from disk may have no storage */ }
}

try {
  const kept = localStorage.getItem("theme");
  if (kept) root.dataset.theme = kept;
} catch { /* the system's choice stands */ }

const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
const browser = new Browser(data.boards);
const itemsShown = new Promise((done) => whenIdle(() => done(browser.show())));
const redrawFigures = watchFigures(itemsShown);
watchPrinting(itemsShown, redrawFigures);

document.getElementById("theme").addEventListener("click", () => {
  remember(isDark() ? "light" : "dark");
  redrawFigures();
});
dark.addEventListener("change", redrawFigures);

let width = innerWidth, waiting = 0;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(redrawFigures, 250);
});

watchPicker(() => browser.show());
sortable(document.getElementById("standings"));

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Show what a click opened, and let the keyboard and a screen reader go on from there. */
const goTo = (heading) => {
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
};

for (const board of data.boards) {
  const place = document.getElementById(board.id);
  const detail = place.querySelector(".detail");
  const readout = place.querySelector(".readout");
  const toItems = async (cls, set, row) => {
    await browser.choose({ board: board.id, cls, set, row });
    goTo(document.getElementById("items-h"));
  };
  const opened = (cell) => {
    const { class: cls, row } = cell.dataset;
    for (const other of place.querySelectorAll("td[aria-selected]")) other.removeAttribute("aria-selected");
    cell.setAttribute("aria-selected", "true");
    const inside = board.level === board.unit ? "" : cls;
    drawDetail(board, detail, board.level === board.unit ? "" : cls, row,
      (set, from) => toItems(inside, set, from));
    browser.choose({ board: board.id, cls: inside, set: inside === cls ? "" : cls, row });
    detail.querySelector("h4").focus();
  };
  keyboard(place.querySelector("table"), opened, (cell) => {
    readout.textContent = cell.title;
  });
}

root.dataset.ready = "yes";
performance.mark("ready");
