// What stands behind the # of a link goes into the form, and out of the address and the history.
// Nobody is signed in before the button is pressed: programs that look at links press none.
const field = document.getElementById("link");

function take() {
  if (location.hash.length < 2) return;
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  document.getElementById("paste").hidden = true;
  document.getElementById("enter").focus();
}

window.addEventListener("hashchange", take);
take();
document.body.dataset.ready = "1";
