// What the pages need beside htmx: a word when the connection is lost, what a screen reader
// hears, where the focus goes after a swap, and a look at the size of an upload.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { if (text && byId("status").textContent !== text) byId("status").textContent = text; };
  let heldFocus = false;
  let heard = byId("job")?.dataset.said;

  document.addEventListener("htmx:sendError", () => { byId("lost").hidden = false; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) byId("lost").hidden = true;
  });
  document.addEventListener("said", (event) => say(event.detail.value));
  document.addEventListener("htmx:beforeSwap", (event) => {
    heldFocus = event.detail.target.contains(document.activeElement) && !document.activeElement.id;
  });
  document.addEventListener("htmx:afterSettle", () => {
    const job = byId("job");
    if (job && job.dataset.said !== heard) say(heard = job.dataset.said);
    if (heldFocus && document.activeElement === document.body) byId("results")?.focus();
    heldFocus = false;
  });
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (field.type !== "file" || !field.dataset.most) return;
    const file = field.files[0];
    const large = file && file.size > Number(field.dataset.most);
    field.setCustomValidity(large ? "This file is larger than the app was started for (--max-upload)." : "");
    field.reportValidity();
  });
})();
