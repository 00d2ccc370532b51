// What several sections need to know about runs: colours, names, and parameters matched by label across runs.
import type { ParameterRow, ReportData, RunData, Scored } from "./data";
import { el } from "./dom";
import { whole } from "./format";

export function swatch(index: number): HTMLElement {
  return el("span", { class: `swatch c${index % 8}`, "aria-hidden": "true" });
}

export function runName(run: RunData, index: number): HTMLElement {
  return el("span", {}, swatch(index), run.name);
}

// Makes a legend of the runs, or of the chains if there is only one run.
export function legend(data: ReportData): HTMLElement {
  const single = data.runs.length === 1 ? data.runs[0] : undefined;
  const names = single ? Array.from({ length: single.plots?.chains ?? single.facts.chains }, (_, c) => `chain ${c + 1}`) : data.runs.map((r) => r.name);
  return el("ul", { class: "legend", "aria-label": single ? "chains by colour" : "runs by colour" },
    ...names.map((name, i) => el("li", {}, swatch(i), name)));
}

// A parameter that occurs in at least one run, with its index in every run; -1 where a run lacks it.
export interface Shared {
  label: string;
  name: string;
  row: number[]; // index in the run's parameters
  plot: number[]; // index in the run's plots
}

export function sharedParameters(data: ReportData): Shared[] {
  const found = new Map<string, Shared>();
  data.runs.forEach((run, r) => {
    run.parameters.forEach((p, i) => {
      let shared = found.get(p.label);
      if (!shared) {
        shared = { label: p.label, name: p.name, row: data.runs.map(() => -1), plot: data.runs.map(() => -1) };
        found.set(p.label, shared);
      }
      shared.row[r] = i;
    });
    run.plots?.rows.forEach((row, p) => {
      const label = run.parameters[row]?.label;
      const shared = label === undefined ? undefined : found.get(label);
      if (shared) shared.plot[r] = p;
    });
  });
  return [...found.values()];
}

export function rowOf(data: ReportData, shared: Shared, run: number): ParameterRow | undefined {
  return data.runs[run]?.parameters[shared.row[run] ?? -1];
}

// The limits are those of docs/diagnostics.md. They do not apply to an optimiser's iterates or to single weights of a
// network.
export const kRhatLimit = 1.01;
export const kEssLimit = 400;
export const judged = (run: RunData): boolean => run.facts.states === "draws";

// Whether any run has the given part, which decides whether a section is shown.
export const anyRun = (data: ReportData, part: (run: RunData) => boolean): boolean => data.runs.some(part);

// The rows that scores are of, such as "179 test rows".
export function scoredWords(scored: Scored): string {
  const some = scored.inAll > scored.rows ? ` of ${whole(scored.inAll)}` : "";
  return scored.training ? `${whole(scored.rows)}${some} training rows (there are no test rows, so scores are better than on new rows)` : `${whole(scored.rows)}${some} test rows`;
}
