// The table of parameters. It can be sorted and filtered, and marks R-hat and ESS beyond their limits in colour and in
// words.
import type { ParameterRow, ReportData, RunData } from "../data";
import { clear, el } from "../dom";
import { parameterFilter } from "../filter";
import { fixed, kNone, short, whole } from "../format";
import { judged, kEssLimit, kRhatLimit, runName } from "../runs";
import type { Section } from "../section";

type Key = Exclude<keyof ParameterRow, "name" | "label">;
interface Field {
  key: Key | "label" | "run";
  title: string;
}
interface Entry {
  row: ParameterRow;
  run: RunData;
  index: number; // index of the run
  order: number;
}

const kFields: Field[] = [
  { key: "label", title: "parameter" },
  { key: "run", title: "run" },
  { key: "mean", title: "mean" },
  { key: "mcse", title: "mcse" },
  { key: "sd", title: "sd" },
  { key: "q5", title: "5 %" },
  { key: "q50", title: "50 %" },
  { key: "q95", title: "95 %" },
  { key: "essBulk", title: "ESS bulk" },
  { key: "essTail", title: "ESS tail" },
  { key: "rhat", title: "R-hat" },
];

function flagged(text: string, bad: boolean, word: string): Node {
  return bad ? el("span", { class: "flag bad" }, text, " ", el("small", {}, word)) : document.createTextNode(text);
}

function cell(entry: Entry, key: Key): Node {
  const value = entry.row[key];
  const judge = judged(entry.run);
  if (value === null && judge && (key === "rhat" || key === "essBulk" || key === "essTail"))
    return el("span", { class: "flag open" }, `${kNone} `, el("small", {}, "unknown"));
  if (key === "rhat") return flagged(fixed(value, 3), judge && value !== null && value > kRhatLimit, "high");
  if (key === "essBulk" || key === "essTail") return flagged(whole(value), judge && value !== null && value < kEssLimit, "low");
  return document.createTextNode(short(value));
}

function line(entry: Entry, several: boolean): HTMLElement {
  const label = el("th", { scope: "row", title: entry.row.label }, entry.row.label);
  const cells = kFields.slice(2).map((f) => el("td", { class: "number" }, cell(entry, f.key as Key)));
  return el("tr", {}, label, several ? el("td", {}, runName(entry.run, entry.index)) : null, ...cells);
}

function compare(a: Entry, b: Entry, key: Field["key"]): number {
  if (key === "label") return a.row.label.localeCompare(b.row.label, "en", { numeric: true });
  if (key === "run") return a.index - b.index;
  return (a.row[key] ?? -Infinity) - (b.row[key] ?? -Infinity);
}

class Summary {
  private entries: Entry[] = [];
  private lines: { entry: Entry; element: HTMLElement }[] = [];
  private several = false;
  private sort: { key: Field["key"]; down: boolean } | null = null;
  private head = el("tr");
  private body = el("tbody");
  private count = el("span", { role: "status", class: "hint" });

  constructor(host: HTMLElement) {
    const box = el("input", { type: "search", id: "parameter-filter", placeholder: "part of a name", autocomplete: "off" });
    box.addEventListener("input", () => parameterFilter.set(box.value));
    parameterFilter.listen(() => this.filter());
    host.append(
      el("p", { class: "hint" }, `R-hat above ${kRhatLimit} is marked high, an effective sample size (ESS) below ${kEssLimit} low: do not rely on such rows. Column heads sort.`),
      el("div", { class: "controls" }, el("label", { for: "parameter-filter" }, "Parameters with"), box, this.count,
        el("span", { class: "hint" }, "(also narrows the forest plot and the parameter plots)")),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Summary table" },
        el("table", { id: "summary-table" }, el("caption", {}, "Posterior summary of each parameter"), el("thead", {}, this.head), this.body)));
  }

  update(data: ReportData): void {
    const several = data.runs.length > 1;
    if (several !== this.several || this.head.childElementCount === 0) (this.several = several), this.drawHead();
    this.entries = data.runs.flatMap((run, index) => run.parameters.map((row, i) => ({ row, run, index, order: i * data.runs.length + index })));
    this.lines = this.entries.map((entry) => ({ entry, element: line(entry, this.several) }));
    this.arrange();
    this.filter();
  }

  private drawHead(): void {
    clear(this.head);
    for (const field of kFields) {
      if (field.key === "run" && !this.several) continue;
      const on = this.sort?.key === field.key;
      const button = el("button", { type: "button" }, field.title, on ? (this.sort?.down ? " ▾" : " ▴") : "");
      button.addEventListener("click", () => this.sortBy(field.key));
      this.head.append(el("th", { scope: "col", class: field.key === "label" || field.key === "run" ? undefined : "number",
        "aria-sort": on ? (this.sort?.down ? "descending" : "ascending") : "none" }, button));
    }
  }

  // The first click sorts the way one looks for trouble: largest values first, but smallest ESS first.
  private sortBy(key: Field["key"]): void {
    const first = !["label", "run", "essBulk", "essTail"].includes(key);
    this.sort = this.sort?.key === key ? { key, down: !this.sort.down } : { key, down: first };
    this.drawHead();
    const column = kFields.filter((f) => f.key !== "run" || this.several).findIndex((f) => f.key === key);
    (this.head.children[column]?.firstElementChild as HTMLElement | undefined)?.focus();
    this.arrange();
  }

  private arrange(): void {
    const { sort } = this;
    this.lines.sort((a, b) => (sort ? (sort.down ? -1 : 1) * compare(a.entry, b.entry, sort.key) : 0) || a.entry.order - b.entry.order);
    this.body.replaceChildren(...this.lines.map((l) => l.element));
  }

  private filter(): void {
    let shown = 0;
    for (const { entry, element } of this.lines) {
      element.hidden = !parameterFilter.accepts(entry.row.label, entry.row.name);
      if (!element.hidden) ++shown;
    }
    this.count.textContent = `${whole(shown)} of ${whole(this.lines.length)} rows`;
  }
}

export const summary: Section = {
  id: "summary",
  title: "Summary table",
  shown: (data) => data.runs.some((run) => run.parameters.length > 0),
  create: (host) => new Summary(host),
};
