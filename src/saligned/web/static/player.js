// The step player: a position in the trace, the controls that change it, and everything that is drawn from it.

import { showChoices, showGates } from "./bars.js";
import { cutter } from "./element.js";
import { Reading } from "./reading.js";
import { Stack } from "./stack.js";

const PACE = 1500; // milliseconds a step when playing
const WORDS_SHOWN = 4;

export class Player {
  constructor() {
    this.at = (id) => document.getElementById(id);
    this.reading = new Reading(this.at("reading"));
    this.stack = new Stack(this.at("stack"));
    this.steps = [];
    this.step = 0;
    this.timer = null;
    this.at("back").onclick = () => this.walk(-1);
    this.at("forward").onclick = () => this.walk(1);
    this.at("play").onclick = () => (this.timer ? this.pause() : this.play());
    this.at("scrubber").oninput = (event) => this.leap(Number(event.target.value) - 1);
    let width = 0;
    new ResizeObserver(([entry]) => {
      if (Math.abs(entry.contentRect.width - width) < 1) return;
      width = entry.contentRect.width;
      this.reserve();
    }).observe(this.at("theatre"));
  }

  // Show a trace from its first step, or from where the same program stood (the language was switched).
  load(trace, words) {
    const same = this.trace && this.trace.text === trace.text && this.trace.model === trace.model;
    this.pause();
    this.trace = trace;
    this.words = words;
    this.steps = trace.steps;
    this.scenes = scenes(trace);
    this.step = same ? Math.min(this.step, Math.max(0, this.steps.length - 1)) : 0;
    this.reading.load(trace);
    this.at("theatre").hidden = !this.steps.length;
    this.at("scrubber").max = Math.max(1, this.steps.length);
    this.label();
    this.reserve();
  }

  // Steps need different room; what the largest needs is kept for all, so that nothing moves when stepping.
  reserve() {
    if (!this.steps.length || this.at("theatre").hidden) return;
    const places = ["stack", "choices", "caption", "gates"].map(this.at);
    const most = places.map(() => 0);
    for (const place of places) place.style.minHeight = "";
    this.stack.clear();
    this.steps.forEach((_, index) => {
      this.draw(index, false);
      places.forEach((place, each) => (most[each] = Math.max(most[each], place.getBoundingClientRect().height)));
    });
    places.forEach((place, each) => (place.style.minHeight = `${Math.ceil(most[each])}px`));
    this.draw(this.step, false);
  }

  draw(index, animate) {
    const step = this.steps[index];
    const { operands } = this.trace;
    const quantity = step.operand === null ? null : operands[step.operand].quantity;
    const caption = this.words.captions[step.action];
    this.at("caption").textContent = typeof caption === "function" ? caption(operands[step.operand].symbol) : caption;
    this.at("scrubber").value = index + 1;
    const position = this.words.position(index + 1, this.steps.length);
    this.at("position").textContent = position;
    this.at("scrubber").setAttribute("aria-valuetext", `${position} ${this.at("caption").textContent}`);
    this.at("back").disabled = index === 0;
    this.at("forward").disabled = index === this.steps.length - 1;
    this.reading.light(step.attention, quantity);
    this.stack.show(this.scenes[index], this.words, { animate, origin: this.reading.quantities[quantity] });
    showChoices(this.at("choices"), step, operands, this.words);
    showGates(this.at("gates"), step, this.words);
  }

  go(index) {
    if (!this.steps.length) return;
    const next = Math.min(this.steps.length - 1, Math.max(0, index));
    if (next === this.step) return;
    const focus = document.activeElement;
    this.step = next;
    this.draw(next, true);
    // A button that is disabled at the end would lose the focus, and the keyboard its place.
    if (focus instanceof HTMLButtonElement && focus.disabled) this.at("scrubber").focus();
  }

  walk(by) {
    this.pause();
    this.go(this.step + by);
  }

  leap(index) {
    this.pause();
    this.go(index);
  }

  play() {
    if (this.step === this.steps.length - 1) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.step + 1);
      if (this.step === this.steps.length - 1) this.pause();
    }, PACE);
    this.label();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.words) this.label();
  }

  label() {
    const button = this.at("play");
    const name = this.words[this.timer ? "pause" : "play"];
    button.classList.toggle("playing", Boolean(this.timer));
    button.setAttribute("aria-label", name);
    button.title = name;
  }
}

// What lies on the stack after each step, above the equations that are complete by then.
function scenes(trace) {
  const quote = quoter(trace);
  const equations = [];
  return trace.steps.map((step, index) => {
    if (step.equation) {
      const parts = step.stack_before.slice(-2).map((element) => element.id);
      equations.push({ ...step.equation, id: `equation ${index}`, from: parts, value: null, finished: true });
    }
    return [...equations, ...step.stack_after.map((element) => ({ ...element, quoted: quote(element.words) }))];
  });
}

// The words of an element in the order of the text, neighbours joined, without punctuation.
function quoter(trace) {
  const cut = cutter(trace.text);
  return (words) => {
    const joined = [];
    const spans = words
      .map(({ token }) => trace.tokens[token])
      .filter(({ start, end }) => /[\p{L}\p{N}]/u.test(cut(start, end)))
      .slice(0, WORDS_SHOWN)
      .sort((a, b) => a.start - b.start);
    for (const { start, end } of spans) {
      const last = joined.at(-1);
      if (last && last.end === start) last.end = end;
      else joined.push({ start, end });
    }
    return joined.map(({ start, end }) => cut(start, end));
  };
}
