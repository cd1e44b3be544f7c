// The slider of days: it sets the date next to it, which asks for the rules of that day.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const slider = document.querySelector("input.days");
  if (!slider) return;
  const day = slider.form.elements.namedItem("on");
  const first = Date.parse(slider.dataset.first);
  const oneDay = 24 * 60 * 60 * 1000;

  const place = () => {
    if (day.value) slider.value = String(Math.round((Date.parse(day.value) - first) / oneDay));
  };
  place();
  day.addEventListener("change", place);
  slider.addEventListener("input", () => {
    day.value = new Date(first + Number(slider.value) * oneDay).toISOString().slice(0, 10);
  });
});
