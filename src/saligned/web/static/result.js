// The answer, its equation, the explanation, and the other ideas.

import { make, math, percent } from "./element.js";

const at = (id) => document.getElementById(id);
const NAMES = ["x", "y", "z", "u", "v", "w"];
const LONG = 12;

export function showResult(solution, words) {
  const { trace } = solution;
  const solved = solution.status === "solved";
  const answer = at("answer");
  const text = solved ? answerText(solution) : words.noAnswer;
  answer.textContent = text;
  answer.className = `number${solved ? "" : " failed"}${text.length > LONG ? " long" : ""}`;
  at("equations").replaceChildren(...trace.equations.map(({ mathml }) => make("div", {}, math(mathml))));
  at("confidence").textContent = words.sure(percent(solution.confidence));
  at("confidence").parentElement.hidden = !solved;
  at("confidence").parentElement.querySelector(".fill").style.setProperty("--share", solution.confidence);
  at("explanation").replaceChildren(...solution.explanation.map((textContent) => make("li", { textContent })));
  at("player").hidden = !trace.tokens.length;
  showAlternatives(trace.alternatives, words);
}

function answerText({ answer, answer_in_words: inWords }) {
  return inWords ?? plain(answer);
}

function plain(answer) {
  const text = Array.isArray(answer) ? answer.map((each, index) => `${NAMES[index]} = ${each}`).join(", ") : answer;
  return text.replaceAll("-", "−");
}

function showAlternatives(alternatives, words) {
  at("others").hidden = !alternatives.length;
  at("alternatives").replaceChildren(
    ...alternatives.map(({ mathml, answer, reason, probability }) => {
      const outcome = make("span", { className: "outcome" });
      outcome.append(answer === null ? words.reason(reason) : make("b", { textContent: plain(answer) }));
      return make(
        "li",
        {},
        make("div", { className: "equations" }, ...mathml.map((source) => make("div", {}, math(source)))),
        make("span", { className: "share", textContent: percent(probability) }),
        outcome,
      );
    }),
  );
}
