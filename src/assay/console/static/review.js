// The review desk: a chosen answer is focused for its confirmation, and similar questions are ticked.
"use strict";

(() => {
  // Choosing an answer decides nothing: it opens its form, and the focus goes to what comes next.
  function chooseAnswer(details) {
    for (const set of details.querySelectorAll("fieldset")) set.disabled = !details.open;
    if (!details.open) return;
    for (const other of document.querySelectorAll("details.answer[open]")) {
      if (other !== details) other.open = false;
    }
    const next = details.querySelector("[data-first]") ?? details.querySelector("[data-decides]");
    if (next) {
      next.focus({ preventScroll: true });
      if (next.matches("input[type=text]")) next.select();
    }
    details.scrollIntoView({ block: "nearest" });
  }

  function closeAnswers() {
    for (const details of document.querySelectorAll("details.answer[open]")) details.open = false;
    document.getElementById("content").focus({ preventScroll: true });
  }

  // Rows and similar questions are walked through with j and k.
  function markStep(step) {
    const rows = [...document.querySelectorAll("a.row, .alike input[name=item]")];
    if (!rows.length) return;
    const now = rows.indexOf(document.activeElement);
    const to = now < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, now + step));
    rows[to].focus();
    (rows[to].closest(".alike") ?? rows[to]).scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") { closeAnswers(); return; }
    if (event.key === "Enter" && !event.shiftKey && event.target.matches("textarea[name=words]")) {
      event.preventDefault();
      const button = event.target.closest("form, fieldset").querySelector("[data-decides]");
      if (!button.disabled) button.click();
      return;
    }
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select") !== null;
    if (isTyping) return;
    if (event.key === "j") { markStep(1); event.preventDefault(); }
    if (event.key === "k") { markStep(-1); event.preventDefault(); }
    const ticked = document.activeElement;
    if (event.key === "x") {
      const boxes = [...document.querySelectorAll(".alike input[name=item]")];
      const box = boxes.includes(ticked) ? ticked : boxes[0];
      if (box) {
        box.focus();
        box.click();
        markStep(1);
        event.preventDefault();
      }
    }
    // Enter in a list of ticks would send the form with the first answer.
    if (event.key === "Enter" && ticked && ticked.matches(".alike input[name=item]")) event.preventDefault();
  });

  // An answer is sent once, however often Enter is pressed.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    setTimeout(() => { delete form.dataset.sent; }, 10000);
  });

  // What lies under the bar at the bottom has not been on the screen.
  function coveredHeight(form) {
    const bar = form.querySelector(".together-answers");
    return bar && getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  }

  function watchTicks(form) {
    const items = [...form.querySelectorAll(".alike")];
    const boxes = items.map((item) => item.querySelector("input[name=item]"));
    const all = document.getElementById("tick-all");
    const shown = new Set();
    function count() {
      const ticked = boxes.filter((box) => box.checked).length;
      document.getElementById("ticked").textContent = `${ticked} of ${boxes.length} ticked`;
      const left = items.length - shown.size;
      document.getElementById("unread").textContent =
        left ? `${left} not yet on the screen` : "";
      if (all) all.disabled = left > 0;
      for (const button of form.querySelectorAll("[data-decides]")) button.disabled = ticked === 0;
    }
    if (!all) return;
    const watcher = new IntersectionObserver((entries) => {
      // The end of each must have been seen, so that its quote was.
      for (const entry of entries) if (entry.isIntersecting) shown.add(entry.target.parentElement);
      count();
    }, { threshold: 1, rootMargin: `0px 0px -${coveredHeight(form)}px 0px` });
    for (const item of items) {
      const end = document.createElement("span");
      end.className = "end";
      item.append(end);
      watcher.observe(end);
    }
    form.addEventListener("change", count);
    all.addEventListener("click", () => {
      for (const box of boxes) box.checked = true;
      count();
    });
    count();
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const details of document.querySelectorAll("details.answer")) {
      details.addEventListener("toggle", () => chooseAnswer(details));
      if (details.open) chooseAnswer(details);
    }
    const together = document.getElementById("together");
    if (together) watchTicks(together);
  });
  // A page that the browser brings back may be sent again.
  addEventListener("pageshow", () => {
    for (const form of document.forms) delete form.dataset.sent;
  });
})();
