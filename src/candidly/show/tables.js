// Tables that can be sorted by their headings and filtered by the name of an algorithm. The page is
// whole without it.
"use strict";
(() => {
  const tables = [...document.querySelectorAll("main table")].filter(
    (table) => table.tHead && table.tBodies.length === 1 && table.tBodies[0].rows.length > 1);
  const number = (text) => {
    const found = text.replace(/[\u2212\u2013]/g, "-").replace(/,/g, "").match(/^\s*[+-]?\d+(\.\d+)?/);
    return found ? parseFloat(found[0]) : null;
  };
  const order = (one, other, up) => {
    const [a, b] = [number(one), number(other)];
    if (a !== null && b !== null) return up ? a - b : b - a;
    if (a !== null || b !== null) return a === null ? 1 : -1;  // without a number: last
    return up ? one.localeCompare(other) : other.localeCompare(one);
  };
  const sort = (table, heading, place) => {
    const up = heading.getAttribute("aria-sort") === "descending";
    for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    const text = (row) => (row.cells[place] || row.cells[0]).textContent;
    rows.sort((a, b) => order(text(a), text(b), up));
    table.tBodies[0].append(...rows);
  };
  for (const table of tables) {
    if (table.tHead.rows.length !== 1) continue;
    [...table.tHead.rows[0].cells].forEach((heading, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.title = "Sort by this column";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, place));
      heading.append(button);
    });
  }
  const open = () => {  // what a link leads to may be folded
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = place; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (place) place.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  const named = tables.filter((table) =>
    table.tHead.rows[0].cells[0].textContent.trim() === "algorithm");
  if (!named.length) return;
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  label.className = "filter";
  field.type = "search";
  label.append("Show algorithms whose name has ", field, " ", count);
  document.querySelector("main").prepend(label);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
    const shown = new Set();
    for (const table of named) {
      for (const row of table.tBodies[0].rows) {
        const name = row.cells[0].textContent.trim();
        row.hidden = words.length > 0 && !words.some((word) => name.toLowerCase().includes(word));
        if (!row.hidden) shown.add(name);
      }
    }
    count.textContent = words.length ? `${shown.size} shown` : "";
  });
})();
