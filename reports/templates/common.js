"use strict";
// Functions of every page of a report: the choice of theme, and search by words.
const root = document.documentElement;
const by = (id) => document.getElementById(id);
root.classList.add("scripted");

// Some pages that are opened from a file have no storage: the choice then lasts as long as the page.
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
// A number at the end of a word must match completely: Softmax-1 does not find Softmax-13.
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
