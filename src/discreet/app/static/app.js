// What the pages need beside htmx: a word when the connection is lost, what a screen reader
// hears, where the focus goes after a swap, and a look at the size of an upload.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const say = (text) => { if (text && byId("status").textContent !== text) byId("status").textContent = text; };
  let heldFocus = false;
  let heard = byId("job")?.dataset.said;

  // The bar that says why the app cannot be reached: it is asked again until it answers.
  const tries = 3; // failures in a row of a browser that is online: the app has ended
  let failures = 0;
  let asking = 0;
  const tell = (why) => {
    byId("lost").hidden = !why;
    for (const one of byId("lost").querySelectorAll("[data-why]")) one.hidden = one.dataset.why !== why;
  };
  const ask = async () => {
    clearTimeout(asking);
    try {
      const answer = await fetch("/static/icon.svg", { method: "HEAD", cache: "no-store" });
      failures = 0;
      tell(answer.status === 401 || answer.status === 403 ? "other" : "");
    } catch {
      failures += 1;
      tell(!navigator.onLine ? "offline" : failures >= tries ? "ended" : "lost");
    }
    asking = setTimeout(ask, failures ? 1000 : 5000);
  };
  asking = setTimeout(ask, 5000);
  document.addEventListener("htmx:sendError", ask);
  window.addEventListener("offline", ask);
  window.addEventListener("online", ask);

  // Whether a field was saved: what is wrong stays in view until its form is saved.
  const wrong = new Map();
  let fading = 0;
  document.addEventListener("said", (event) => {
    const text = event.detail.value;
    const form = event.target.closest("form")?.id;
    if (text.startsWith("Not saved")) wrong.set(form, text);
    else wrong.delete(form);
    say(text);
    clearTimeout(fading);
    byId("saved").textContent = [...wrong.values()].join(" ") || text;
    byId("saved").classList.toggle("bad", wrong.size > 0);
    byId("saved").hidden = false;
    if (!wrong.size) fading = setTimeout(() => { byId("saved").hidden = true; }, 4000);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    heldFocus = event.detail.target.contains(document.activeElement) && !document.activeElement.id;
  });
  document.addEventListener("htmx:afterSettle", () => {
    const job = byId("job");
    if (job && job.dataset.said !== heard) say(heard = job.dataset.said);
    if (heldFocus && document.activeElement === document.body) byId("results")?.focus();
    heldFocus = false;
  });

  // What is wrong comes into view, on a new page or in a part of one, and is where reading goes on.
  const lead = (within) => within?.querySelector?.(".words.bad[role=alert]")?.focus();
  lead(byId("content"));
  document.addEventListener("htmx:afterSwap", (event) => lead(event.detail.elt));
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (field.type !== "file" || !field.dataset.most) return;
    const file = field.files[0];
    const large = file && file.size > Number(field.dataset.most);
    field.setCustomValidity(large ? "This file is larger than the app allows (--max-upload)." : "");
    field.reportValidity();
  });

  // A file that is dropped goes into the field of its zone, and nowhere else: beside it, the
  // browser would leave the page for the file.
  for (const hint of document.querySelectorAll("[data-hint]")) hint.hidden = false;
  for (const kind of ["dragover", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      const zone = event.target.closest("[data-drop]");
      document.querySelector(".drop.over")?.classList.remove("over");
      if (kind === "dragover") {
        zone?.classList.add("over");
        event.dataTransfer.dropEffect = zone ? "copy" : "none";
      } else if (zone) {
        const field = byId(zone.dataset.drop);
        const files = event.dataTransfer.files;
        if (files.length > 1 && !field.multiple) return say("One file at a time.");
        field.files = files;
        field.dispatchEvent(new Event("change", { bubbles: true }));
        if (field.checkValidity()) field.form.requestSubmit();
      }
    });
  }
})();

// Explore: one selection for the lattice, the map, the panel and the table. The address follows, so
// that a reload shows the same.
(() => {
  const byId = (id) => document.getElementById(id);
  const ways = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
  let wanted = null;
  let told = byId("found")?.dataset.said;

  const choose = (node, id) => {
    if (node === undefined) return;
    byId("node").value = node;
    wanted = id;
    htmx.trigger(byId("sliders"), "chosen");
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#found a[data-node]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(link.dataset.node, link.id);
  });
  document.addEventListener("keydown", (event) => {
    const link = event.target.closest("#found a[data-node]");
    const name = link?.closest("svg")?.dataset.name;
    if (link && event.key === " ") {
      event.preventDefault();
      choose(link.dataset.node, link.id);
    } else if (name && ways[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const node = byId("found").dataset[ways[event.key]];
      choose(node, name + node);
    }
  });
  document.addEventListener("input", (event) => {
    if (event.target.closest("#sliders [type=range]")) byId("node").value = "";
    const shown = event.target.closest(".slider")?.querySelector("output");
    if (shown) shown.value = event.target.value + (event.target.dataset.unit || "");
  });
  let open = false;
  document.addEventListener("htmx:beforeSwap", () => { open = Boolean(byId("expert")?.open); });
  document.addEventListener("htmx:afterSwap", () => {
    const found = byId("found");
    if (!found) return;
    if (open) byId("expert").open = true;
    if (!byId("node").value) byId("node").value = found.dataset.node;
    const asked = new URLSearchParams(new FormData(byId("sliders")));
    history.replaceState(null, "", `${found.dataset.address}?${asked}`);
    const current = (name) => found.querySelector(`svg[data-name="${name}"] [aria-current]`);
    if (wanted) (byId(wanted) || current(wanted[0]) || current("n"))?.focus({ preventScroll: true });
    wanted = null;
    if (found.dataset.said !== told) byId("status").textContent = told = found.dataset.said;
  });
})();

// Roles: of many columns only those that are looked for are shown, and all of these ticked at once.
(() => {
  const byId = (id) => document.getElementById(id);
  if (!byId("find")) return;
  const rows = () => [...document.querySelectorAll("table.roles tbody tr")];
  const narrow = () => {
    const text = byId("find").value.trim().toLowerCase();
    const role = byId("having").value;
    let shown = 0;
    for (const row of rows()) {
      row.hidden = !row.dataset.name.includes(text) || (role !== "" && row.dataset.role !== role);
      shown += row.hidden ? 0 : 1;
      if (row.hidden) row.querySelector("[name=pick]").checked = false;
    }
    byId("found-columns").textContent = `${shown} of ${rows().length} columns`;
    byId("pick-all").checked = false;
  };
  byId("find").addEventListener("input", narrow);
  byId("find").addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  byId("having").addEventListener("change", narrow);
  byId("pick-all").addEventListener("change", (event) => {
    for (const row of rows()) row.querySelector("[name=pick]").checked = !row.hidden && event.target.checked;
  });
})();

// Groups of a hierarchy by hand: a value is dragged onto a group. The form does the same by keyboard.
(() => {
  let dragged = null;
  const over = (event) => dragged && event.target.closest?.("[data-group]");
  const mark = (group) => {
    for (const one of document.querySelectorAll("[data-group]")) one.classList.toggle("over", one === group);
  };
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("[data-item]") || null;
    if (dragged) event.dataTransfer.setData("text/plain", "");
  });
  document.addEventListener("dragend", () => { dragged = null; mark(null); });
  document.addEventListener("dragover", (event) => {
    mark(over(event));
    if (over(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const group = over(event);
    if (!group) return;
    event.preventDefault();
    dragged.querySelector("[name=item]").checked = true;
    document.getElementById("into").value = group.dataset.group;
    document.querySelector("#editor [value=put]").click();
  });
})();
