// Makes elements without HTML text, so that any name is shown literally.
export type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
}

export function clear(element: Element): void {
  element.replaceChildren();
}

export interface Column {
  title: string;
  number?: boolean; // aligned to the right
}

// Makes a plain table whose cells are text or elements.
export function table(caption: string, columns: Column[], rows: (string | Node)[][]): HTMLElement {
  const head = el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: c.number ? "number" : undefined }, c.title)));
  const body = rows.map((row) =>
    el("tr", {}, ...row.map((cell, i) =>
      el(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, class: columns[i]?.number ? "number" : undefined }, cell),
    )),
  );
  const made = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
  // Wide tables scroll by themselves, and the keyboard must be able to reach them for that.
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

// A table with the numbers of a plot, for readers who do not see the plot. It is made when it is opened.
export function numbers(caption: string, make: () => HTMLElement): HTMLDetailsElement {
  const details = el("details", { class: "numbers" }, el("summary", {}, caption));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(make());
  });
  return details;
}

// A list of facts, each with a term and a value.
export function facts(pairs: [string, string | Node][]): HTMLElement {
  return el("dl", { class: "facts" }, ...pairs.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}
