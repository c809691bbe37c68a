// Probabilities of the choices, and the gates.

import { make, percent } from "./element.js";

function bar(label, share, { taken = false, shown = "" } = {}) {
  const fill = make("span", { className: "fill" });
  fill.style.setProperty("--share", Math.max(0, Math.min(1, share)).toFixed(4));
  const row = make("li", { className: taken ? "bar taken" : "bar" });
  const track = make("span", { className: "track" }, fill);
  track.setAttribute("aria-hidden", "true");
  row.append(make("span", { className: "label", textContent: label }), track);
  if (shown) row.append(make("span", { className: "share", textContent: shown }));
  return row;
}

export function actionLabel({ action, operand }, operands, words) {
  const label = words.actions[action];
  return typeof label === "function" ? label(operands[operand].symbol) : label;
}

export function showChoices(place, step, operands, words) {
  place.replaceChildren(
    ...step.choices.map((choice) => {
      const taken = choice.action === step.action && choice.operand === step.operand;
      return bar(actionLabel(choice, operands, words), choice.probability, { taken, shown: percent(choice.probability) });
    }),
  );
}

// Three sigmoid gates each for the choice of the action and of the operand: 0 shut, 1 open.
export function showGates(place, step, words) {
  const groups = [step.gates.action, step.gates.operand].map((gates, group) => {
    const rows = gates.map((gate, index) => bar(words.gateNames[index], gate));
    rows.forEach((row, index) => row.setAttribute("aria-label", `${words.gateNames[index]} ${percent(gates[index])}`));
    const box = make("div", {}, make("h4", { textContent: words.gateGroups[group] }), make("ul", { className: "bars" }, ...rows));
    box.classList.toggle("unused", group === 1 && step.action !== "push");
    return box;
  });
  place.replaceChildren(...groups);
}
