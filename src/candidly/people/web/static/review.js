// Answers are kept in this browser first, then sent until the server has them; the next card is
// shown at once. Without this script the page is a plain form.
import { allowed, draw, find, into, restore, said, takeFound } from "./card.js";
import { dropDraft, forget, keep, keepDraft, keepDraftsOf, kept, draftOf } from "./kept.js";

const desk = document.getElementById("desk");
const state = document.getElementById("state");
const wrong = document.getElementById("wrong");
const csrf = desk.dataset.csrf;
const KEYS_OFF = "candidly keys off";

let answered = Number(desk.dataset.answered);
let cards = [];          // {key, node}: what is to be answered; the first one is shown
let past = [];           // cards that were answered, to look back at
let back = 0;            // how far one looks back; 0: not
let working = false;     // something is being sent, or tried again
let stopped = false;     // signed out: nothing is sent until the page is loaded again
let stale = true;        // the server may hold other cards than are here

const undoing = () => kept().some((entry) => entry.undo);

function tell(extra) {
  const waiting = kept().length;
  const saved = waiting ? `saving ${waiting}…` : "all saved";
  const text = `${answered} answered ${desk.dataset.of} · ${extra || saved}`;
  if (state.textContent !== text) state.textContent = text;
  document.body.dataset.waiting = waiting;
}

function complain(text, address) {
  wrong.textContent = text;
  if (address) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = "Load this page again";
    wrong.append(" ", link);
  }
  wrong.hidden = !text;
}

const pause = (ms) => new Promise((done) => {
  setTimeout(done, ms);
  window.addEventListener("online", done, { once: true });
});

function newId() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask(address, fields) {
  const form = fields && new URLSearchParams([...fields.filter(([name]) => name !== "csrf"), ["csrf", csrf]]);
  try {
    const reply = await fetch(address, {
      method: form ? "POST" : "GET",
      headers: { accept: "application/json" },
      body: form,
      redirect: "error",
    });
    return { status: reply.status, told: await reply.json() };
  } catch { // nobody there, or somebody else
    return { status: 0, told: {} };
  }
}

function deliver(entry) {
  if (!entry) return ask("/tasks");
  if (entry.undo) return ask("/undo", [["id", entry.id]]);
  return ask("/answer", [...entry.fields, ...cards.map((card) => ["have", card.key])]);
}

// One at a time, in order: what is kept, then the cards where they may be others.
async function work() {
  if (working || stopped) return;
  working = true;
  let wait = 250;
  for (;;) {
    const [first] = kept();
    if (!first && !stale) break;
    tell();
    const { status, told } = await deliver(first);
    if (status === 200 && told.cards) {
      wait = 250;
      if (first) forget(first);
      else stale = false;
      if (first && !first.undo) dropDraft(first.key);
      take(told);
    } else if (status === 401 || status === 403) {
      stopped = true;
      complain("You are signed out, or somebody else has signed in. Your answers are kept in this browser, and are sent when you are signed in again.", "/review");
      break;
    } else if (first && (status === 422 || status === 413)) {
      forget(first);
      stale = true;
      complain(first.undo ? told.refused : `An answer was not taken: ${told.refused || status}`);
    } else {
      const number = kept().length;
      const left = number === 1 ? "1 answer is kept here" : `${number} answers are kept here`;
      const why = told.refused ? `${told.refused} ` : "no connection: "; // it answers, and says why not
      tell(`${why}${number ? left : "Nothing is lost"}, trying again`);
      await pause(wait);
      wait = Math.min(2 * wait, 5000);
    }
  }
  working = false;
  tell();
}

// ---- cards

function build(html) {
  const holder = document.createElement("div"); // in this document, so that its images load now
  holder.innerHTML = html;
  for (const form of holder.querySelectorAll("form")) form.noValidate = true; // said here, in words
  return holder.firstElementChild;
}

// A card, with what was chosen and written on it before the page was loaded again.
function made(key, html) {
  const card = { key, node: build(html) };
  const draft = draftOf(key);
  if (draft) {
    restore(card.node, draft.said);
    card.took = draft.took;
  }
  return card;
}

function saveDraft() {
  const [card] = cards;
  if (back || !card || card.nothing) return;
  const found = said(card.node);
  if (Object.keys(found).length) keepDraft(card.key, { said: found, took: performance.now() - card.since });
  else dropDraft(card.key);
}

function take(told) {
  const waiting = kept();
  if (Number.isInteger(told.answered)) {
    answered = waiting.reduce((sum, entry) => sum + (entry.undo ? -1 : entry.number), told.answered);
  }
  if (undoing()) return; // what was taken back comes first, and is not among these
  const sending = new Set(waiting.map((entry) => entry.key));
  const mine = new Map(cards.map((card) => [card.key, card]));
  const [first] = cards;
  keepDraftsOf(new Set([...sending, ...mine.keys(), ...told.cards.map(({ key }) => key)]));
  let found = told.cards
    .filter(({ key, html }) => !sending.has(key) && (mine.has(key) || html))
    .map(({ key, html }) => mine.get(key) || made(key, html));
  if (first && !first.nothing) found = [first, ...found.filter((card) => card !== first)];
  if (!found.length && !waiting.length) {
    if (told.nothing) found.push({ key: "", nothing: true, node: build(told.nothing) });
    else stale = true;
  }
  cards = found;
  if (!back && cards[0] !== first) show();
}

function show() {
  const [card] = cards;
  if (!card) { // faster than the server
    const wait = document.createElement("p");
    wait.textContent = undoing() ? "Taking back…" : "One moment…";
    desk.replaceChildren(wait);
    return;
  }
  desk.replaceChildren(card.node);
  card.since = card.since || performance.now() - (card.took || 0);
  card.node.querySelectorAll(".sound").forEach(draw);
  card.node.focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function fill(form, fields, since) {
  const took = performance.now() - since;
  const ids = form.querySelectorAll('input[name="id"]').length;
  return fields.map(([name, value]) =>
    [name, name.startsWith("ms.") ? (took / ids).toFixed(0) : value]
  ).filter(([name]) => name !== "csrf"); // of a session that may have ended by then
}

function submit(form, button) {
  const [card] = cards;
  if (back || !card || !card.node.contains(form)) return;
  const fields = fill(form, [...new FormData(form, button).entries()], card.since);
  const id = fields.find(([name]) => name === "id")[1];
  const number = form.querySelectorAll('input[name="id"]').length;
  complain("");
  keep({ id, key: card.key, number, fields }); // here first
  answered += number;
  if (button) button.classList.add("chosen");
  past = [...past.slice(-19), card];
  cards.shift();
  show();
  tell();
  work();
}

function undo() {
  stepTo(0);
  past.pop();
  answered = Math.max(0, answered - 1); // of a batch, the last item alone
  complain("");
  keep({ id: newId(), undo: true });
  cards = [];
  show();
  tell();
  work();
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

desk.addEventListener("input", (event) => {
  if (event.target.matches(".find")) find(event.target);
  if (event.target.matches("textarea")) saveDraft();
});

desk.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.matches(".names input")) return;
  const others = box.closest(".names").querySelectorAll("input:checked");
  const alone = (one) => one.value === "skip" || one.value === "none";
  others.forEach((other) => { // skipping, labels and that there is none exclude each other
    if (other !== box && (alone(box) || alone(other))) other.checked = false;
  });
  saveDraft();
});

async function openItem(form) {
  const [card] = cards;
  const { status, told } = await ask("/look", [...new FormData(form).entries()]);
  if (status !== 200) {
    complain(told.refused || "No connection; the label was not shown.");
  } else if (cards[0] === card) {
    cards[0] = { ...made(card.key, told.html), since: card.since };
    show();
  }
}

function enlarge() {
  const dialog = document.getElementById("large");
  const item = (current() || desk).querySelector(".item > *");
  if (!item) return;
  const copy = item.cloneNode(true);
  copy.querySelectorAll("audio").forEach((audio) => audio.remove());
  dialog.firstElementChild.replaceChildren(copy);
  dialog.showModal();
}

const active = () => document.activeElement || document.body;
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

function leave(field) { // which one has typed in
  if (field.matches(".find")) {
    field.value = "";
    find(field);
    const others = field.closest(".others");
    if (others) others.open = false;
  }
  const one = fieldsets().length ? current() : null;
  if (one) into(one);
  else if (cards[0]) cards[0].node.focus({ preventScroll: true });
}

const sound = (work) => {
  const audio = (current() || desk).querySelector("audio");
  if (audio) work(audio);
  return Boolean(audio);
};

const KEYS = {
  z: undo,
  ArrowLeft: () => stepTo(back + 1),
  ArrowRight: () => stepTo(back - 1),
  Escape: () => stepTo(0),
  "?": () => document.getElementById("keys").showModal(),
  o: () => { const button = desk.querySelector("[data-open]"); if (button) button.click(); },
  p: () => sound((audio) => (audio.paused ? audio.play() : audio.pause())),
  "[": () => sound((audio) => { audio.currentTime -= 2; }),
  "]": () => sound((audio) => { audio.currentTime += 2; }),
  "/": () => {
    const field = (current() || desk).querySelector(".find");
    if (!field) return false;
    const others = field.closest(".others");
    if (others) others.open = true;
    field.focus();
    return true;
  },
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
    const field = active();
    if (event.key === "Enter" && field.matches(".find")) {
      event.preventDefault(); // it would send the form
      takeFound(field);
    } else if (event.key === "Escape") {
      event.preventDefault();
      leave(field);
    }
    return;
  }
  if (localStorage.getItem(KEYS_OFF)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // where labels have no keys, these go through them
  if (/^Arrow(Left|Right)$/.test(key) && active().matches('.names input[data-key=""]')) return;
  if (key === " " || key === "Enter") {
    const form = desk.querySelector("form.labels");
    if (key === "Enter" && form && active().matches("body, .names input, section")) {
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

// Undoing what was typed belongs to the field that has the focus: outside of fields Chromium would
// change the one written in last and move the focus there, and the next keys would be typed into it.
document.addEventListener("beforeinput", (event) => {
  if (event.inputType.startsWith("history") && event.target !== active()) event.preventDefault();
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
  show(); // what the page came with may have been answered; the cards come with keys
  await work();
  document.body.dataset.ready = "1";
}

start();
