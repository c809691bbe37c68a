// The stack as blocks that move: a block keeps its element while it lives, and moves from where it was to where it is.

import { make, math } from "./element.js";

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const MOTION = { duration: 450, easing: "cubic-bezier(.3,.8,.3,1)" };

export class Stack {
  constructor(place) {
    this.place = place;
    this.blocks = new Map(); // id → {node, element}
  }

  clear() {
    this.blocks.clear();
    this.place.replaceChildren();
  }

  // `elements` from bottom to top; `origin` is the node in the text that a new block comes from.
  show(elements, words, { animate = false, origin = null } = {}) {
    const before = this.blocks;
    const moving = animate && !CALM.matches;
    const from = moving ? new Map([...before].map(([id, { node }]) => [id, node.getBoundingClientRect()])) : null;
    this.blocks = new Map(elements.map((element) => [element.id, before.get(element.id) ?? { element, node: block(element, words) }]));
    const nodes = [...this.blocks.values()].map(({ node }) => node);
    this.place.replaceChildren(...(nodes.length ? nodes : [make("li", { className: "nothing", textContent: words.nothing })]));
    if (moving) this.move(before, from, origin);
  }

  move(before, from, origin) {
    const gone = [...before].filter(([id]) => !this.blocks.has(id));
    for (const [id, { node, element }] of this.blocks) {
      const source = from.get(id) ?? this.source(id, element, from, gone, origin);
      if (source) glide(node, source, from.has(id));
      else node.animate({ opacity: [0, 1], transform: ["translateY(-1rem)", "none"] }, MOTION);
    }
    for (const [id, { node }] of gone) this.vanish(id, node, from.get(id));
  }

  // Where a new block comes from: its parts, the block it was part of (stepping back), or its place in the text.
  source(id, element, from, gone, origin) {
    const whole = gone.find(([, old]) => old.element.from.includes(id));
    if (whole) return from.get(whole[0]);
    const part = element.from.find((each) => from.has(each));
    if (part !== undefined) return from.get(part);
    return origin?.getBoundingClientRect();
  }

  // A block that was used up slides into the one that was made of it.
  vanish(id, node, old) {
    const heir = [...this.blocks.values()].find(({ element }) => element.from.includes(id));
    const frame = this.place.getBoundingClientRect();
    const ghost = node.cloneNode(true);
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    Object.assign(ghost.style, { left: `${old.left - frame.left}px`, top: `${old.top - frame.top}px`, width: `${old.width}px` });
    this.place.append(ghost);
    const shift = heir ? heir.node.getBoundingClientRect().top - old.top : -16;
    const motion = ghost.animate({ opacity: [1, 0], transform: ["none", `translateY(${shift}px)`] }, MOTION);
    motion.onfinish = motion.oncancel = () => ghost.remove();
  }
}

function glide(node, source, whole) {
  const target = node.getBoundingClientRect();
  const x = source.left + source.width / 2 - target.left - target.width / 2;
  const y = source.top + source.height / 2 - target.top - target.height / 2;
  const scale = whole ? "" : ` scale(${Math.min(1, Math.max(0.2, source.width / target.width)).toFixed(3)})`;
  node.animate({ transform: [`translate(${x}px, ${y}px)${scale}`, "none"], opacity: [whole ? 1 : 0.3, 1] }, MOTION);
}

function block(element, words) {
  const symbol = make("div", { className: "symbol" }, math(element.mathml));
  if (element.from.length && element.value !== null && !element.finished) {
    symbol.append(make("span", { className: "value", textContent: ` = ${element.value.replace("-", "−")}` }));
  }
  const node = make("li", { className: element.finished ? "block finished" : "block" }, symbol);
  if (element.quoted?.length) node.append(make("span", { className: "words", textContent: element.quoted.join(" · ") }));
  return node;
}
