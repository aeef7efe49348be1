// One trial page, all remaining trials: keys, timing, and an outbox that survives a lost connection.
// Without this script every trial is an ordinary form.
"use strict";
(() => {
  const form = document.getElementById("trial");
  if (!form || !window.fetch || !window.AbortController) return;
  const said = form.dataset;
  const path = location.pathname;
  const prefix = `judge:${path}:`;
  const banner = document.getElementById("banner");
  const field = form.elements.namedItem("answer");
  const input = said.task === "magnitude" ? field : null;
  const buttons = [...form.querySelectorAll("button[name=answer]")];
  const LONGEST = 30000, PATIENCE = 20000, AT_ONCE = 100, NOTICE = 1500;

  function hide(gone) { form.toggleAttribute("hidden", gone); }  // form.hidden is the field of that name

  // ---------------------------------------------------------------- outbox
  // One key per answer, so that two tabs never overwrite each other. Where storage is barred
  // (a frame of another site), memory has to do.
  const memory = new Map();
  const outbox = {
    keys() {
      const found = [...memory.keys()];
      try {
        for (let i = 0; i < localStorage.length; i++) {
          const key = localStorage.key(i);
          if (key.startsWith(prefix)) found.push(key);
        }
      } catch { /* storage is barred */ }
      return [...new Set(found)];
    },
    get(key) {
      try {
        const kept = localStorage.getItem(key);
        if (kept) return JSON.parse(kept);
      } catch { /* barred, or not ours */ }
      return memory.get(key);
    },
    has(position) { return this.keys().includes(prefix + position); },
    add(row) {
      const key = prefix + row.position;
      if (this.has(row.position)) return;  // the first answer wins
      try { localStorage.setItem(key, JSON.stringify(row)); } catch { memory.set(key, row); }
    },
    drop(position) {
      memory.delete(prefix + position);
      try { localStorage.removeItem(prefix + position); } catch { /* barred */ }
    },
    rows() {
      return this.keys().map((key) => this.get(key)).filter(Boolean)
        .sort((a, b) => a.position - b.position);
    },
  };

  // ---------------------------------------------------------------- sending
  let wait = 0, timer = 0, sending = false, ending = false, left = false;

  function tell(text) {
    if (banner.textContent !== text) banner.textContent = text;
  }

  async function ask(url, options = {}) {
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), PATIENCE);
    try {
      return await fetch(url, { cache: "no-store", redirect: "error", signal: abort.signal, ...options });
    } finally { clearTimeout(late); }
  }

  async function post(rows) {
    const trap = form.elements.namedItem("website");
    const answer = await ask(said.answers, {
      method: "POST", keepalive: true, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ answers: rows, website: Boolean(trap && trap.value) }),
    });
    const drop = () => rows.forEach((row) => outbox.drop(row.position));
    if (answer.status === 409) drop();  // the sitting has ended
    if ([404, 409].includes(answer.status)) return leave();  // the page says why
    const { saved } = [200, 422].includes(answer.status) ? await answer.json() : {};
    if (!Array.isArray(saved)) throw new Error("not saved");
    if (answer.status === 200 && !rows.every((row) => saved.includes(row.position))) throw new Error("not all saved");
    drop();  // after 422 the server asks again for what it refused
  }

  async function send() {
    clearTimeout(timer);
    if (sending || left) return;
    sending = true;
    try {
      let rows;
      while (!left && (rows = outbox.rows().slice(0, AT_ONCE)).length) await post(rows);
      if (wait) tell(said.saved);
      wait = 0;
    } catch {
      wait = Math.min(LONGEST, wait ? 2 * wait : 1000);
      tell(said.offline);
      timer = setTimeout(send, wait);
    } finally { sending = false; }
    if (!wait && ending) finish();
  }

  function leave() {  // a GET, never a form sent again
    if (left) return;
    left = true;
    location.replace(path);
  }

  function finish() {
    ending = true;
    hide(true);
    if (outbox.keys().length) {
      if (!wait) tell(said.saving);
      if (!sending && !wait) send();
    } else leave();
  }

  // ---------------------------------------------------------------- time
  let start = null, asked = 0, away = 0, awaySince = null;

  function clock() {
    start = awaySince = null;
    away = 0;
    asked = performance.now();
    requestAnimationFrame(() => requestAnimationFrame(() => { start = performance.now(); }));
  }

  document.addEventListener("visibilitychange", () => {
    if (start === null) return;
    if (document.hidden) awaySince = performance.now();
    else if (awaySince !== null) {
      away += performance.now() - awaySince;
      awaySince = null;
    }
  });

  // ---------------------------------------------------------------- what is on the screen
  // Translators and reading aids wrap, replace or translate text nodes of ours. Texts are written
  // whole, and an answer is taken only while every text says what the server said.
  function plain(text) {
    return text.replace(/[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffd]/g, "")
      .replace(/[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g, " ")
      .replace(/^ +| +$/g, "");
  }

  function seal(texts) {  // FNV-1a, as in flow.py
    const text = texts.map(plain).join("\n");
    let found = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) found = Math.imul(found ^ text.charCodeAt(i), 0x01000193);
    return (found >>> 0).toString(16);
  }

  const places = (root = form) => [...root.querySelectorAll("[data-sentence]")];
  const written = (place) => plain(place.textContent) === plain(place.dataset.text);
  let pristine = null;

  function visible(root) {  // all words of the form but a complaint
    const copy = root.cloneNode(true);
    copy.querySelectorAll("#problem").forEach((problem) => problem.remove());
    return plain(copy.textContent);
  }

  function unchanged() {  // no text of ours is another one, and no other text stands beside them
    const now = places();
    places(pristine).forEach((place, n) => { place.textContent = now[n] ? now[n].dataset.text : ""; });
    return [...form.querySelectorAll("[data-text]")].every(written) && visible(form) === visible(pristine);
  }

  function refuse() {  // the page is loaded anew, and says why
    position = null;
    tell("");
    complain(said.changed);
    form.querySelectorAll("button, input").forEach((control) => { control.disabled = true; });
    try { sessionStorage.setItem("judge-changed", "yes"); } catch { /* barred: it was said here */ }
    setTimeout(finish, NOTICE);
  }

  // ---------------------------------------------------------------- trials
  const done = new Set();
  let position = Number(said.position), queue = null;

  function nap(ms) {  // until then, or until the connection is back
    return new Promise((wake) => {
      setTimeout(wake, ms);
      window.addEventListener("online", wake, { once: true });
    });
  }

  async function load() {
    for (let pause = 1000; queue === null && !left; pause = Math.min(LONGEST, 2 * pause)) {
      try {
        const answer = await ask(said.block);
        if (answer.ok) {
          const found = (await answer.json()).trials;
          queue = found.filter((t) => t.position !== position && !done.has(t.position) && !outbox.has(t.position));
          if (position !== null && !found.some((t) => t.position === position)) next(position);  // another tab was faster
          break;
        }
        if (answer.status === 404) return leave();
      } catch { /* try again: this trial can be answered meanwhile */ }
      await nap(pause);
    }
    if (position === null) next(null);
  }

  function next(answered) {
    if (answered !== null) done.add(answered);
    if (answered !== null && answered !== position) {
      if (queue) queue = queue.filter((t) => t.position !== answered);
      return;
    }
    position = null;
    if (queue === null) {  // the block is not here yet; load() goes on
      hide(true);
      tell(wait ? said.offline : said.saving);
      return;
    }
    const trial = queue.shift();
    if (!trial) return finish();
    show(trial);
  }

  function show(trial) {
    position = trial.position;
    const title = said.trial.replace("{n}", position).replace("{total}", said.total);
    const heading = document.getElementById("progress");
    heading.textContent = title;
    if (trial.practice) {
      const tag = document.createElement("span");
      tag.className = "tag";
      tag.textContent = said.practice;
      heading.append(" ", tag);
    }
    document.title = `${title} – ${said.title}`;
    document.querySelector("progress").value = position - 1;
    form.elements.namedItem("position").value = position;
    places().forEach((place, n) => { place.textContent = place.dataset.text = trial.sentences[n]; });
    complain("");
    hide(false);
    if (!wait) tell("");
    if (input) input.value = "";
    (input || form.querySelector("[data-focus]")).focus();
    if (!input) window.scrollTo(0, 0);
    clock();
  }

  function complain(wrong) {
    document.getElementById("problem").textContent = wrong;
    if (!input) return;
    if (wrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (wrong) input.focus();
  }

  function magnitude(text) {  // as the server reads it
    const plain = text.replace(/[\s\u00a0]/g, "").replace(",", ".");
    return /^(?=.{1,20}$)(\d+\.?\d*|\.\d+)$/.test(plain) && Number(plain) > 0 && Number(plain) < 1e12
      ? plain : null;
  }

  function answer(response) {
    const now = performance.now();
    if (position === null || (start === null && now - asked < 300)) return;  // not on the screen yet
    if (!unchanged()) return refuse();
    if (awaySince !== null) away += now - awaySince;
    const round = (ms) => Math.round(ms) / 1000;
    const time = start === null ? null : round(now - start - away);
    const shown = seal(places().map((place) => place.textContent));
    outbox.add({ position, response, time, hidden: round(away), shown });
    next(position);
    if (!wait) send();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!input) return event.submitter && answer(event.submitter.value);
    const number = magnitude(input.value);
    if (number === null) complain(said.problem);
    else answer(number);
  });
  form.addEventListener("click", (event) => {  // the second half of a double click is no answer
    if (event.detail > 1 && (start === null || performance.now() - start < 400)) event.preventDefault();
  }, true);

  // ---------------------------------------------------------------- keys
  const letters = said.task === "choice" || said.task === "binary";
  const names = letters ? ["F", "J"] : buttons.map((b) => b.value);
  const coarse = matchMedia("(hover: none) and (pointer: coarse)").matches;
  let keys = !coarse;
  try { keys = keys && localStorage.getItem("judge-keys") !== "off"; } catch { /* barred */ }

  function offer() {  // a switch, since single keys disturb people who dictate
    if (coarse || input) return;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.id = "keys";
    box.checked = keys;
    const label = document.createElement("label");
    label.className = "keys";
    const range = letters ? names.join(", ") : `${names[0]}–${names[names.length - 1]}`;
    label.append(box, ` ${said.keys.replace("{keys}", range)}`);
    form.after(label);
    if (letters) buttons.forEach((button, n) => {
      const hint = document.createElement("kbd");
      hint.textContent = names[n];
      hint.setAttribute("aria-hidden", "true");
      button.append(hint);
    });
    const mark = () => {
      document.body.classList.toggle("with-keys", keys);
      buttons.forEach((b, n) => {
        if (keys) b.setAttribute("aria-keyshortcuts", names[n]);
        else b.removeAttribute("aria-keyshortcuts");
      });
    };
    box.addEventListener("change", () => {
      keys = box.checked;
      try { localStorage.setItem("judge-keys", keys ? "on" : "off"); } catch { /* barred */ }
      mark();
    });
    mark();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || form.hasAttribute("hidden")) return;
    if (event.repeat && (event.key === "Enter" || event.key === " ")) return event.preventDefault();
    if (event.repeat || event.target.id === "keys") return;
    if (input) {
      if (/^[0-9]$/.test(event.key) && document.activeElement !== input) input.focus();
      return;
    }
    const right = getComputedStyle(buttons[0].parentElement).direction === "rtl" ? -1 : 1;
    const step = { ArrowRight: right, ArrowDown: 1, ArrowLeft: -right, ArrowUp: -1 }[event.key];
    if (step) {
      const at = buttons.indexOf(document.activeElement);
      const to = at < 0 ? (step > 0 ? 0 : buttons.length - 1) : at + step;
      if (buttons[to]) buttons[to].focus();
      return event.preventDefault();
    }
    const chosen = keys ? names.indexOf(event.key.toUpperCase()) : -1;
    if (chosen >= 0) {
      event.preventDefault();
      answer(buttons[chosen].value);
    }
  });

  // ---------------------------------------------------------------- beginning
  window.addEventListener("online", () => { if (outbox.keys().length) send(); });
  window.addEventListener("storage", (event) => {  // another tab has answered
    if (event.newValue && event.key && event.key.startsWith(prefix)) {
      next(Number(event.key.slice(prefix.length)));
      if (!wait) send();
    }
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) leave(); });

  form.noValidate = true;  // our own words, in the study's language
  offer();
  pristine = form.cloneNode(true);
  try {
    if (sessionStorage.getItem("judge-changed")) complain(said.changed);
    sessionStorage.removeItem("judge-changed");
  } catch { /* barred */ }
  // Answered before the reload: not asked again, even if the block was made before they arrived.
  for (const row of outbox.rows()) done.add(row.position);
  if (outbox.has(position)) {
    position = null;
    hide(true);
  } else clock();
  if (outbox.keys().length) send();
  load();
})();
