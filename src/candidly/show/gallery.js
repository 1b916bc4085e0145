// Cards in pages, with a choice of classes and a search. Without it all cards are there at once.
"use strict";
(() => {
  const SIZES = { rows: [10, 6], texts: [24, 12], pictures: [50, 24] };  // wide, narrow
  const named = (tag, words, more = {}) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...words);
    return made;
  };
  const choice = (what, cards) => {
    const counts = new Map();
    for (const card of cards) {
      const name = card.dataset[what];
      counts.set(name, (counts.get(name) || 0) + 1);
    }
    const field = named("select", [named("option", ["any"], { value: "" })]);
    for (const name of [...counts.keys()].sort((a, b) => a.localeCompare(b))) {
      field.append(named("option", [`${name} (${counts.get(name)})`], { value: name }));
    }
    return field;
  };
  for (const list of document.querySelectorAll("ol.gallery")) {
    const cards = [...list.children];
    const kind = list.classList.contains("rows") ? "rows"
      : list.classList.contains("texts") ? "texts" : "pictures";
    const size = () => SIZES[kind][innerWidth < 700 ? 1 : 0];
    if (cards.length <= SIZES[kind][1]) continue;
    const given = choice("given", cards), proposed = choice("proposed", cards);
    const words = named("input", [], { type: "search" });
    const said = named("output", []);
    const back = named("button", ["Previous"], { type: "button" });
    const on = named("button", ["Next"], { type: "button" });
    const finder = named("div", [
      named("label", ["given ", given]), named("label", ["proposed ", proposed]),
      named("label", ["with the words ", words]),
    ], { className: "finder" });
    const pager = named("nav", [back, on, said], { className: "finder", ariaLabel: "Pages of examples" });
    list.before(finder, pager);
    let page = 0;
    const fits = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      return cards.filter((card) =>
        (!given.value || card.dataset.given === given.value)
        && (!proposed.value || card.dataset.proposed === proposed.value)
        && wanted.every((word) => card.textContent.toLowerCase().includes(word)));
    };
    const show = () => {
      const found = fits(), last = Math.max(0, Math.ceil(found.length / size()) - 1);
      page = Math.min(Math.max(page, 0), last);
      const shown = new Set(found.slice(page * size(), (page + 1) * size()));
      for (const card of cards) card.hidden = !shown.has(card);
      back.disabled = page === 0;
      on.disabled = page === last;
      const first = page * size() + 1;
      said.textContent = found.length
        ? `${first} to ${first + shown.size - 1} of ${found.length}` : "none of them";
    };
    const turn = (step) => {
      page += step;
      show();
      finder.scrollIntoView({ block: "nearest" });
    };
    const anew = () => { page = 0; show(); };
    back.addEventListener("click", () => turn(-1));
    on.addEventListener("click", () => turn(1));
    for (const field of [given, proposed]) field.addEventListener("change", anew);
    words.addEventListener("input", anew);
    addEventListener("resize", show);
    const jump = () => {  // a link may lead to a card of another page
      const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!cards.includes(card)) return;
      given.value = proposed.value = words.value = "";
      page = Math.floor(cards.indexOf(card) / size());
      show();
      card.scrollIntoView();
    };
    addEventListener("hashchange", jump);
    show();
    jump();
  }
})();
