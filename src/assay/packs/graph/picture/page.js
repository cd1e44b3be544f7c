"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const canvas = one(".canvas");
  const picture = one(".canvas svg");
  const chosen = one("#chosen");
  const marks = all(".text [data-a]");
  const nodes = new Map(all(".node").map((node) => [node.dataset.entity, node]));
  const lines = all(".line[data-relation]");
  const entityNumber = new Map(data.entities.map((entity, at) => [entity.id, at]));
  const relationNumber = new Map(data.relations.map((relation, at) => [relation.id, at]));
  const relationsOf = data.entities.map(() => ({ out: [], in: [] }));
  data.relations.forEach((relation, at) => {
    if (relation.s !== null) relationsOf[relation.s].out.push(at);
    if (relation.o !== null) relationsOf[relation.o].in.push(at);
  });
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = calm ? "auto" : "smooth";
  const MOST = 60;

  document.documentElement.classList.add("script");
  all("form[hidden], .tools[hidden], #chosen[hidden]").forEach((part) => { part.hidden = false; });

  // Building: words only ever go in as text.
  function make(name, words, className) {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    if (className) made.className = className;
    return made;
  }

  function link(words, act) {
    const made = make("button", words, "link");
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  function list(title, items) {
    if (!items.length) return [];
    const made = make("ul");
    items.slice(0, MOST).forEach((item) => made.append(item));
    if (items.length > MOST) made.append(make("li", `and ${items.length - MOST} more`, "hint"));
    return [make("h3", `${title} (${items.length})`), made];
  }

  function row(...parts) {
    const made = make("li");
    parts.forEach((part) => made.append(part));
    return made;
  }

  const verdict = (relation) => make("span", relation.verdict, `verdict ${relation.verdict}`);

  function thing(number, words) {
    return number === null ? make("bdi", words) : link(words, () => showEntity(number, true));
  }

  // What is lit in text and picture.
  function darken() {
    all(".lit, .own, .now, .away").forEach((part) => part.classList.remove("lit", "own", "now", "away"));
  }

  // The pieces stand in order, so that the first of a place is found by halving.
  const starts = marks.map((part) => Number(part.dataset.a));
  function firstAt(start) {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] < start) low = middle + 1; else high = middle;
    }
    return low;
  }

  function light(start, end, name) {
    const from = firstAt(start);
    for (let at = from; at < marks.length && starts[at] < end; at += 1) marks[at].classList.add(name);
    return marks[from];
  }

  // The text moves within its pane; the page moves only for who asks for a place by name.
  function into(part, page) {
    if (!part) return;
    const pane = one("#text");
    if (page) pane.scrollIntoView({ block: "nearest", behavior });
    const own = part.getBoundingClientRect();
    const top = own.top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
    pane.scrollBy({ top: top + Math.min(own.height, pane.clientHeight) / 2, behavior });
  }

  // Only the pane is moved, so that a click in the text leaves the page where it is.
  function centre(part) {
    if (!part) return;
    if (scale() < 0.6) { touched = true; zoom(0.85); }
    const own = part.getBoundingClientRect();
    const pane = canvas.getBoundingClientRect();
    canvas.scrollBy({
      left: own.left + own.width / 2 - pane.left - pane.width / 2,
      top: own.top + own.height / 2 - pane.top - pane.height / 2,
      behavior,
    });
  }

  function showInText(start, end) {
    into(light(start, end, "lit"), true);
  }

  function keepBright(entities, relations) {
    nodes.forEach((node, id) => node.classList.toggle("away", !entities.has(entityNumber.get(id))));
    lines.forEach((line) => {
      const at = relationNumber.get(line.dataset.relation);
      line.classList.toggle("away", !relations.has(at));
      line.classList.toggle("now", relations.has(at));
    });
  }

  function showEntity(number, move) {
    const entity = data.entities[number];
    const around = relationsOf[number];
    darken();
    entity.mentions.forEach(([start, end]) => light(start, end, "own"));
    const bright = new Set([number]);
    [...around.out, ...around.in].forEach((at) => {
      [data.relations[at].s, data.relations[at].o].forEach((end) => { if (end !== null) bright.add(end); });
    });
    keepBright(bright, new Set([...around.out, ...around.in]));
    const node = nodes.get(entity.id);
    if (node) node.classList.add("now");
    if (move) centre(node);
    mark(`#e${number}`);
    const kinds = make("p");
    kinds.className = "hint";
    entity.kinds.forEach((kind) => kinds.append(make("span", kind, `chip k${entity.colour}`)));
    if (!node) kinds.append("not drawn");
    chosen.replaceChildren(
      make("h2", entity.name), kinds,
      ...list("Says of it", entity.attributes.map((words) => row(words))),
      ...list("Relations from it", around.out.map((at) => relationRow(at, true))),
      ...list("Relations to it", around.in.map((at) => relationRow(at, false))),
      ...list("Mentions", entity.mentions.map(mentionRow)),
    );
    if (entity.elsewhere) chosen.append(make("p", `${entity.elsewhere} more in other texts`, "hint"));
    chosen.scrollTop = 0;
  }

  function mentionRow([start, end, before, words, after]) {
    return row(
      make("span", `…${before}`, "around"),
      link(words, () => { all(".lit").forEach((part) => part.classList.remove("lit")); showInText(start, end); }),
      make("span", `${after}…`, "around"),
    );
  }

  function relationRow(at, outward) {
    const relation = data.relations[at];
    const other = outward ? thing(relation.o, relation.value) : thing(relation.s, relation.subject);
    const said = link(relation.p, () => showRelation(at, true));
    const parts = outward ? [said, " → ", other] : [other, " → ", said];
    return row(...parts, "  ", verdict(relation), ` ${relation.confidence}`);
  }

  function showRelation(at, move) {
    const relation = data.relations[at];
    darken();
    const ends = [relation.s, relation.o].filter((end) => end !== null);
    keepBright(new Set(ends), new Set([at]));
    const line = lines.find((each) => each.dataset.relation === relation.id);
    if (move) centre(line || (relation.s !== null && nodes.get(data.entities[relation.s].id)));
    mark(`#r${at}`);
    const title = make("h2");
    title.append(thing(relation.s, relation.subject), ` ${relation.p} `, thing(relation.o, relation.value));
    const told = make("p", undefined, "hint");
    told.append(verdict(relation), `, confidence ${relation.confidence}, read by ${relation.by || "nobody"}`);
    chosen.replaceChildren(title, told);
    let first;
    relation.quotes.forEach(([start, end, words]) => {
      const quote = make("blockquote");
      quote.append(start < 0 ? make("bdi", words) : link(words, () => showInText(start, end)));
      chosen.append(quote);
      if (start < 0) return;
      const began = light(start, end, "lit");
      first = first || began;
    });
    chosen.scrollTop = 0;
    into(first);
  }

  function mark(selector) {
    const found = one(selector);
    if (found) found.classList.add("now");
  }

  // Choosing, by mouse and by keyboard.
  function chooses(part, words, act) {
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "button");
    if (words) part.setAttribute("aria-label", words);
    part.addEventListener("click", act);
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act(event);
    });
  }

  picture.setAttribute("role", "group");
  nodes.forEach((node, id) => {
    const number = entityNumber.get(id);
    const entity = data.entities[number];
    chooses(node, `${entity.name}, ${entity.kinds.join(", ")}`, () => {
      showEntity(number, false);
      const [first] = entity.mentions;
      if (first) into(marks[firstAt(first[0])]);
    });
  });
  const reached = new Set();
  lines.forEach((line) => {
    const at = relationNumber.get(line.dataset.relation);
    const relation = data.relations[at];
    if (reached.has(at)) {
      line.addEventListener("click", () => showRelation(at, false));
      return;
    }
    reached.add(at);
    chooses(line, `${relation.subject} ${relation.p} ${relation.value}`, () => showRelation(at, false));
  });
  // The first mention of each entity can be reached by tab; the pane leads to the others.
  const met = new Set();
  marks.forEach((part) => {
    if (part.dataset.e === undefined) {
      part.addEventListener("click", () => showRelation(Number(part.dataset.r.split(" ")[0]), true));
      return;
    }
    const number = Number(part.dataset.e.split(" ")[0]);
    if (met.has(number)) part.addEventListener("click", () => showEntity(number, true));
    else chooses(part, "", () => showEntity(number, true));
    met.add(number);
  });
  all("section a[data-entity], section a[data-relation]").forEach((anchor) => {
    anchor.addEventListener("click", (event) => {
      event.preventDefault();
      one("main").scrollIntoView({ block: "start" });
      if (anchor.dataset.relation !== undefined) { showRelation(Number(anchor.dataset.relation), true); return; }
      const number = Number(anchor.dataset.entity);
      showEntity(number, true);
      const from = anchor.dataset.at;
      const place = data.entities[number].mentions.find(([start]) => from === undefined || start === Number(from));
      if (place) showInText(place[0], place[1]);
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    darken();
    chosen.replaceChildren(make("p", "Choose an entity or a relation.", "hint"));
  });

  // Filtering.
  const folded = (words) => words.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const names = data.entities.map((entity) => folded(`${entity.name} ${entity.kinds.join(" ")}`));
  const said = data.relations.map((relation) => folded(`${relation.p} ${relation.o === null ? relation.value : ""}`));
  const rows = { entity: all("#entities tr[data-entity]"), relation: all("#relations tr[data-relation]") };
  one("#filter").addEventListener("input", (event) => {
    const wanted = folded(event.target.value.trim());
    const fits = names.map((name) => name.includes(wanted));
    const holds = data.relations.map((relation, at) => fits[relation.s] || fits[relation.o] || said[at].includes(wanted));
    darken();
    rows.entity.forEach((each) => { each.hidden = !fits[Number(each.dataset.entity)]; });
    rows.relation.forEach((each) => { each.hidden = !holds[Number(each.dataset.relation)]; });
    marks.forEach((part) => part.classList.toggle("off", part.dataset.e !== undefined && !part.dataset.e.split(" ").some((at) => fits[at])));
    if (wanted) {
      nodes.forEach((node, id) => node.classList.toggle("away", !fits[entityNumber.get(id)]));
      lines.forEach((line) => line.classList.toggle("away", !holds[relationNumber.get(line.dataset.relation)]));
    }
    const count = fits.filter(Boolean).length;
    one("#matches").textContent = wanted ? `${count} of ${fits.length} entities` : "";
  });
  one("form").addEventListener("submit", (event) => event.preventDefault());

  // Zooming: the picture gets wider, its pane scrolls.
  const wide = picture.viewBox.baseVal.width;
  const high = picture.viewBox.baseVal.height;
  const scale = () => picture.getBoundingClientRect().width / wide;
  function zoom(factor) {
    const middle = [
      (canvas.scrollLeft + canvas.clientWidth / 2) / canvas.scrollWidth,
      (canvas.scrollTop + canvas.clientHeight / 2) / canvas.scrollHeight,
    ];
    picture.style.width = `${Math.round(wide * Math.min(3, Math.max(0.1, factor)))}px`;
    canvas.scrollLeft = middle[0] * canvas.scrollWidth - canvas.clientWidth / 2;
    canvas.scrollTop = middle[1] * canvas.scrollHeight - canvas.clientHeight / 2;
  }
  const fitting = () => Math.min(1.4, canvas.clientWidth / wide, canvas.clientHeight / high);
  // Until somebody zooms, all of the picture is shown, unless nothing could be made out in it.
  let touched = false;
  const settle = () => { if (!touched) zoom(Math.max(fitting(), canvas.clientWidth < 600 ? 0.42 : 0.26)); };
  one("#in").addEventListener("click", () => { touched = true; zoom(scale() * 1.3); });
  one("#out").addEventListener("click", () => { touched = true; zoom(scale() / 1.3); });
  one("#fit").addEventListener("click", () => { touched = false; zoom(fitting()); });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    touched = true;
    zoom(scale() * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  new ResizeObserver(settle).observe(canvas);
  settle();
  addEventListener("beforeprint", () => all("details").forEach((part) => { part.open = true; }));
})();
