// Filters and sorts what items.js holds. The view is in the address, behind the #.

const form = document.getElementById("filters");
const grid = document.getElementById("grid");
const count = document.getElementById("count");
const all = document.getElementById("all");
const steps = [document.getElementById("steps"), document.getElementById("more-steps")];
const written = { count: count.textContent, items: [...grid.children], steps: steps.map((one) => [...one.children]) };

const label = (name) => (item, text) => gallery.classes[item[name]] === text;
const least = (name) => (item, text) => item[name] !== undefined && item[name] >= Number(text);
const most = (name) => (item, text) => item[name] !== undefined && item[name] <= Number(text);
const FILTERS = {
  given: label("given"),
  guessed: label("guessed"),
  asks: label("asks"),
  outcome: (item, text) => item.outcome === text,
  decided: (item, text) => (item.decided !== undefined) === (text === "1"),
  text: (item, text) => item.name.toLowerCase().includes(text.toLowerCase()),
  least: least("said"),
  most: most("said"),
  low: least("score"),
  high: most("score"),
  person: (item, text) => item.people.includes(text),
};

const missing = (value, usual) => (value === undefined ? usual : value);
const ORDERS = {
  queue: () => 0,
  score: (a, b) => missing(a.score, Infinity) - missing(b.score, Infinity) || 0,
  "highest score": (a, b) => missing(b.score, -Infinity) - missing(a.score, -Infinity) || 0,
  disagreement: (a, b) => missing(b.differ, -1) - missing(a.differ, -1),
  votes: (a, b) => b.said - a.said,
  name: (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)),
};

function make(tag, text, ...inside) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  node.append(...inside);
  return node;
}

function soft(text) {
  const node = make("span", text);
  node.className = "soft";
  return node;
}

function thumb(item) {
  const box = make("div");
  box.className = "thumb";
  if (item.kind === "image") {
    const image = make("img");
    image.src = item.src;
    image.alt = `Item ${item.name}`;
    image.loading = "lazy";
    if (item.crisp) image.className = "crisp";
    box.append(image);
  } else if (item.kind === "audio") {
    const audio = make("audio");
    audio.controls = true;
    audio.preload = "none";
    audio.src = item.src;
    audio.setAttribute("aria-label", `Item ${item.name}`);
    box.append(audio);
  } else if (item.text) {
    const text = make("p", item.text);
    text.className = "words";
    box.append(text);
  } else {
    box.append(soft("nothing to show"));
  }
  return box;
}

function classes(item) {
  const line = make("p");
  const said = item.asks >= 0 ? { "is it": item.asks } : { given: item.given, guess: item.guessed };
  for (const [word, place] of Object.entries(said)) {
    if (place >= 0) line.append(soft(word), " ", make("strong", gallery.classes[place]), " ");
  }
  return line;
}

function tile(item) {
  const link = make("a", item.name || String(item.id));
  link.href = item.at;
  const answers = make("p");
  for (const [word, times] of item.answers) {
    const vote = make("span", "", `${word} `, make("b", String(times)));
    vote.className = "vote";
    answers.append(vote, " ");
  }
  if (!item.answers.length) answers.append(soft("no answers"));
  const decided = item.decided === undefined ? [] : [make("p", "", soft("decided"), " ", make("strong", item.decided))];
  const last = make("p", item.outcome);
  last.className = "soft";
  if (item.score !== undefined) {
    const score = make("span", `· score ${Number(item.score.toPrecision(3))}`);
    score.className = "vote";
    last.append(" ", score);
  }
  return make("li", "", thumb(item), make("h2", "", link), classes(item), answers, ...decided, last);
}

function wanted() {
  const here = decodeURIComponent(location.hash.slice(1)).startsWith("item-") ? "" : location.hash.slice(1);
  return new URLSearchParams(here);
}

function step(text, said, page) {
  const link = make("a", text);
  said.set("page", page);
  link.href = `#${said}`;
  link.className = "button";
  return link;
}

function show() {
  const said = wanted();
  for (const field of form.querySelectorAll("[name]")) {
    field.value = said.get(field.name) || (field.name === "sort" ? "queue" : "");
  }
  all.hidden = ![...said.keys()].length;
  if (all.hidden) {
    grid.replaceChildren(...written.items);
    count.textContent = written.count;
    steps.forEach((one, k) => one.replaceChildren(...written.steps[k]));
    return;
  }
  const filters = Object.entries(FILTERS).filter(([name]) => said.get(name));
  const found = gallery.items.filter((item) => filters.every(([name, fits]) => fits(item, said.get(name))));
  found.sort(ORDERS[said.get("sort")] || ORDERS.queue);
  const pages = Math.max(1, Math.ceil(found.length / gallery.page));
  const page = Math.min(pages, Math.max(1, Number(said.get("page")) || 1));
  grid.replaceChildren(...found.slice((page - 1) * gallery.page, page * gallery.page).map(tile));
  const number = found.length.toLocaleString("en");
  count.textContent = `${number} ${found.length === 1 ? "item" : "items"}`
    + (pages > 1 ? `, page ${page} of ${pages}` : "") + (found.length ? "" : ": no item is like that");
  steps.forEach((one, k) => {
    const nav = make("nav");
    nav.className = "steps";
    nav.setAttribute("aria-label", k ? "Pages of items, again" : "Pages of items");
    if (page > 1) nav.append(step("Previous", said, page - 1));
    if (page < pages) nav.append(step("Next", said, page + 1));
    one.replaceChildren(...(pages > 1 ? [nav] : []));
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = [...new FormData(form)].filter(([name, value]) => value && !(name === "sort" && value === "queue"));
  location.hash = new URLSearchParams(said);
  if (!said.length) show();
});
all.addEventListener("click", (event) => {
  event.preventDefault();
  location.hash = "";
});
window.addEventListener("hashchange", () => { show(); });

form.hidden = false;
if ([...wanted().keys()].length) show();
document.body.dataset.ready = "1";
