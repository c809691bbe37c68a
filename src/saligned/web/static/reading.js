// The problem's text: quantities marked, the words of the current step lit.

import { cutter, make } from "./element.js";

export class Reading {
  constructor(place) {
    this.place = place;
    this.spans = [];
    this.quantities = [];
  }

  // Every token becomes a span; what stands between tokens stays plain text.
  load(trace) {
    const cut = cutter(trace.text);
    let end = 0;
    this.spans = [];
    this.place.replaceChildren();
    for (const token of trace.tokens) {
      const span = make("span", { textContent: cut(token.start, token.end) });
      this.place.append(cut(end, token.start), span);
      this.spans.push(span);
      end = token.end;
    }
    this.place.append(cut(end));
    this.quantities = trace.quantities.map((quantity) => this.spans[quantity.token]);
    for (const span of this.quantities) span.classList.add("quantity");
  }

  light(attention, chosen) {
    const most = Math.max(...attention, 1e-9);
    // Even attention means that no word stands out: then none is lit strongly.
    const scale = Math.min(1, most * 4) / most;
    this.spans.forEach((span, index) => span.style.setProperty("--lit", (attention[index] * scale).toFixed(3)));
    this.quantities.forEach((span, index) => span.classList.toggle("chosen", index === chosen));
  }
}
