// Building the page. Text always goes in as text; the only markup that comes from the server is MathML.

export function make(tag, options = {}, ...children) {
  const element = Object.assign(document.createElement(tag), options);
  element.append(...children);
  return element;
}

// The server writes the MathML itself, from numbers and names; still, only what MathML needs gets in.
const ALLOWED = new Set(["math", "mrow", "mi", "mn", "mo", "mfrac", "msup", "msqrt", "mtext"]);

export function math(source) {
  const root = new DOMParser().parseFromString(source, "application/xml").documentElement;
  const clean = [root, ...root.querySelectorAll("*")].every((node) => ALLOWED.has(node.localName) && !hasAttributes(node));
  return clean ? document.importNode(root, true) : document.createTextNode(root.textContent);
}

function hasAttributes(node) {
  return [...node.attributes].some((attribute) => attribute.name !== "xmlns");
}

export function percent(share) {
  const value = share * 100;
  if (value > 0 && value < 1) return "<1%";
  return `${value > 99 && value < 100 ? ">99" : Math.round(value)}%`;
}

// Spans of the trace count characters as Python does; a JavaScript string counts UTF-16 units.
export function cutter(text) {
  const characters = Array.from(text);
  return (start, end) => characters.slice(start, end).join("");
}
