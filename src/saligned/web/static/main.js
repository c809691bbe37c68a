// The page: what is asked, in which words, and the address that brings it back.

import { ask, keepKey } from "./api.js";
import { make } from "./element.js";
import { Player } from "./player.js";
import { showResult } from "./result.js";
import { speak, WORDS } from "./words.js";

const at = (id) => document.getElementById(id);
const player = new Player();
const state = { language: "zh", model: "", solution: null };
let pending = null;

function readAddress() {
  const query = new URLSearchParams(location.search);
  const own = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  state.language = query.get("lang") in WORDS ? query.get("lang") : own;
  state.model = query.get("model") ?? ""; // the one that fits the problem
  return query.get("q") ?? "";
}

function writeAddress(text) {
  const query = new URLSearchParams({ q: text, lang: state.language });
  if (state.model) query.set("model", state.model);
  const address = `?${query}`;
  if (address !== location.search) history.pushState(null, "", address);
  document.title = `${text.slice(0, 40)} – saligned`;
}

function showSwitches() {
  speak(state.language);
  document.querySelector(`[name=language][value=${state.language}]`).checked = true;
  at("model").value = state.model;
}

// The field is as tall as its text: a problem that is cut off cannot be checked.
function fit() {
  const field = at("problem");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

async function solve() {
  fit();
  const text = at("problem").value.trim();
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  at("result").setAttribute("aria-busy", "true");
  try {
    const request = { text, trace: true, language: state.language, model: state.model || null };
    const solution = await ask("/api/solve", request, signal);
    writeAddress(text);
    show(solution);
  } catch (error) {
    if (!signal.aborted) complain(error);
  } finally {
    if (!signal.aborted) at("result").removeAttribute("aria-busy");
  }
}

function show(solution) {
  state.solution = solution;
  at("fault").replaceChildren();
  at("unlock").hidden = true;
  at("examples").open = false;
  at("result").hidden = false;
  showResult(solution, WORDS[state.language]);
  player.load(solution.trace, WORDS[state.language]);
}

function complain(error) {
  const words = WORDS[state.language];
  const own = words.faults[error.code];
  const message = own ?? (error.code ? error.message : words.unreachable);
  const hint = error.code ? error.hint : words.unreachableHint;
  at("fault").replaceChildren(message);
  if (!own) at("fault").append(make("span", { textContent: hint }));
  at("result").hidden = true;
  player.pause();
  if (error.status === 401) {
    at("unlock").hidden = false;
    at("key").focus();
  }
}

async function loadLists() {
  const [{ models }, { examples }] = await Promise.all([ask("/api/models"), ask("/api/examples")]);
  const options = models.map(({ name, description }) => make("option", { value: name, textContent: name, title: description ?? "" }));
  at("model").replaceChildren(at("model").options[0], ...options);
  at("examples").querySelector("ul").replaceChildren(
    ...examples.map((text) => {
      const button = make("button", { type: "button", textContent: text });
      button.onclick = () => {
        at("problem").value = text;
        solve();
        at("problem").focus();
        scrollTo({ top: 0 });
      };
      return make("li", {}, button);
    }),
  );
}

function restore() {
  const text = readAddress();
  showSwitches();
  at("problem").value = text;
  fit();
  if (text) solve();
  else at("result").hidden = true;
}

async function begin() {
  readAddress();
  showSwitches();
  try {
    await loadLists();
  } catch (error) {
    complain(error);
    return;
  }
  at("fault").replaceChildren();
  at("unlock").hidden = true;
  restore();
  document.documentElement.dataset.ready = "true";
}

at("ask").onsubmit = (event) => {
  event.preventDefault();
  solve();
};
at("problem").oninput = fit;
addEventListener("resize", fit);
at("problem").onkeydown = (event) => {
  // Enter that confirms a Chinese input method's suggestion is not meant for us.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  solve();
};
at("unlock").onsubmit = (event) => {
  event.preventDefault();
  keepKey(at("key").value.trim());
  begin();
};
at("model").onchange = (event) => {
  state.model = event.target.value;
  if (at("problem").value.trim()) solve();
};
for (const choice of document.querySelectorAll("[name=language]")) {
  choice.onchange = () => {
    state.language = choice.value;
    showSwitches();
    if (state.solution && at("problem").value.trim()) solve();
  };
}
document.addEventListener("keydown", (event) => {
  const walks = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!walks || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  player.walk(walks);
});
addEventListener("popstate", restore);
begin();
