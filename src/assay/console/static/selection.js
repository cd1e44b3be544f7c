// Selecting rows of a table: all on this page, and how many are selected.
"use strict";

document.addEventListener("change", (event) => {
  const form = event.target.closest("form");
  const all = form?.querySelector("input.select-all");
  if (!all) return;
  const boxes = [...form.querySelectorAll("input[name=job]")];
  if (event.target === all) for (const box of boxes) box.checked = all.checked;
  const count = boxes.filter((box) => box.checked).length;
  all.checked = count === boxes.length;
  all.indeterminate = count > 0 && count < boxes.length;
  const told = form.querySelector(".selected");
  if (told) told.textContent = count ? `${count} selected:` : "Select jobs to";
});
