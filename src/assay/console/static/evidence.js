// Quotes and the facts that rest on them: pointing at one marks the other.
"use strict";

(() => {
  function keysOf(element) {
    return (element.dataset.cites ?? "").split(" ").filter(Boolean);
  }

  function light(keys, isOn) {
    for (const element of document.querySelectorAll("[data-cites]")) {
      if (keysOf(element).some((key) => keys.includes(key))) element.classList.toggle("lit", isOn);
    }
  }

  function follow(event, isOn) {
    const element = event.target.closest?.("[data-cites]");
    if (element) light(keysOf(element), isOn);
  }

  document.addEventListener("mouseover", (event) => follow(event, true));
  document.addEventListener("mouseout", (event) => follow(event, false));
  document.addEventListener("focusin", (event) => follow(event, true));
  document.addEventListener("focusout", (event) => follow(event, false));

  // A click on a quote leads to the first fact that rests on it.
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("mark[data-cites], .sheet g[data-cites]");
    const [key] = mark ? keysOf(mark) : [];
    const entry = key && document.getElementById(`cite-${key}`);
    if (entry) {
      entry.scrollIntoView({ block: "nearest" });
      entry.querySelector("a")?.focus({ preventScroll: true });
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    const beside = document.querySelector(".beside");
    const entry = document.querySelector(".cite.asked");
    if (beside && entry) beside.scrollTop = entry.offsetTop - beside.offsetTop - beside.clientHeight / 3;
    if (!location.hash) document.getElementById("quote")?.scrollIntoView({ block: "center" });
  });
})();
