// Which sitting this browser is in the middle of, so that nobody begins anew by accident;
// and the page of those who have to wait a moment.
"use strict";
(() => {
  const said = document.body.dataset;
  const key = `judge-sitting:${said.base}:${said.visit}`;

  function kept() {
    try {
      const place = localStorage.getItem(key) || "";
      return place.startsWith(`${said.base}/s/`) ? place : "";
    } catch { return ""; }  // storage is barred
  }

  if (said.place) {
    try { localStorage.setItem(key, said.place); } catch { /* barred: the address is the way back */ }
  }

  const before = document.getElementById("before"), consent = document.getElementById("consent");

  function offer(place) {
    if (before.dataset.answered) return;
    before.toggleAttribute("hidden", !place);
    consent.toggleAttribute("hidden", Boolean(place));
    document.getElementById("go-on").href = place;
  }

  async function recognise() {
    const place = kept();
    offer(place);
    if (!place) return;
    const answer = await fetch(`${place}/block`, { cache: "no-store" }).catch(() => null);
    if (answer && answer.status === 404) {  // deleted, or of a study that was here before
      try { localStorage.removeItem(key); } catch { /* barred */ }
      offer("");
    }
  }

  if (before && consent) {
    document.getElementById("another").addEventListener("click", () => {
      offer("");
      before.dataset.answered = "yes";
      const field = Object.assign(document.createElement("input"), { type: "hidden", name: "another", value: "1" });
      document.getElementById("start").append(field);
      consent.querySelector("button").focus();
    });
    window.addEventListener("pageshow", (event) => { if (event.persisted) recognise(); });
    recognise();
  }

  const retry = document.getElementById("retry");  // a little later than we were told, since others wait too
  if (retry) setTimeout(() => retry.submit(), (Number(retry.dataset.wait) || 2) * 1000 * (1 + Math.random()));
})();
