// Tables that sort by a column, terms that show their definition, and commands that can be copied.
(() => {
  // A number in a cell, without the marks for thousands; else its text.
  const value = (cell) => {
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number.parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
    rows.sort(([a], [b]) => (a === "" || b === "" ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      // A term within keeps its own link.
      if (heading.querySelector("a")) button.setAttribute("aria-label", `Sort by ${heading.textContent.trim()}`);
      else button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, column));
    });
  }

  // The definition stands at the end of the page; beside the term it is one click away.
  const definition = by("definition");
  document.addEventListener("click", (event) => {
    const term = event.target.closest("a.term");
    const entry = term && by(term.getAttribute("href").slice(1));
    if (!entry || !definition.showPopover) return;
    event.preventDefault();
    definition.replaceChildren(...entry.cloneNode(true).childNodes);
    definition.showPopover();
    const place = term.getBoundingClientRect();
    const left = Math.min(place.left, innerWidth - definition.offsetWidth - 8);
    const below = place.bottom + 6;
    const fits = below + definition.offsetHeight < innerHeight;
    definition.style.left = `${Math.max(8, left)}px`;
    definition.style.top = `${fits ? below : Math.max(8, place.top - definition.offsetHeight - 6)}px`;
  });
  addEventListener("scroll", () => definition.hidePopover?.(), { passive: true });

  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // No clipboard without a secure context: the old way still works on a selection.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
  };
  // A button for each command is made when its part of the page is opened, so that the page stays light.
  document.addEventListener("toggle", (event) => {
    if (!(event.target instanceof HTMLDetailsElement) || !event.target.open) return;
    for (const line of event.target.querySelectorAll(".cmd:not(:has(button))")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy the command");
      line.append(button);
    }
  }, true);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".cmd button");
    if (!button) return;
    await copy(button.previousElementSibling);
    by("said").textContent = "Copied";
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; by("said").textContent = ""; }, 1500);
  });
})();
