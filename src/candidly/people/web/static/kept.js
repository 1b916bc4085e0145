// What this browser keeps for the project and person of the page, until the server has it: entries
// that are to be sent, and drafts, which are what is chosen and written on a card that is not sent.
const { store } = document.getElementById("desk").dataset;
const STORE = `candidly ${store} `; // an entry each, so that tabs do not lose any
const DRAFT = `candidly-draft ${store} `;

const spare = new Map(); // where the browser keeps nothing for this page

export function keep(entry) {
  const last = Math.max(0, ...kept().map((one) => one.at));
  const whole = { at: Math.max(Date.now(), last + 1), number: 0, key: "", ...entry };
  try {
    localStorage.setItem(STORE + whole.id, JSON.stringify(whole));
  } catch {
    spare.set(whole.id, whole);
  }
}

export function forget(entry) {
  spare.delete(entry.id);
  try { localStorage.removeItem(STORE + entry.id); } catch { /* it was never there */ }
}

export function kept() {
  const found = [...spare.values()];
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(STORE)) found.push(JSON.parse(localStorage.getItem(key)));
    }
  } catch { /* nothing is kept there */ }
  return found.filter(Boolean).sort((one, other) => one.at - other.at);
}

// ---- drafts, by the key of their card

export function keepDraft(key, draft) {
  try { localStorage.setItem(DRAFT + key, JSON.stringify(draft)); } catch { /* the page has it */ }
}

export function draftOf(key) {
  try { return JSON.parse(localStorage.getItem(DRAFT + key)); } catch { return null; }
}

export function dropDraft(key) {
  try { localStorage.removeItem(DRAFT + key); } catch { /* it was never there */ }
}

export function keepDraftsOf(keys) { // and no others
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(DRAFT) && !keys.has(name.slice(DRAFT.length))) localStorage.removeItem(name);
    }
  } catch { /* nothing is kept there */ }
}
