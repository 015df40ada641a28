"use strict";
// What every page of a report has: the choice of theme, and finding by words.
const root = document.documentElement;
const by = (id) => document.getElementById(id);
root.classList.add("scripted");

// Storage is refused to some pages that are opened from a file: the choice then lasts as long as the page.
const stored = (value) => {
  try {
    if (value === undefined) return localStorage.getItem("theme") || "";
    localStorage.setItem("theme", value);
  } catch { /* as above */ }
  return "";
};
const theme = by("theme");
const show = (choice) => {
  if (choice) root.dataset.theme = choice;
  else delete root.dataset.theme;
  theme.value = choice;
};
show(stored());
theme.addEventListener("change", () => { show(theme.value); stored(theme.value); });

const words = (input) => input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
// A number at a word's end is whole: Softmax-1 does not find Softmax-13.
const has = (content, word) => {
  for (let at = content.indexOf(word); at >= 0; at = content.indexOf(word, at + 1)) {
    if (!/\d$/.test(word) || !/\d/.test(content.charAt(at + word.length))) return true;
  }
  return false;
};
const later = (action) => {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(action, 120); };
};
