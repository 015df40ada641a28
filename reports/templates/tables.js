// Sorting of tables by column, definitions of terms, and copying of commands.
(() => {
  // A number in a cell, without thousands separators; otherwise its text.
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
      // A term in the header keeps its own link.
      if (heading.querySelector("a")) button.setAttribute("aria-label", `Sort by ${heading.textContent.trim()}`);
      else button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, column));
    });
  }

  // The definitions are at the end of the page; a click shows one beside the term.
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
      // Without a secure context there is no clipboard API: the old command works on a selection.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
  };
  // The button of a command is created when its part of the page is opened, so that the page stays small.
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
