// The table of parameters. It can be sorted and filtered, and marks R-hat and ESS beyond their limits in colour and in
// words.
import type { ParameterRow, ReportData, RunData } from "../data";
import { clear, el, label, scrolling } from "../dom";
import { parameterFilter } from "../filter";
import { fixed, kNone, short, whole } from "../format";
import { judged, kEssLimit, kRhatLimit, runName } from "../runs";
import type { Section } from "../section";

type Key = Exclude<keyof ParameterRow, "name" | "label" | "ratio">;
interface Field {
  key: Key | "label" | "run" | "ratio";
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
  { key: "sd", title: "sd" },
  { key: "q5", title: "5 %" },
  { key: "q50", title: "50 %" },
  { key: "q95", title: "95 %" },
  { key: "ratio", title: "ratio" },
  { key: "mcse", title: "mcse" },
  { key: "essBulk", title: "ESS bulk" },
  { key: "essTail", title: "ESS tail" },
  { key: "rhat", title: "R-hat" },
];
const kChain: Field["key"][] = ["essBulk", "essTail", "rhat"];

// The columns that these runs have: R-hat says nothing of estimates, and their standard errors have another name.
function fieldsOf(data: ReportData): Field[] {
  const ratios = [...new Set(data.runs.map((run) => run.facts.ratio).filter((name) => name))];
  const estimates = data.runs.every((run) => run.facts.states === "estimates");
  return kFields.flatMap((field): Field[] => {
    if (field.key === "run") return data.runs.length > 1 ? [field] : [];
    if (field.key === "ratio") return ratios.length > 0 ? [{ key: "ratio", title: `${ratios.join(", ")}, 5 % to 95 %` }] : [];
    if (estimates && (kChain.includes(field.key) || field.key === "q50")) return [];
    if (estimates && field.key === "mean") return [{ ...field, title: "estimate" }];
    return [estimates && field.key === "sd" ? { ...field, title: "standard error" } : field];
  });
}

// Per dollar or per gram a ratio is near 1, so it has two digits more than its interval is wide.
function ratioOf(row: ParameterRow): string {
  const [middle, low, high] = row.ratio ?? [];
  if (!row.ratio) return "";
  const places = 1 - Math.floor(Math.log10(Math.max((high ?? NaN) - (low ?? NaN), 1e-9)));
  const fits = (ratio: number): boolean => places >= 2 && ratio < 1000 && ratio >= 10 ** -places; // else it would be shown as 0
  const shown = (ratio: number | null | undefined): string => (fits(ratio ?? 0) ? fixed(ratio, places) : short(ratio));
  return `${shown(middle)} (${shown(low)} to ${shown(high)})`;
}

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

function line(entry: Entry, fields: Field[]): HTMLElement {
  return el("tr", {}, ...fields.map((f) => {
    if (f.key === "label") return el("th", { scope: "row" }, label(entry.row.label));
    if (f.key === "run") return el("td", {}, runName(entry.run, entry.index));
    return el("td", { class: "number" }, f.key === "ratio" ? ratioOf(entry.row) : cell(entry, f.key));
  }));
}

function compare(a: Entry, b: Entry, key: Field["key"]): number {
  if (key === "label") return a.row.label.localeCompare(b.row.label, "en", { numeric: true });
  if (key === "run") return a.index - b.index;
  if (key === "ratio") return (a.row.ratio?.[0] ?? -Infinity) - (b.row.ratio?.[0] ?? -Infinity);
  return (a.row[key] ?? -Infinity) - (b.row[key] ?? -Infinity);
}

class Summary {
  private entries: Entry[] = [];
  private lines: { entry: Entry; element: HTMLElement }[] = [];
  private fields: Field[] = [];
  private sort: { key: Field["key"]; down: boolean } | null = null;
  private head = el("tr");
  private body = el("tbody");
  private count = el("span", { role: "status", class: "hint" });
  private lead = el("div");
  private caption = el("caption");

  constructor(host: HTMLElement) {
    const box = el("input", { type: "search", id: "parameter-filter", placeholder: "part of a name", autocomplete: "off" });
    box.addEventListener("input", () => parameterFilter.set(box.value));
    parameterFilter.listen(() => this.filter());
    host.append(
      this.lead,
      el("div", { class: "controls" }, el("label", { for: "parameter-filter" }, "Parameters with"), box, this.count,
        el("span", { class: "hint" }, "(also narrows the forest plot and the parameter plots)")),
      scrolling("Summary table", el("table", { id: "summary-table" }, this.caption, el("thead", {}, this.head), this.body)));
  }

  private words(data: ReportData): Node[] {
    const units = [...new Set(data.runs.map((run) => run.facts.units).filter((text): text is string => !!text))];
    const ratios = [...new Set(data.runs.map((run) => run.facts.ratio).filter((text): text is string => !!text))];
    const limits = data.runs.some(judged) ? `R-hat above ${kRhatLimit} is marked high, an effective sample size (ESS) below ${kEssLimit} low: do not rely on such rows. ` : "";
    return [
      ...units.map((text) => el("p", {}, `${text[0]?.toUpperCase()}${text.slice(1)}.`,
        ratios.length > 0 ? ` The ${ratios.join(" or ")} is the exponential of a coefficient: the factor per unit.` : "")),
      el("p", { class: "hint" }, `${limits}Column heads sort.`)];
  }

  update(data: ReportData): void {
    const fields = fieldsOf(data), estimates = data.runs.every((run) => run.facts.states === "estimates");
    if (JSON.stringify(fields) !== JSON.stringify(this.fields)) (this.fields = fields), this.drawHead();
    this.lead.replaceChildren(...this.words(data));
    this.caption.textContent = estimates ? "Estimates with standard errors and 90 % intervals" : "Posterior summary of each parameter";
    this.entries = data.runs.flatMap((run, index) => run.parameters.map((row, i) => ({ row, run, index, order: i * data.runs.length + index })));
    this.lines = this.entries.map((entry) => ({ entry, element: line(entry, this.fields) }));
    this.arrange();
    this.filter();
  }

  private drawHead(): void {
    clear(this.head);
    for (const field of this.fields) {
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
    const column = this.fields.findIndex((f) => f.key === key);
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
  ofParameters: true,
  title: "Summary table",
  shown: (data) => data.runs.some((run) => run.parameters.length > 0),
  create: (host) => new Summary(host),
};
