// Parts of which scripts make pages. All text enters a page as text.
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
