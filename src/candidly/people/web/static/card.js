// What a card needs: sounds drawn, labels found and counted, what is on it read and put back.

export function find(field) {
  const wanted = field.value.trim().toLowerCase();
  const labels = [...field.closest("fieldset, .others").querySelectorAll(".names label, .names button")];
  for (const label of labels) label.hidden = !label.textContent.toLowerCase().includes(wanted);
  return wanted ? labels.filter((label) => !label.hidden) : [];
}

export function takeFound(field) { // the first label that fits is chosen, and all are there again
  const [label] = find(field);
  if (!label) return;
  field.value = "";
  find(field);
  if (label.matches("button")) { // an answer, which is sent with it
    label.click();
    return;
  }
  label.control.click();
  label.control.focus({ preventScroll: true });
}

export async function draw(place) {
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
    const each = samples.length / canvas.width;
    pen.fillStyle = getComputedStyle(canvas).color;
    for (let x = 0; x < canvas.width; x += 1) {
      let most = 0;
      for (let k = Math.floor(x * each); k < (x + 1) * each && k < samples.length; k += 1) {
        most = Math.max(most, Math.abs(samples[k]));
      }
      pen.fillRect(x, middle - most * middle, 1, Math.max(1, 2 * most * middle));
    }
  } catch {
    canvas.hidden = true; // it plays, or the browser says why not
  }
}

export function allowed(form) {
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

export function into(fieldset) {
  const field = fieldset.querySelector(".names input:checked, .names input");
  field.focus({ preventScroll: true });
  fieldset.scrollIntoView({ block: "center" });
}

// ---- what has been chosen and written, by item: the ids of a card are others when it is made again

const parts = (node) => [...node.querySelectorAll("fieldset.one, form.choices")];
const task = (part) => part.querySelector('input[name="task"]').value;

export function said(node) {
  const found = {};
  for (const part of parts(node)) {
    const chosen = [...part.querySelectorAll(".names input:checked")].map((box) => box.value);
    const note = part.querySelector("textarea").value;
    if (chosen.length || note) found[task(part)] = { chosen, note };
  }
  return found;
}

export function restore(node, before) {
  for (const part of parts(node)) {
    const { chosen, note } = before[task(part)] || { chosen: [], note: "" };
    for (const box of part.querySelectorAll(".names input")) box.checked = chosen.includes(box.value);
    part.querySelector("textarea").value = note;
    part.querySelector(".more").open = Boolean(note);
  }
}
