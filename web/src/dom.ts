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

// A name that wraps where it must, but no earlier: the browser would otherwise break it at every letter in a full table.
export const label = (text: string): HTMLElement => el("span", { class: "label" }, text);

// Makes a plain table whose cells are text or elements.
export function table(caption: string, columns: Column[], rows: (string | Node)[][]): HTMLElement {
  const head = el("tr", {}, ...columns.map((c) => el("th", { scope: "col", class: c.number ? "number" : undefined }, c.title)));
  const body = rows.map((row) =>
    el("tr", {}, ...row.map((cell, i) =>
      el(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, class: columns[i]?.number ? "number" : undefined },
        i === 0 && typeof cell === "string" && !columns[i]?.number ? label(cell) : cell),
    )),
  );
  const made = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
  return scrolling(caption, made);
}

const kSlack = 4; // pixels
const watched = new WeakMap<Element, () => void>();
const resized = new ResizeObserver((entries) => entries.forEach((entry) => watched.get(entry.target)?.()));

// Wide tables scroll by themselves, and a line says so while they do. The keyboard must be able to reach them for that.
export function scrolling(name: string, made: HTMLElement): HTMLElement {
  const box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, made);
  const hint = el("p", { class: "hint more", hidden: true }, "Scroll sideways for more columns →");
  const update = (): void => {
    const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
    hint.hidden = box.scrollWidth <= box.clientWidth + kSlack;
    box.classList.toggle("cut", left > kSlack);
  };
  for (const element of [box, made]) {
    watched.set(element, update);
    resized.observe(element);
  }
  box.addEventListener("scroll", update, { passive: true });
  return el("div", {}, hint, box);
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
