// The overview renews itself: not while nobody looks, and without touching what has not changed.
"use strict";

(() => {
  let before = null;

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id === "now" && document.hidden) event.preventDefault();
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.target.id !== "now") return;
    const fresh = event.detail.xhr.responseText;
    if (fresh === before || event.detail.xhr.status !== 200) event.detail.shouldSwap = false;
    before = fresh;
  });

  // What leads to and from the stage under the pointer or with the focus stands out.
  function mark(event) {
    const box = event.target.closest("[data-box]");
    for (const arrow of document.querySelectorAll(".pipeline .arrow")) {
      const own = box && (arrow.dataset.start === box.dataset.box || arrow.dataset.end === box.dataset.box);
      arrow.classList.toggle("own", Boolean(own));
    }
  }
  document.addEventListener("pointerover", mark);
  document.addEventListener("focusin", mark);
})();
