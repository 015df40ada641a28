// The page of a model as a graph: colours, zoom, search, and a node with its neighbours.
(() => {
  const { nodes, names, layers } = JSON.parse(by("data").textContent);
  const view = by("view");
  const parts = [...view.querySelectorAll(".part")];
  const boxes = new Map();
  for (const box of view.querySelectorAll(".n[id]")) boxes.set(Number(box.id.slice(1)), box);
  const partOf = (box) => parts.indexOf(box.ownerSVGElement);
  const makers = new Map();
  const readers = new Map();
  nodes.forEach(([, , , inputs, outputs], at) => {
    for (const name of outputs) makers.set(name, at);
    for (const name of inputs) readers.set(name, [...(readers.get(name) ?? []), at]);
  });
  const made = (tag, text) => { const one = document.createElement(tag); one.textContent = text; return one; };
  let layer = 0;
  let chosen = null;
  let shownPart = 0;
  let scale = 1;

  const shown = () => parts[shownPart];
  const size = (to) => {
    const svg = shown();
    if (!(svg instanceof SVGElement)) return;
    const { width, height } = svg.viewBox.baseVal;
    // The middle of the view stays where it is.
    const [x, y] = [(view.scrollLeft + view.clientWidth / 2) / scale, (view.scrollTop + view.clientHeight / 2) / scale];
    scale = Math.min(4, Math.max(0.02, to));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    view.scrollTo(x * scale - view.clientWidth / 2, y * scale - view.clientHeight / 2);
  };
  const fit = () => {
    const svg = shown();
    if (!(svg instanceof SVGElement)) return;
    const { width, height } = svg.viewBox.baseVal;
    size(Math.min(1, view.clientWidth / width, view.clientHeight / height));
  };
  const start = () => {
    const svg = shown();
    if (!(svg instanceof SVGElement)) return;
    const { width } = svg.viewBox.baseVal;
    size(Math.min(1, Math.max(0.35, view.clientWidth / width)));
    view.scrollTo((svg.clientWidth - view.clientWidth) / 2, 0);
  };
  const turn = (to) => {
    if (to === shownPart) return;
    shownPart = to;
    parts.forEach((part, at) => part.toggleAttribute("hidden", at !== to));
    if (by("part")) by("part").value = String(to);
    start();
  };

  const colour = () => {
    const { colours, about } = layers[layer] ?? { colours: [], about: "" };
    for (const [at, box] of boxes) {
      for (let number = 0; number <= 6; number += 1) box.classList.toggle(`c${number}`, colours[at] === number);
    }
    by("about").textContent = about;
  };

  const link = (at) => {
    const item = document.createElement("li");
    const button = made("button", `${nodes[at][1]} ${nodes[at][0]}`);
    button.type = "button";
    button.addEventListener("click", () => choose(at));
    item.append(button);
    return item;
  };
  const values = (title, list, others) => {
    if (list.length === 0) return [];
    const shown = document.createElement("ul");
    for (const name of list) {
      const item = made("li", names[name]);
      const inner = document.createElement("ul");
      inner.append(...others(name).slice(0, 50).map(link));
      item.append(inner);
      shown.append(item);
    }
    return [made("h3", title), shown];
  };
  const choose = (at) => {
    boxes.get(chosen)?.classList.remove("chosen");
    chosen = at;
    const box = boxes.get(at);
    const detail = by("detail");
    if (at === null) { detail.replaceChildren(); return; }
    const [name, operator, result, inputs, outputs] = nodes[at];
    detail.replaceChildren(made("h2", name || "no name"), made("p", `${operator}${result ? ` · ${result}` : ""}`),
      ...layers.flatMap(({ texts }, number) => (texts[at] ? [made("h3", by("layer").options[number].textContent), made("p", texts[at])] : [])),
      ...values("Reads", inputs, (value) => (makers.has(value) ? [makers.get(value)] : [])),
      ...values("Defines", outputs, (value) => readers.get(value) ?? []));
    if (!box) return;
    turn(partOf(box));
    box.classList.add("chosen");
    const { x, y, width, height } = box.firstElementChild.getBoundingClientRect();
    const frame = view.getBoundingClientRect();
    if (x < frame.x || y < frame.y || x + width > frame.right || y + height > frame.bottom) {
      view.scrollBy(x + width / 2 - frame.x - frame.width / 2, y + height / 2 - frame.y - frame.height / 2);
    }
  };

  // The neighbours of a node that have a box.
  const above = (at) => nodes[at][3].map((value) => makers.get(value)).filter((other) => boxes.has(other));
  const below = (at) => nodes[at][4].flatMap((value) => readers.get(value) ?? []).filter((other) => boxes.has(other));
  const beside = (at, step) => {
    const own = boxes.get(at)?.firstElementChild;
    if (!own) return null;
    const row = [...boxes].filter(([, box]) => box.ownerSVGElement === own.ownerSVGElement && box.firstElementChild.getAttribute("y") === own.getAttribute("y"));
    row.sort(([, a], [, b]) => a.firstElementChild.getAttribute("x") - b.firstElementChild.getAttribute("x"));
    return row[row.findIndex(([other]) => other === at) + step]?.[0] ?? null;
  };
  const first = () => [...boxes.keys()].find((at) => partOf(boxes.get(at)) === shownPart) ?? null;
  const KEYS = {
    ArrowUp: () => (chosen === null ? first() : above(chosen)[0]),
    ArrowDown: () => (chosen === null ? first() : below(chosen)[0]),
    ArrowLeft: () => (chosen === null ? first() : beside(chosen, -1)),
    ArrowRight: () => (chosen === null ? first() : beside(chosen, 1)),
  };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") size(scale * 1.25);
    else if (event.key === "-") size(scale / 1.25);
    else if (event.key === "0") fit();
    else if (event.key === "Escape") choose(null);
    else if (event.key in KEYS) {
      const to = KEYS[event.key]();
      if (to !== null && to !== undefined) choose(to);
    } else return;
    event.preventDefault();
  });
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    size(scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
  let drag = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0) drag = [event.clientX, event.clientY];
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    view.scrollBy(drag[0] - event.clientX, drag[1] - event.clientY);
    drag = [event.clientX, event.clientY];
  });
  addEventListener("pointerup", () => { drag = null; });
  view.addEventListener("click", (event) => {
    const box = event.target.closest?.(".n[id]");
    if (box) choose(Number(box.id.slice(1)));
  });

  const texts = nodes.map(([name, operator, result, inputs, outputs]) =>
    [name, operator, result, ...[...inputs, ...outputs].map((value) => names[value])].join(" ").toLowerCase());
  let hits = [];
  const find = () => {
    for (const at of hits) boxes.get(at)?.classList.remove("hit");
    const wanted = words(by("q"));
    hits = wanted.length === 0 ? [] : [...boxes.keys()].filter((at) => wanted.every((word) => texts[at].includes(word)));
    for (const at of hits) boxes.get(at).classList.add("hit");
    by("found").textContent = wanted.length === 0 ? "" : `${hits.length.toLocaleString("en")} of ${boxes.size.toLocaleString("en")} nodes`;
  };
  by("q").addEventListener("input", later(find));
  by("tools").addEventListener("submit", (event) => {
    event.preventDefault();
    find();
    if (hits.length > 0) choose(hits[(hits.indexOf(chosen) + 1) % hits.length]);
  });
  by("layer")?.addEventListener("change", () => { layer = Number(by("layer").value); colour(); });
  by("part")?.addEventListener("change", () => turn(Number(by("part").value)));
  by("in").addEventListener("click", () => size(scale * 1.25));
  by("out").addEventListener("click", () => size(scale / 1.25));
  by("fit").addEventListener("click", fit);
  start();
})();
