// Finds items across all sets in what items.js holds. The view is in the address, behind the #.

const $ = (id) => document.getElementById(id);
const form = $("filters"), grid = $("grid"), count = $("count");
const steps = [$("steps"), $("more-steps")];
const fold = (text) => text.toLowerCase();

const items = gallery.items.map((values, place) => {
  const [set, id, anchor, page, given, guessed, verdict, answers, alike, people, kind, src, crisp] = values;
  return { place, set: gallery.sets[set], id, anchor: anchor || `item-${id}`, page, given, guessed, verdict: gallery.verdicts[verdict], answers, alike, people, kind, src, crisp };
});

// a class by its whole name, where some class has that name; else by a part of it
const names = new Set(gallery.sets.flatMap((set) => set.classes.map(fold)));
function isClass(side) {
  return (item, text) => {
    const wanted = fold(text.trim());
    const whole = names.has(wanted);
    return item[side].some((label) => {
      const name = fold(item.set.classes[label]);
      return whole ? name === wanted : name.includes(wanted);
    });
  };
}

const FILTERS = {
  set: (item, text) => item.set.at === text,
  verdict: (item, text) => (text === "error" ? !["non-error", "pending"].includes(item.verdict) : item.verdict === text),
  given: isClass("given"),
  guessed: isClass("guessed"),
  alike: (item, text) => item.alike >= 0 && Math.min(2, item.people - item.alike) === Number(text),
  name: (item, text) => fold(item.id).includes(fold(text)),
};
const share = (item) => (item.alike < 0 || !item.people ? NaN : item.alike / item.people);
const ORDERS = { split: (a, b) => share(a) - share(b), agreed: (a, b) => share(b) - share(a) };

function make(tag, kind, ...inside) {
  const node = document.createElement(tag);
  if (kind) node.className = kind;
  node.append(...inside);
  return node;
}

function thumb(item) {
  const box = make("div", "thumb");
  if (item.kind === "image" || item.kind === "audio") {
    const seen = make(item.kind === "image" ? "img" : "audio", item.crisp ? "crisp" : "");
    seen.src = `${item.set.at}/${item.src}`;
    if (item.kind === "image") { seen.alt = `Item ${item.id}`; seen.loading = "lazy"; } else {
      seen.controls = true; seen.preload = "none"; seen.setAttribute("aria-label", `Item ${item.id}`);
    }
    box.append(seen);
  } else if (item.kind === "text") box.append(make("p", "words", item.src));
  else box.append(make("span", "soft", "nothing to show"));
  return box;
}

function dot(verdict) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "dot");
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  rect.setAttribute("width", 10);
  rect.setAttribute("height", 10);
  rect.setAttribute("class", verdict.replaceAll(" ", "-"));
  svg.append(rect);
  return svg;
}

function tile(item, shows) {
  const link = make("a", "", item.id);
  link.href = `${item.set.at}/page-${item.page}.html#${item.anchor}`;
  const labels = make("p");
  for (const [word, side] of [["given", item.given], ["guess", item.guessed]]) {
    if (side.length) labels.append(make("span", "soft", word), " ", make("strong", "", side.map((k) => item.set.classes[k]).join(", ")), " ");
  }
  const answers = make("p");
  for (let k = 0; k < item.answers.length; k += 2) {
    answers.append(make("span", "vote", `${item.set.words[item.answers[k]]} `, make("b", "", String(item.answers[k + 1]))), " ");
  }
  const agreed = item.alike >= 0 && item.people ? ` · ${item.alike} of ${item.people} alike` : ` · ${item.people} people`;
  return make("li", "", ...(shows ? [thumb(item)] : []), make("h3", "", link), make("p", "soft", item.set.title),
    labels, answers, make("p", "soft", dot(item.verdict), ` ${item.verdict}${agreed}`));
}

const wanted = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");

function step(text, said, page) {
  const link = make("a", "button", text);
  const to = new URLSearchParams(said);
  to.set("page", page);
  link.href = `#${to}`;
  return link;
}

function show() {
  const said = wanted();
  for (const field of form.querySelectorAll("[name]")) field.value = said.get(field.name) || "";
  const asked = [...said.keys()].length > 0;
  $("clear").hidden = !asked;
  $("lists").hidden = asked;
  if (!asked) {
    count.textContent = "";
    for (const node of [grid, ...steps]) node.replaceChildren();
    return;
  }
  const filters = Object.entries(FILTERS).filter(([name]) => said.get(name));
  const found = items.filter((item) => filters.every(([name, fits]) => fits(item, said.get(name))));
  const order = ORDERS[said.get("sort")];
  if (order) found.sort((a, b) => Number.isNaN(share(a)) - Number.isNaN(share(b)) || order(a, b) || a.place - b.place);
  const pages = Math.max(1, Math.ceil(found.length / gallery.page));
  const page = Math.min(pages, Math.max(1, Math.floor(Number(said.get("page"))) || 1));
  const shown = found.slice((page - 1) * gallery.page, page * gallery.page);
  const shows = shown.some((item) => item.kind);
  grid.className = shows ? "grid" : "grid bare";
  grid.replaceChildren(...shown.map((item) => tile(item, shows)));
  count.textContent = `${found.length.toLocaleString("en")} ${found.length === 1 ? "item" : "items"}`
    + (pages > 1 ? `, page ${page} of ${pages}` : "") + (found.length ? "" : ": no item is like that");
  steps.forEach((one, k) => {
    const nav = make("nav", "steps");
    nav.setAttribute("aria-label", k ? "Pages of what was found, again" : "Pages of what was found");
    if (page > 1) nav.append(step("Previous", said, page - 1));
    if (page < pages) nav.append(step("Next", said, page + 1));
    one.replaceChildren(...(pages > 1 ? [nav] : []));
  });
}

// what was found stands below the table of all sets
function bring() {
  if ([...wanted().keys()].length) $("find").scrollIntoView();
}

function offer() {
  const set = form.elements.set.value;
  const known = gallery.sets.filter((one) => !set || one.at === set).flatMap((one) => one.classes);
  $("classes").replaceChildren(...[...new Set(known)].sort().map((name) => {
    const option = make("option");
    option.value = name;
    return option;
  }));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = [...new FormData(form)].filter(([, value]) => value);
  location.hash = said.length ? new URLSearchParams(said) : "find";
});
form.elements.set.addEventListener("change", offer);
window.addEventListener("hashchange", () => { show(); bring(); });

form.hidden = false;
show();
offer();
bring();
document.body.dataset.ready = "1";
