// Shows whether predicted probabilities can be trusted: reliability, confidence, accuracy above a threshold, and
// out-of-distribution rows.
import type { ReportData, RunData } from "../data";
import { el, numbers, table } from "../dom";
import { fixed, percent, short, whole } from "../format";
import { linePlot, type Line, type LinePlot, type LineSpec } from "../plots/line";
import { anyRun, legend, runName, scoredWords } from "../runs";
import type { Section } from "../section";
import { colour, seriesColour, seriesDash } from "../theme";

const some = (run: RunData): boolean => run.reliability.length > 0 || run.confidence.length > 0 || run.ood !== null || run.scores.length > 0;

function unionOf(lists: number[][]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

function lines(data: ReportData, x: number[], points: (run: RunData) => [number, number | null][]): Line[] {
  return data.runs.flatMap((run, i) => {
    const found = new Map(points(run));
    if (found.size === 0) return [];
    return [{ label: run.name, y: x.map((at) => found.get(at)), colour: () => seriesColour(i), dash: seriesDash(i), points: true, width: 1.6 }];
  });
}

function reliabilitySpec(data: ReportData): LineSpec {
  const points = (run: RunData): [number, number | null][] => run.reliability.flatMap((b) => (b.confidence === null ? [] : [[b.confidence, b.accuracy]]));
  const known = unionOf(data.runs.map((run) => points(run).map(([x]) => x)));
  const x = unionOf([known, [0, 1]]);
  const diagonal: Line = { label: "perfect", y: x.map((v) => (v === 0 || v === 1 ? v : undefined)), colour: () => colour("muted"), dash: [4, 4] };
  const ece = data.runs[0]?.scores.find((s) => s.name === "ece")?.value;
  return { text: `Reliability diagram; expected calibration error ${short(ece ?? null)}`, x, lines: [diagonal, ...lines(data, x, points)],
    xLabel: "confidence", yLabel: "accuracy", yRange: [0, 1.02], xFormat: (v) => fixed(v, 2), yFormat: (v) => fixed(v, 2), height: 230 };
}

const eventOf = (run: RunData): string => run.facts.event || run.check?.groups[1]?.label || "the event";

// How often the event happened, against its mean probability, in groups of about as many rows.
function eventSpec(data: ReportData): LineSpec {
  const points = (run: RunData): [number, number | null][] => (run.calibration ?? []).flatMap((g): [number, number][] => (g.predicted === null ? [] : [[g.predicted, g.observed]]));
  const x = unionOf([...data.runs.map((run) => points(run).map(([at]) => at)), [0, 1]]);
  const diagonal: Line = { label: "perfect", y: x.map((v) => (v === 0 || v === 1 ? v : undefined)), colour: () => colour("muted"), dash: [4, 4] };
  const bars = data.runs.flatMap((run, i) => (run.calibration ?? []).flatMap((g) => (g.predicted === null ? [] : [{ x: g.predicted, low: g.lower, high: g.upper, colour: () => seriesColour(i) }])));
  const off = data.runs.flatMap((run) => (run.calibration ?? []).filter((g) => g.predicted !== null && (g.predicted < g.lower || g.predicted > g.upper))).length;
  return { text: `Calibration of the event's probability; ${off} of ${bars.length} groups of rows have an interval that misses it`, x, lines: [diagonal, ...lines(data, x, points)], bars,
    xLabel: "mean probability of the event", yLabel: "share of rows with the event", yRange: [0, 1.02], xFormat: (v) => fixed(v, 2), yFormat: (v) => fixed(v, 2), height: 230 };
}

function eventTable(run: RunData): HTMLElement {
  return table(`Calibration of P(${eventOf(run)}) in ${run.name}`, ["mean probability", "observed share", "5 %", "95 %", "rows"].map((title, i) => ({ title, number: i > 0 })),
    (run.calibration ?? []).map((g) => [fixed(g.predicted, 3), fixed(g.observed, 3), fixed(g.lower, 3), fixed(g.upper, 3), whole(g.rows)]));
}

// The area under the curve in words: the chance that a row with the event has a higher probability than one without.
function aucWords(run: RunData): HTMLElement[] {
  const a = run.auc;
  if (!a || a.value === null) return [];
  const interval = a.lower === null ? "" : ` (90 % interval ${fixed(a.lower, 3)} to ${fixed(a.upper, 3)})`;
  return [el("p", {}, `A row with ${eventOf(run)} gets a higher probability than one without in ${fixed(a.value, 3)} of all pairs: the AUC${interval}, from ${whole(a.events)} rows with and ${whole(a.rows - a.events)} without it.`)];
}

function histogramSpec(data: ReportData): LineSpec {
  const points = (run: RunData): [number, number | null][] => {
    const all = run.reliability.reduce((sum, b) => sum + b.rows, 0);
    return run.reliability.map((b) => [(b.lower + b.upper) / 2, all > 0 ? b.rows / all : null]);
  };
  const x = unionOf(data.runs.map((run) => points(run).map(([v]) => v)));
  return { text: "Histogram of confidence: share of rows in each bin", x, lines: lines(data, x, points).map((l) => (data.runs.length > 1 ? l : { ...l, bars: true, points: false })), xLabel: "confidence",
    yLabel: "share of rows", yRange: [0, null], xFormat: (v) => fixed(v, 2), yFormat: percent, height: 230 };
}

function thresholdSpec(data: ReportData): LineSpec {
  const points = (run: RunData): [number, number | null][] => run.confidence.map((c) => [c.threshold, c.accuracy]);
  const x = unionOf(data.runs.map((run) => points(run).map(([v]) => v)));
  return { text: "Accuracy of the rows at least so confident", x, lines: lines(data, x, points), xLabel: "confidence at least",
    yLabel: "accuracy", xFormat: (v) => fixed(v, 2), yFormat: (v) => fixed(v, 3), height: 230 };
}

function aboveSpec(data: ReportData): LineSpec {
  const share = (rows: (number | null)[]): (number | null)[] => rows.map((n) => (n === null || !rows[0] ? null : n / rows[0]));
  const points = (run: RunData, pick: (c: RunData["confidence"][number]) => number | null): [number, number | null][] => {
    const y = share(run.confidence.map(pick));
    return run.confidence.map((c, i) => [c.threshold, y[i] ?? null]);
  };
  const x = unionOf(data.runs.map((run) => run.confidence.map((c) => c.threshold)));
  const inside = lines(data, x, (run) => points(run, (c) => c.rows)).map((l) => ({ ...l, label: `${l.label}, test rows` }));
  const outside = lines(data, x, (run) => (run.ood ? points(run, (c) => c.oodRows) : [])).map((l) => ({ ...l, label: `${l.label}, other rows`, dash: [2, 3] }));
  return { text: "Share of rows at least so confident", x, lines: [...inside, ...outside], xLabel: "confidence at least",
    yLabel: "share of rows", yRange: [0, 1.02], xFormat: (v) => fixed(v, 2), yFormat: percent, height: 230 };
}

function scoresTable(data: ReportData): HTMLElement {
  const names = [...new Set(data.runs.flatMap((run) => [...run.scores, ...(run.ood?.scores ?? [])].map((s) => s.name)))];
  const value = (run: RunData, name: string): string => short([...run.scores, ...(run.ood?.scores ?? [])].find((s) => s.name === name)?.value ?? null);
  const of = [...new Set(data.runs.flatMap((run) => (run.scored ? [scoredWords(run.scored)] : [])))].join("; ");
  const others = data.runs.some((run) => run.ood) ? "; entropy and others, in and out of distribution" : "";
  return table(`Scores of the averaged predictive${of ? ` on ${of}` : ""}${others}`,
    [{ title: "run" }, ...names.map((title) => ({ title, number: true }))], data.runs.filter(some).map((run) => [runName(run, data.runs.indexOf(run)), ...names.map((n) => value(run, n))]));
}

function binsTable(run: RunData): HTMLElement {
  return table(`Reliability of ${run.name}`, ["bin", "confidence", "accuracy", "rows"].map((title, i) => ({ title, number: i > 0 })),
    run.reliability.map((b) => [`${fixed(b.lower, 3)} to ${fixed(b.upper, 3)}`, fixed(b.confidence, 3), fixed(b.accuracy, 3), whole(b.rows)]));
}

function clientsTable(run: RunData): HTMLElement {
  const names = [...new Set(run.clients.flatMap((c) => c.scores.map((s) => s.name)))];
  return table(`Clients of ${run.name}: ${whole(run.clients.length)} of ${whole(run.clientsInAll)}`,
    [{ title: "client" }, ...["training rows", "test rows", ...names].map((title) => ({ title, number: true }))],
    run.clients.map((c) => [c.name, whole(c.trainRows), whole(c.testRows), ...names.map((n) => short(c.scores.find((s) => s.name === n)?.value ?? null))]));
}

class Calibration {
  private lead = el("div");
  private grid = el("div", { class: "grid" });
  private tables = el("div");
  private plots = new Map<string, LinePlot>();

  constructor(host: HTMLElement) {
    host.append(this.lead, this.grid, this.tables);
  }

  update(data: ReportData): void {
    this.lead.replaceChildren(scoresTable(data), ...data.runs.flatMap(aucWords), ...(data.runs.length > 1 ? [legend(data)] : []));
    if (anyRun(data, (run) => (run.calibration?.length ?? 0) > 0)) this.plot("Calibration of the event's probability, with 90 % intervals", eventSpec(data));
    const bins = anyRun(data, (run) => run.reliability.length > 0), points = anyRun(data, (run) => run.confidence.length > 0);
    if (bins) this.plot("Reliability: accuracy in each bin of confidence", reliabilitySpec(data));
    if (bins) this.plot("Confidence of the predicted class", histogramSpec(data));
    if (points) this.plot("Accuracy above a threshold", thresholdSpec(data));
    if (points) this.plot(data.runs.some((run) => run.ood) ? "Rows above a threshold (dotted: rows from elsewhere)" : "Rows above a threshold", aboveSpec(data));
    this.tables.replaceChildren(
      ...data.runs.filter((r) => (r.calibration?.length ?? 0) > 0).map((run) => numbers(`Calibration of the event's probability in ${run.name} as a table`, () => eventTable(run))),
      ...data.runs.filter((r) => r.reliability.length > 0).map((run) => numbers(`Reliability of ${run.name} as a table`, () => binsTable(run))),
      ...data.runs.filter((r) => r.clients.length > 0).map((run) => numbers(`Scores of the clients of ${run.name}`, () => clientsTable(run))));
  }

  private plot(title: string, spec: LineSpec): void {
    const known = this.plots.get(title);
    if (known) return known.update(spec);
    const cell = el("div", { class: "cell" }, el("h4", {}, title));
    this.grid.append(cell);
    this.plots.set(title, linePlot(cell, spec));
  }
}

export const calibration: Section = {
  id: "calibration",
  title: "Scores and calibration",
  shown: (data) => anyRun(data, some),
  create: (host) => new Calibration(host),
};
