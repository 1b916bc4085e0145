// The numbers, fetched again every few seconds while somebody looks; never under their hands.

const live = document.getElementById("live");
const state = document.getElementById("live-state");
const EVERY = 5000;

function tell(text) {
  state.textContent = text;
  state.hidden = !text;
}

function busy() {
  const chosen = getSelection();
  return live.contains(document.activeElement)
    || live.querySelector("details[open]")
    || (!chosen.isCollapsed && live.contains(chosen.anchorNode));
}

async function refresh() {
  if (document.hidden) return;
  if (busy()) {
    tell("The numbers stand still while you are among them.");
    return;
  }
  try {
    const reply = await fetch(location.href, { headers: { accept: "application/json" } });
    if (!reply.ok) {
      const told = await reply.json().catch(() => ({}));
      tell(reply.status === 401 ? "You are signed out; load the page again." : told.refused || "The numbers could not be fetched; trying again.");
      return;
    }
    const { html } = await reply.json();
    if (busy()) return;
    live.innerHTML = html;
    live.dataset.times = Number(live.dataset.times || 0) + 1;
    tell("");
  } catch {
    tell("No connection; trying again.");
  }
}

setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
document.addEventListener("click", (event) => {
  if (event.target.matches("input[readonly]")) event.target.select();
});
