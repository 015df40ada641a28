// Functions that create parts of pages. All text is inserted as text.
const element = (name, kind, ...content) => {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.append(...content);
  return made;
};
// A command with a button that copies it.
const commandLine = (command, about) => {
  const copy = element("button", "", "Copy");
  copy.type = "button";
  copy.setAttribute("aria-label", `Copy the command ${about}`);
  return element("p", "cmd", element("code", "", command), copy);
};
// The address of the page that shows one case.
const caseLink = (id, ...content) => {
  const link = element("a", "id", ...(content.length > 0 ? content : [id]));
  link.href = `cases.html#${new URLSearchParams({ case: id })}`;
  return link;
};

// Tables, and the regions in which wide ones scroll.
const rowHead = (...content) => { const cell = element("th", "", ...content); cell.scope = "row"; return cell; };
const table = (kind, heads, rows) => {
  const head = element("tr", "", ...heads.map((text) => { const cell = element("th", "", text); cell.scope = "col"; return cell; }));
  return element("table", kind, element("thead", "", head), element("tbody", "", ...rows));
};
const scroll = (label, content) => {
  const made = element("div", "scroll", content);
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", label);
  return made;
};
const section = (title, ...content) => element("section", "", element("h3", "", title), ...content);

// Blocks of the page's data are compressed; a block is read when a part of it is shown.
const readBlock = (() => {
  const known = new Map();
  return (at) => {
    if (!known.has(at)) {
      const text = document.querySelectorAll(".block")[at].textContent.trim();
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      known.set(at, new Response(stream).json());
    }
    return known.get(at);
  };
})();
