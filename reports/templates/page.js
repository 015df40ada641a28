"use strict";
(() => {
  const groups = [...document.querySelectorAll(".group")];
  const text = by("failure-text");
  if (text) {
    const kind = by("failure-kind");
    const cases = groups.map((group) => {
      const reason = group.querySelector(".reason").textContent;
      return [...group.querySelectorAll(".cases > li")]
        .map((item) => [item, `${reason} ${item.textContent}`.toLowerCase()]);
    });
    const narrow = () => {
      const wanted = words(text);
      let found = 0;
      groups.forEach((group, index) => {
        let shown = 0;
        for (const [item, content] of cases[index]) {
          item.hidden = !wanted.every((word) => has(content, word));
          if (!item.hidden) shown += 1;
        }
        group.hidden = shown === 0 || (kind.value !== "" && group.dataset.kind !== kind.value);
        group.querySelector("summary .count").textContent =
          shown === cases[index].length ? shown.toLocaleString("en") : `${shown} of ${cases[index].length}`;
        if (!group.hidden) found += shown;
      });
      for (const holder of document.querySelectorAll(".fold, .backend")) {
        holder.hidden = !holder.querySelector(".group:not([hidden])");
      }
      const narrowed = wanted.length > 0 || kind.value !== "";
      by("failure-found").textContent = narrowed ? `${found.toLocaleString("en")} found` : "";
    };
    text.addEventListener("input", later(narrow));
    kind.addEventListener("change", narrow);
    const setOpen = (open) => {
      for (const holder of document.querySelectorAll(".fold")) holder.open = open;
      for (const group of groups) if (!group.hidden) group.open = open;
    };
    by("failure-open").addEventListener("click", () => setOpen(true));
    by("failure-close").addEventListener("click", () => setOpen(false));
    by("operators").addEventListener("click", (event) => {
      const link = event.target.closest("[data-find]");
      if (!link) return;
      text.value = link.dataset.find;
      kind.value = "";
      narrow();
      setOpen(true);
      text.focus({ preventScroll: true });
    });
  }

  const operator = by("operator-text");
  if (operator) {
    const state = by("operator-state");
    const bodies = [...document.querySelectorAll("#operators tbody")]
      .map((body) => [body, body.querySelector("th").textContent.toLowerCase()]);
    const wantedState = { "": () => true, bad: (s) => s === "bad", gap: (s) => s !== "full" && s !== "empty" };
    const choose = () => {
      const wanted = words(operator);
      let found = 0;
      for (const [body, name] of bodies) {
        body.hidden = !wanted.every((word) => has(name, word)) || !wantedState[state.value](body.dataset.state);
        if (!body.hidden) found += 1;
      }
      by("operator-found").textContent = found === bodies.length ? "" : `${found} of ${bodies.length} operators`;
    };
    operator.addEventListener("input", later(choose));
    state.addEventListener("change", choose);
  }

  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // No clipboard without a secure context: the old way still works on a selection.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
  };
  // A button for each command is made when its group is first opened, so that the page stays light.
  for (const group of groups) {
    group.addEventListener("toggle", () => {
      for (const line of group.querySelectorAll(".cmd:not(:has(button))")) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "Copy";
        button.setAttribute("aria-label", `Copy the command for ${line.parentElement.querySelector(".id").firstChild.textContent.trim()}`);
        line.append(button);
      }
    });
    group.addEventListener("click", async (event) => {
      const button = event.target.closest(".cmd button");
      if (!button) return;
      await copy(button.previousElementSibling);
      by("said").textContent = "Copied";
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; by("said").textContent = ""; }, 1500);
    });
  }
})();
