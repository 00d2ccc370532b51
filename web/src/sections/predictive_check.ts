// The posterior predictive check: data sets that the model makes, against the data.
import type { PredictiveCheck, Replicated, ReportData, RunData } from "../data";
import { el, numbers, table } from "../dom";
import { percent, short, whole } from "../format";
import { intervals, keepWidth, type Row } from "../plots/intervals";
import { anyRun, runName, scoredWords } from "../runs";
import type { Section } from "../section";

const kMost = 60;
const kTitles: Record<string, string> = { classes: "Share of rows in each class", counts: "Share of rows with each count", numbers: "Share of rows in each range of the target" };

function name(r: Replicated): string {
  if (r.client) return r.label ? `${r.client}: ${r.label}` : r.client;
  if (r.label) return r.label;
  if (r.above === null) return `up to ${short(r.upTo)}`;
  return r.upTo === null ? `above ${short(r.above)}` : `${short(r.above)} to ${short(r.upTo)}`;
}

// Means of numbers have no label, shares of classes do; ranges of numbers are shares.
const isShare = (r: Replicated): boolean => !r.client || r.label !== "";
const value = (r: Replicated, x: number | null): string => (isShare(r) ? percent(x) : short(x));
const outside = (r: Replicated): boolean => r.observed !== null && ((r.lower ?? r.observed) > r.observed || (r.upper ?? r.observed) < r.observed);

function rowsOf(all: Replicated[], run: number): Row[] {
  return all.slice(0, kMost).map((r) => ({
    label: name(r),
    marks: [{ low: r.lower ?? 0, middle: r.predicted ?? 0, high: r.upper ?? 0, point: r.observed ?? 0, colour: run,
      text: `${name(r)}: observed ${value(r, r.observed)}, the model's ${value(r, r.lower)} to ${value(r, r.upper)} (${whole(r.rows)} rows)` }],
  }));
}

function tableOf(title: string, all: Replicated[]): HTMLElement {
  return table(title, ["", "rows", "observed", "the model's mean", "5 %", "95 %", ""].map((text, i) => ({ title: text, number: i > 0 })),
    all.map((r) => [name(r), whole(r.rows), value(r, r.observed), value(r, r.predicted), value(r, r.lower), value(r, r.upper), outside(r) ? "outside" : ""]));
}

function plot(title: string, all: Replicated[], run: number, wide: number): (Element | null)[] {
  if (all.length === 0) return [];
  const count = all.filter(outside).length;
  const lines = all.every(isShare) ? [{ at: 0, colour: "axis-line" }] : [];
  return [el("h4", {}, title),
    intervals({ kind: "forest check", rows: rowsOf(all, run), lines, text: `${title}: observed numbers as crosses, 90 % intervals of the model's data sets; ${count} of ${all.length} outside` }, wide),
    all.length > kMost ? el("p", { class: "hint" }, `The first ${kMost} of ${whole(all.length)} are drawn; all are in the table.`) : null,
    numbers(`${title} as a table`, () => tableOf(title, all))];
}

function checkOf(run: RunData, index: number, several: boolean, wide: number): (Element | null)[] {
  const c = run.check as PredictiveCheck, any = c.groups.length > 0;
  const mean = c.clients.some((r) => !isShare(r));
  return [several ? el("h3", {}, runName(run, index)) : null, el("p", {}, c.words),
    any ? el("p", { class: "hint" }, `On ${scoredWords(c)}, at ${whole(c.draws)} draws. Crosses are observed; dots and lines are the mean and the 90 % interval of data sets that the model makes at the same columns. One in ten may lie outside.`) : null,
    ...plot(kTitles[c.of] ?? "Share of rows", c.groups, index, wide),
    ...plot(mean ? "Mean of the target, per client" : "Share of rows per client", c.clients, index, wide)];
}

export const predictiveCheck: Section = {
  id: "check",
  title: "Predictive check",
  shown: (data) => anyRun(data, (run) => !!run.check),
  create(host) {
    let latest: ReportData | null = null, width = Math.max(260, host.clientWidth);
    const update = (data: ReportData): void => {
      latest = data;
      const made = data.runs.flatMap((run, i) => (run.check ? checkOf(run, i, data.runs.length > 1, width) : []));
      host.replaceChildren(...made.filter((e): e is Element => e !== null));
    };
    keepWidth(host, (wide) => {
      width = wide;
      if (latest) update(latest);
    });
    return { update };
  },
};
