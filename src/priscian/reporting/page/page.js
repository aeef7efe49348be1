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
const itemsShown = pageRead.then(() => watchAddress(browser)).then(() => performance.mark("items"));
const openItems = async (chosen) => {
  await browser.choose(chosen);
  keep("items");
  goTo(document.getElementById("items-h"));
};
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

sortable(document.getElementById("standings"));
watchPicker(() => {
  if (!restoring) browser.show();
  redrawFigures();
});
watchBoards(browser);
watchLinks();

root.dataset.ready = "yes";
performance.mark("ready");
