// Keys, the menu on small screens, the theme, and questions before something that cannot be undone.
"use strict";

(() => {
  const page = document.documentElement;
  const themes = ["", "light", "dark"];

  function applyTheme(name) {
    page.dataset.theme = name;
    const button = document.querySelector("button.theme");
    if (button) button.textContent = name ? `Theme: ${name}` : "Theme: system";
  }

  function isTyping(target) {
    return target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;
  }

  let led = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "?") {
      document.getElementById("keys").showModal();
      event.preventDefault();
      return;
    }
    if (led) {
      led = false;
      const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) { link.click(); event.preventDefault(); }
      return;
    }
    if (event.key === "g") {
      led = true;
      setTimeout(() => { led = false; }, 1500);
      return;
    }
    // A page's own keys: an element with data-press is clicked, or gets the focus if it is a field.
    const target = document.querySelector(`[data-press="${CSS.escape(event.key)}"]`);
    if (target) {
      event.preventDefault();
      if (target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")) target.focus();
      else target.click();
    }
  });

  document.addEventListener("submit", (event) => {
    const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", () => {
    applyTheme(localStorage.getItem("theme") ?? "");
    document.querySelector("button.theme")?.addEventListener("click", () => {
      const next = themes[(themes.indexOf(page.dataset.theme ?? "") + 1) % themes.length];
      localStorage.setItem("theme", next);
      applyTheme(next);
    });
    document.querySelector("button.keys")?.addEventListener("click", () => {
      document.getElementById("keys").showModal();
    });
    const menu = document.querySelector("button.menu");
    menu?.addEventListener("click", () => {
      const open = document.body.classList.toggle("menu-open");
      menu.setAttribute("aria-expanded", String(open));
    });
  });
})();
