// Answers are kept in this browser first, then sent until the server has them; the next card is
// shown at once. Without this script the page is a plain form.
"use strict";

const desk = document.getElementById("desk");
const state = document.getElementById("state");
const wrong = document.getElementById("wrong");
const csrf = desk.dataset.csrf;
const STORE = `candidly ${desk.dataset.store}`;
const KEYS_OFF = "candidly keys off";

let answered = Number(desk.dataset.answered);
let cards = [];          // {key, node}: what is to be answered; the first one is shown
let past = [];           // cards that were answered, to look back at
let back = 0;            // how far one looks back; 0: not
let shownAt = 0;
let sending = false;
let stopped = false;     // signed out: nothing is sent until the page is loaded again
const known = new Set(); // keys of cards that were answered and may still come back by mistake

// ---- what is kept here until the server has it

const kept = () => JSON.parse(localStorage.getItem(STORE) || "[]");
const keep = (list) => localStorage.setItem(STORE, JSON.stringify(list));

function tell(extra) {
  const waiting = kept().length;
  const saved = waiting ? `saving ${waiting}…` : "all saved";
  const text = `${answered} answered · ${extra || saved}`;
  if (state.textContent !== text) state.textContent = text;
  document.body.dataset.waiting = waiting;
}

function complain(text) {
  wrong.textContent = text;
  wrong.hidden = !text;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(address, fields) {
  const form = fields === undefined ? undefined : new URLSearchParams(fields);
  if (form) form.append("csrf", csrf);
  const reply = await fetch(address, {
    method: form ? "POST" : "GET",
    headers: { accept: "application/json" },
    body: form,
    redirect: "error",
  });
  let told = {};
  try { told = await reply.json(); } catch { /* a line of text from the guard */ }
  return { status: reply.status, told };
}

async function send() {
  if (sending || stopped) return;
  sending = true;
  let wait = 250;
  while (kept().length) {
    const [first] = kept();
    tell();
    const have = cards.map((card) => ["have", card.key]);
    let reply;
    try {
      reply = await ask("/answer", [...first.fields, ...have]);
    } catch {
      reply = { status: 0 };
    }
    if (reply.status === 401) {
      stopped = true;
      complain("You are signed out. Your answers are kept in this browser: sign in again, and they are sent.");
      break;
    }
    if (reply.status === 0 || reply.status === 429 || reply.status >= 500) {
      const number = kept().length;
      tell(`no connection: ${number} ${number === 1 ? "answer is" : "answers are"} kept here, trying again`);
      await pause(wait);
      wait = Math.min(2 * wait, 5000);
      continue;
    }
    wait = 250;
    keep(kept().filter((one) => one.id !== first.id));
    if (reply.status === 200) {
      take(reply.told);
    } else {
      answered -= first.number;
      complain(`An answer was not taken: ${reply.told.refused || reply.status}`);
      known.delete(first.key);
      await refetch();
    }
  }
  sending = false;
  tell();
}

// ---- cards

function build(html) {
  const holder = document.createElement("div"); // in this document, so that its images load now
  holder.innerHTML = html;
  return holder.firstElementChild;
}

function take(told) {
  if (!told.cards) return;
  const mine = new Map(cards.map((card) => [card.key, card]));
  const first = cards[0];
  const found = [];
  for (const { key, html } of told.cards) {
    if (mine.has(key)) found.push(mine.get(key));
    else if (html && !known.has(key)) found.push({ key, node: build(html) });
  }
  if (first && !first.nothing && !found.includes(first) && !known.has(first.key)) found.unshift(first);
  if (!found.length && !kept().length && told.nothing) {
    found.push({ key: "", nothing: true, node: build(told.nothing) });
  }
  cards = first && found.includes(first) ? [first, ...found.filter((card) => card !== first)] : found;
  if (!back && cards[0] && cards[0] !== first) show();
}

async function refetch() {
  try {
    const reply = await ask("/tasks");
    if (reply.status === 200) {
      cards = [];
      take(reply.told);
    }
  } catch { /* the next answer tries again */ }
}

function show() {
  const card = cards[0];
  if (!card) { // faster than the server
    const wait = document.createElement("p");
    wait.textContent = "One moment…";
    desk.replaceChildren(wait);
    return;
  }
  desk.replaceChildren(card.node);
  shownAt = performance.now();
  dress(card.node);
  card.node.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function fill(form, fields) {
  const took = performance.now() - shownAt;
  const ids = form.querySelectorAll('input[name="id"]').length;
  return fields.map(([name, value]) =>
    [name, name.startsWith("ms.") ? (took / ids).toFixed(0) : value]
  ).filter(([name]) => name !== "csrf");
}

function submit(form, button) {
  const card = cards[0];
  if (back || !card || !card.node.contains(form)) return;
  const fields = fill(form, [...new FormData(form, button).entries()]);
  const id = fields.find(([name]) => name === "id")[1];
  const number = form.querySelectorAll('input[name="id"]').length;
  complain("");
  keep([...kept(), { id, key: card.key, number, fields }]); // here first
  answered += number;
  known.add(card.key);
  if (button) button.classList.add("chosen");
  past = [...past.slice(-19), { ...card, number }];
  cards.shift();
  show();
  tell();
  send();
}

async function undo() {
  stepTo(0);
  while (sending) await pause(20);
  const last = past.pop();
  let reply;
  try {
    reply = await ask("/undo", { id: crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}`.replace("0.", "") });
  } catch {
    complain("No connection; nothing was taken back.");
    if (last) past.push(last);
    return;
  }
  if (reply.status !== 200) {
    complain(reply.told.refused || "Nothing was taken back.");
    return;
  }
  if (last) known.delete(last.key);
  answered -= 1; // of a batch, the last item alone
  complain("");
  cards = [];
  known.clear();
  take(reply.told);
  tell("taken back");
}

function stepTo(where) {
  const to = Math.max(0, Math.min(where, past.length));
  if (to === back) return;
  back = to;
  document.body.toggleAttribute("data-back", back > 0);
  if (!back) {
    show();
    tell();
    return;
  }
  const { node } = past[past.length - back];
  desk.replaceChildren(node);
  node.focus({ preventScroll: true });
  state.textContent = `looking back ${back} · → or Esc returns, Z takes the last answer back`;
}

// ---- what a card needs: sounds drawn, labels counted, labels found

function dress(node) {
  node.querySelectorAll(".sound").forEach(draw);
  node.querySelectorAll(".find").forEach((field) => {
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase();
      field.closest("fieldset").querySelectorAll(".names label").forEach((label) => {
        label.hidden = !label.textContent.toLowerCase().includes(wanted);
      });
    });
  });
}

async function draw(place) {
  const canvas = place.querySelector("canvas");
  const audio = place.querySelector("audio");
  if (place.dataset.drawn) return;
  place.dataset.drawn = "1";
  try {
    const bytes = await (await fetch(audio.src)).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, 8000).decodeAudioData(bytes);
    const samples = sound.getChannelData(0);
    const pen = canvas.getContext("2d");
    const middle = canvas.height / 2;
    const each = Math.max(1, Math.floor(samples.length / canvas.width));
    pen.fillStyle = getComputedStyle(canvas).color;
    for (let x = 0; x < canvas.width; x += 1) {
      let most = 0;
      for (let k = x * each; k < Math.min((x + 1) * each, samples.length); k += 1) {
        most = Math.max(most, Math.abs(samples[k]));
      }
      pen.fillRect(x, middle - most * middle, 1, Math.max(1, 2 * most * middle));
    }
  } catch {
    canvas.hidden = true; // it plays, or the browser says why not
  }
}

function allowed(form) {
  const most = Number(form.dataset.mostLabels) || Infinity;
  const perLabel = Number(form.dataset.mostPerLabel) || Infinity;
  const times = new Map();
  let open = null;
  for (const one of form.querySelectorAll("fieldset.one")) {
    const said = [...one.querySelectorAll(".names input:checked")].map((box) => box.value);
    if (!said.length) open = open || one;
    if (said.filter((value) => value !== "skip").length > most) return [`At most ${most} labels on an item.`, one];
    if (said.includes("skip")) continue;
    for (const value of said) times.set(value, (times.get(value) || 0) + 1);
  }
  for (const [value, number] of times) {
    if (number > perLabel) {
      const box = form.querySelector(`.names input[value="${value}"]`);
      const name = box.closest("label").lastChild.textContent.trim();
      return [`${name} is on ${number} items; at most ${perLabel} are allowed.`, box.closest("fieldset")];
    }
  }
  return open ? ["This item is not answered yet; all of them must be.", open] : null;
}

function into(fieldset) {
  const field = fieldset.querySelector(".names input:checked, .names input");
  field.focus({ preventScroll: true });
  fieldset.scrollIntoView({ block: "center" });
}

// ---- events

desk.addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.matches(".choices")) {
    if (event.submitter && event.submitter.name) submit(form, event.submitter);
  } else if (form.matches(".labels")) {
    const problem = allowed(form);
    if (problem) {
      complain(problem[0]);
      into(problem[1]);
    } else {
      submit(form, null);
    }
  } else if (form.matches(".open")) {
    openItem(form);
  }
});

desk.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.matches(".names input[type=checkbox]")) return;
  const others = box.closest(".names").querySelectorAll("input:checked");
  others.forEach((other) => { // skipping and labels exclude each other
    if (other !== box && (box.value === "skip" || other.value === "skip")) other.checked = false;
  });
});

async function openItem(form) {
  while (sending) await pause(20);
  let reply;
  try {
    reply = await ask("/look", [...new FormData(form).entries()].filter(([name]) => name !== "csrf"));
  } catch {
    complain("No connection; the label was not shown.");
    return;
  }
  if (reply.status !== 200) {
    complain(reply.told.refused || "The label was not shown.");
    return;
  }
  cards[0] = { ...cards[0], node: build(reply.told.html) };
  show();
}

function enlarge() {
  const dialog = document.getElementById("large");
  const active = document.activeElement.closest ? document.activeElement.closest("fieldset.one") : null;
  const item = (active || desk).querySelector(".item > *");
  if (!item) return;
  const copy = item.cloneNode(true);
  copy.querySelectorAll("audio").forEach((audio) => audio.remove());
  dialog.firstElementChild.replaceChildren(copy);
  dialog.showModal();
}

const active = () => document.activeElement;
const fieldsets = () => [...desk.querySelectorAll("fieldset.one")];

function current() {
  const all = fieldsets();
  const inside = all.find((one) => one.contains(active()));
  return inside || all[0];
}

function move(step) {
  const all = fieldsets();
  const at = all.findIndex((one) => one.contains(active()));
  const to = all[Math.max(0, Math.min(all.length - 1, at + step))];
  if (to) into(to);
}

function choose(key) {
  const one = fieldsets().length ? current() : desk;
  const found = one.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!found) return false;
  found.click();
  if (found.matches("input")) found.focus({ preventScroll: true });
  return true;
}

const sound = (work) => {
  const audio = (current() || desk).querySelector("audio");
  if (audio) work(audio);
  return Boolean(audio);
};

const KEYS = {
  z: () => { undo(); },
  ArrowLeft: () => stepTo(back + 1),
  ArrowRight: () => stepTo(back - 1),
  Escape: () => stepTo(0),
  "?": () => document.getElementById("keys").showModal(),
  o: () => { const button = desk.querySelector("[data-open]"); if (button) button.click(); },
  p: () => sound((audio) => (audio.paused ? audio.play() : audio.pause())),
  "[": () => sound((audio) => { audio.currentTime -= 2; }),
  "]": () => sound((audio) => { audio.currentTime += 2; }),
  "/": () => { const field = current() && current().querySelector(".find"); if (field) field.focus(); return Boolean(field); },
  n: () => {
    const more = (current() || desk).querySelector(".more");
    if (!more) return;
    more.open = true;
    more.querySelector("textarea").focus();
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = active().matches("textarea, input[type=search], input:not([type])");
  if (typing) {
    if (event.key === "Escape") { active().blur(); event.preventDefault(); }
    return;
  }
  if (localStorage.getItem(KEYS_OFF)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === " " || key === "Enter") {
    const form = desk.querySelector("form.labels");
    if (key === "Enter" && form && active().matches(".names input, section")) {
      event.preventDefault();
      form.requestSubmit();
    } else if (key === " " && !active().matches("button, input, summary, a, audio")) {
      event.preventDefault();
      enlarge();
    }
    return;
  }
  if ((key === "ArrowUp" || key === "ArrowDown") && fieldsets().length) {
    event.preventDefault();
    move(key === "ArrowUp" ? -1 : 1);
    return;
  }
  if (/^[0-9s]$/.test(key) && !event.repeat && !back) {
    if (choose(key)) event.preventDefault();
    return;
  }
  if (KEYS[key] && !event.repeat && KEYS[key]() !== false) event.preventDefault();
});

document.getElementById("undo").addEventListener("click", undo);
document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
const keysOn = document.getElementById("keys-on");
keysOn.checked = !localStorage.getItem(KEYS_OFF);
keysOn.addEventListener("change", () => {
  if (keysOn.checked) localStorage.removeItem(KEYS_OFF);
  else localStorage.setItem(KEYS_OFF, "1");
});

async function start() {
  for (const id of ["undo", "help"]) document.getElementById(id).hidden = false;
  if (kept().length) await send();
  desk.replaceChildren(); // what the page came with may have been answered; the cards come with keys
  await refetch();
  tell();
  document.body.dataset.ready = "1";
}

start();
