"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const canvas = one(".canvas");
  const chosen = one("#chosen");
  const marks = all(".text [data-a]");
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

  // The picture: an entity has the id e and its number, a relation r and its number.
  function elements() {
    const found = [];
    data.entities.forEach((entity, at) => {
      if (entity.drawn) found.push({ data: { id: `e${at}`, label: entity.label, kind: entity.colour } });
    });
    data.relations.forEach((relation, at) => {
      if (!relation.drawn) return;
      const ends = { source: `e${relation.s}`, target: `e${relation.o}` };
      found.push({ data: { id: `r${at}`, label: relation.label, ...ends }, classes: relation.verdict });
    });
    data.same.forEach(([a, b]) => {
      found.push({ data: { id: `s${a}-${b}`, label: "", source: `e${a}`, target: `e${b}` }, classes: "same" });
    });
    return found;
  }

  // The colours are those of the page, so that light and dark have one place.
  function look() {
    const page = getComputedStyle(document.documentElement);
    const [ink, soft, ground, way, focus] = ["ink", "soft", "ground", "way", "focus"]
      .map((name) => page.getPropertyValue(`--${name}`).trim());
    const outline = { "text-outline-color": ground, "text-outline-width": 2, "min-zoomed-font-size": 4 };
    // What many relations lead to can be read from afar.
    const size = (each) => 24 + 2 * Math.min(14, each.degree());
    const kinds = all(".legend [data-colour]").map((chip) => {
      const colour = getComputedStyle(chip).borderTopColor;
      return { selector: `node[kind = ${chip.dataset.colour}]`, style: { "background-color": colour, "border-color": colour } };
    });
    return [
      { selector: "node", style: {
        label: "data(label)", width: size, height: size, "background-opacity": 0.25, "border-width": 2, color: ink,
        "font-size": (each) => size(each) / 2, "font-weight": 600, "font-family": page.fontFamily, "text-valign": "bottom",
        "text-margin-y": 3, "text-wrap": "wrap", "text-max-width": 110, ...outline } },
      ...kinds,
      { selector: "edge", style: {
        label: "data(label)", width: 1.5, "curve-style": "bezier", "control-point-step-size": 46,
        "line-color": way, "target-arrow-color": way, "target-arrow-shape": "triangle", color: soft,
        "font-size": 10, "font-family": page.fontFamily, "text-rotation": "autorotate",
        "text-wrap": "wrap", "text-max-width": 110, ...outline } },
      { selector: ".unverified", style: { "line-style": "dashed", "font-style": "italic" } },
      { selector: ".same", style: { "line-style": "dotted", "target-arrow-shape": "none" } },
      { selector: ".away", style: { opacity: 0.16 } },
      { selector: "node.now", style: { "border-width": 5 } },
      { selector: "edge.now", style: { width: 3, "line-color": focus, "target-arrow-color": focus } },
    ];
  }

  // The layout starts from the same places each time, so that a graph always looks the same.
  // The best-connected entities start in the middle of a spiral.
  function arrange(cy) {
    cy.nodes().sort((a, b) => b.degree() - a.degree()).forEach((node, at) => {
      node.position({ x: 120 * Math.sqrt(at) * Math.cos(2.4 * at), y: 70 * Math.sqrt(at) * Math.sin(2.4 * at) });
    });
    cy.layout({
      name: "cose", randomize: false, animate: false, nodeDimensionsIncludeLabels: true, padding: 40,
      idealEdgeLength: () => 70, nodeRepulsion: () => 24000, nodeOverlap: 24, gravity: 1, componentSpacing: 60,
    }).run();
  }

  const cy = cytoscape({ container: canvas, elements: elements(), style: look(), minZoom: 0.1, maxZoom: 3 });
  arrange(cy);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cy.style(look()));
  new MutationObserver(() => cy.style(look())).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const node = (number) => cy.getElementById(`e${number}`);
  const edge = (at) => cy.getElementById(`r${at}`);

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
    all(".lit, .own, .now").forEach((part) => part.classList.remove("lit", "own", "now"));
    cy.elements().removeClass("now away");
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

  function centre(part) {
    if (part.empty()) return;
    const view = { center: { eles: part }, zoom: Math.max(cy.zoom(), 0.8) };
    cy.stop().animate(view, { duration: calm ? 0 : 250 });
  }

  function showInText(start, end) {
    into(light(start, end, "lit"), true);
  }

  function keepBright(entities, relations) {
    const bright = cy.collection([...entities].map(node)).union(cy.collection([...relations].map(edge)));
    cy.elements().difference(bright).addClass("away");
    bright.edges().addClass("now");
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
    node(number).addClass("now");
    if (move) centre(node(number));
    mark(`#e${number}`);
    const kinds = make("p");
    kinds.className = "hint";
    entity.kinds.forEach((kind) => kinds.append(make("span", kind, `chip k${entity.colour}`)));
    if (!entity.drawn) kinds.append("not drawn");
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
    if (move) centre(relation.drawn ? edge(at) : node(relation.s));
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
      if (chosen.dataset.evidence) {
        const source = make("a", "open in the document");
        source.href = `${chosen.dataset.evidence}?quote=${start}-${end}`;
        quote.append(" ", source);
      }
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

  cy.on("tap", "node", (event) => {
    const number = Number(event.target.id().slice(1));
    showEntity(number, false);
    const [first] = data.entities[number].mentions;
    if (first) into(marks[firstAt(first[0])]);
  });
  cy.on("tap", "edge[id ^= 'r']", (event) => showRelation(Number(event.target.id().slice(1)), false));
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
      keepBright(
        fits.flatMap((fit, at) => (fit ? [at] : [])),
        holds.flatMap((hold, at) => (hold ? [at] : [])),
      );
    }
    const count = fits.filter(Boolean).length;
    one("#matches").textContent = wanted ? `${count} of ${fits.length} entities` : "";
  });
  one("#filter").form.addEventListener("submit", (event) => event.preventDefault());

  // Until somebody moves or zooms it, all of the picture is shown, whatever the size of its pane.
  let touched = false;
  const middle = () => ({ x: cy.width() / 2, y: cy.height() / 2 });
  const zoom = (factor) => { touched = true; cy.zoom({ level: cy.zoom() * factor, renderedPosition: middle() }); };
  const fit = () => { touched = false; cy.fit(undefined, 40); };
  one("#in").addEventListener("click", () => zoom(1.3));
  one("#out").addEventListener("click", () => zoom(1 / 1.3));
  one("#fit").addEventListener("click", fit);
  cy.on("dragpan pinchzoom scrollzoom", () => { touched = true; });
  new ResizeObserver(() => { cy.resize(); if (!touched) fit(); }).observe(canvas);
  addEventListener("beforeprint", () => all("details").forEach((part) => { part.open = true; }));
})();
