// The state of the page in its address: a link, a reload and the back button show the same again.

const kept = []; // parts of the page, each with read() → [[key, value], …] and restore(address)
let restoring = false;

/** What the address says; a plain anchor such as #figures only names a place. */
function readAddress() {
  const text = location.hash.slice(1);
  return new URLSearchParams(text && !text.includes("=") ? { at: text } : text);
}

function hashOf(entries) {
  const text = new URLSearchParams(entries).toString();
  return `#${text.replace(/%(2F|3A|40|2C)/g, decodeURIComponent)}`;
}

/** Keep what is chosen in the address; `place` is the id of the part in which it was chosen. */
function keep(place, how = "pushState") {
  if (restoring) return;
  const entries = kept.flatMap((part) => part.read());
  const hash = entries.length ? hashOf([...entries, ["at", place]]) : `#${place}`;
  if (hash === location.hash) return;
  try {
    history[how]({ kept: true }, "", hash);
  } catch { /* a page that is shown inside another may have no address of its own */ }
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Show what was opened, and let the keyboard and a screen reader go on from there. */
function goTo(element, behavior = calm.matches ? "auto" : "smooth", block = "start") {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ behavior, block });
}

/** The heading of a place: of what is open in it, or its own. */
function headingOf(id) {
  const place = document.getElementById(id);
  return place?.querySelector(".detail:not([hidden]) h4") ?? place?.querySelector("h2, h3, h4") ?? null;
}

/** Links inside the page move to a heading and leave what is chosen as it is. */
function watchLinks() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]:not(.link)');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const id = link.hash.slice(1);
    const heading = headingOf(id);
    if (!heading) return;
    event.preventDefault();
    keep(id);
    goTo(heading);
  });
}

/** Bring the page into the state that its address describes, now and whenever that changes. */
function watchAddress(browser) {
  const restore = async (move) => {
    const address = readAddress();
    restoring = true;
    for (const part of kept) part.restore(address);
    restoring = false;
    await browser.show(address.has("item"));
    const heading = move && !browser.item && address.has("at") ? headingOf(address.get("at")) : null;
    if (heading) goTo(heading, "auto");
  };
  addEventListener("popstate", (event) => restore(!event.state?.kept));
  return restore(true);
}
