// Plots scores against the bits that were sent.
import type { Metrics, ReportData, RunData } from "../data";
import { el, numbers, table } from "../dom";
import { bits, seconds, short, whole } from "../format";
import { linePlot, type LinePlot, type LineSpec } from "../plots/line";
import { anyRun, legend, runName } from "../runs";
import type { Section } from "../section";
import { seriesColour, seriesDash } from "../theme";

const kNotScores = new Set(["round", "uplink_bits", "downlink_bits", "gradients", "seconds", "simulated_seconds", "epsilon", "epsilon_renyi"]);

export function column(metrics: Metrics, name: string): (number | null)[] {
  return metrics.values[metrics.columns.indexOf(name)] ?? [];
}

export function scoreNames(data: ReportData): string[] {
  const names = data.runs.flatMap((run) => run.metrics?.columns.filter((c) => !kNotScores.has(c)) ?? []);
  return [...new Set(names)].filter((name) => anyRun(data, (run) => !!run.metrics && column(run.metrics, name).some((v) => v !== null)));
}

// Makes one line per run, over the union of the runs' x.
function against(data: ReportData, x: string, y: string, words: { x: string; y: string; xFormat: (v: number) => string }): LineSpec {
  const points = data.runs.map((run) => {
    const found = new Map<number, number>();
    if (!run.metrics) return found;
    const ys = column(run.metrics, y);
    column(run.metrics, x).forEach((at, i) => {
      const value = ys[i];
      if (at !== null && value !== null && value !== undefined) found.set(at, value);
    });
    return found;
  });
  const grid = [...new Set(points.flatMap((p) => [...p.keys()]))].sort((a, b) => a - b);
  const lines = data.runs.flatMap((run, i) => {
    const mine = points[i];
    if (!mine || mine.size === 0) return [];
    return [{ label: run.name, y: grid.map((at) => mine.get(at)),
      colour: () => seriesColour(i), dash: seriesDash(i), points: mine.size < 40, width: 1.8 }];
  });
  const last = lines[0]?.y.filter((v) => v !== null && v !== undefined).pop();
  return { text: `${words.y} against ${words.x}; at the end ${short(last ?? null)}`, x: grid, lines,
    xLabel: words.x, yLabel: words.y, xFormat: words.xFormat, yFormat: short };
}

function totals(data: ReportData): HTMLElement {
  const rows = data.runs.flatMap((run, i): (string | Node)[][] => {
    const c = run.communication;
    if (!c) return [];
    return [[runName(run, i), whole(c.rounds), bits(c.uplinkBits), bits(c.downlinkBits), bits(c.broadcastBits), bits(c.setupBits), whole(c.messages)]];
  });
  return table("What was sent, over all chains: payloads without their frames (a broadcast to b clients counts b times in “down”)",
    [{ title: "run" }, ...["rounds", "up", "down", "broadcast once", "set-up", "messages"].map((title) => ({ title, number: true }))], rows);
}

const kLevel = 0.005; // rounds whose bits differ by less are said to be alike

// Bits per round where they are the same in all rows of metrics.csv, up and down; null where they are not.
function perRound(run: RunData): [number, number] | null {
  const m = run.metrics;
  if (!m) return null;
  const rounds = column(m, "round"), rates = ["uplink_bits", "downlink_bits"].map((name) => {
    const all = column(m, name).map((bit, i) => (bit ?? 0) / Math.max(1, rounds[i] ?? 1));
    return { least: Math.min(...all), most: Math.max(...all) };
  });
  if (rounds.length === 0 || rates.some((r) => r.most > r.least * (1 + kLevel))) return null;
  return [rates[0]!.most, rates[1]!.most];
}

const silent = (run: RunData): boolean => !run.communication || (run.communication.uplinkBits === 0 && run.communication.downlinkBits === 0);

// What plots of straight lines would show.
function rateWords(run: RunData): string {
  if (silent(run)) return "Nothing was sent while sampling: the sampler works where all rows are.";
  const each = perRound(run);
  return each ? `Every round sent ${bits(each[0])} up and ${bits(each[1])} down, over all clients and chains, from the first to the last.` : "";
}

function metricsTable(run: RunData): HTMLElement {
  const m = run.metrics as Metrics, count = m.values[0]?.length ?? 0;
  const picked = [...new Set(Array.from({ length: Math.min(20, count) }, (_, i) => Math.round((i * (count - 1)) / Math.max(1, Math.min(20, count) - 1))))];
  return table(`metrics.csv of ${run.name}: ${picked.length} of ${whole(m.rowsInAll)} rows`,
    m.columns.map((title) => ({ title, number: true })),
    picked.map((i) => m.values.map((v, c) => (m.columns[c]?.endsWith("_bits") ? bits(v[i] ?? null) : short(v[i] ?? null)))));
}

class Communication {
  private lead = el("div");
  private grid = el("div", { class: "grid" });
  private tables = el("div");
  private plots = new Map<string, LinePlot>();
  private cells = new Map<string, HTMLElement>();
  private score = "";
  private pick = el("select", { id: "score-choice" });

  constructor(host: HTMLElement) {
    this.pick.addEventListener("change", () => {
      this.score = this.pick.value;
      if (this.data) this.draw(this.data);
    });
    const choose = el("div", { class: "controls" }, el("label", { for: "score-choice" }, "Score"), this.pick);
    host.append(this.lead, choose, this.grid, this.tables);
  }

  private data: ReportData | null = null;

  update(data: ReportData): void {
    this.data = data;
    const names = scoreNames(data);
    if (!names.includes(this.score)) this.score = names[0] ?? "";
    if (Array.from(this.pick.options, (o) => o.value).join() !== names.join())
      this.pick.replaceChildren(...names.map((name) => el("option", { value: name, selected: name === this.score }, name)));
    (this.pick.parentElement as HTMLElement).hidden = names.length === 0;
    const told = data.runs.flatMap((run, i) => {
      const text = rateWords(run);
      return text ? [el("p", {}, ...(data.runs.length > 1 ? [runName(run, i), ": "] : []), text)] : [];
    });
    this.lead.replaceChildren(totals(data), ...told, ...(data.runs.length > 1 ? [legend(data)] : []));
    this.draw(data);
    this.tables.replaceChildren(...data.runs.filter((r) => r.metrics).map((run) => numbers(`Numbers of ${run.name} as a table`, () => metricsTable(run))));
  }

  private draw(data: ReportData): void {
    if (!anyRun(data, (run) => run.metrics !== null)) return;
    const shown: [string, LineSpec][] = [];
    const plain = data.runs.every((run) => rateWords(run) !== ""), sent = !data.runs.every(silent);
    if (this.score && !sent)
      shown.push(["rounds", against(data, "round", this.score, { x: "round", y: this.score, xFormat: whole })]);
    if (this.score && sent) {
      shown.push(["up", against(data, "uplink_bits", this.score, { x: "bits up", y: this.score, xFormat: bits })]);
      // With the same bits in every round, the plot against bits down is that against bits up with another axis.
      if (!plain || data.runs.length > 1) shown.push(["down", against(data, "downlink_bits", this.score, { x: "bits down", y: this.score, xFormat: bits })]);
    }
    // Simulated time shows what the bits cost on a given network.
    if (this.score && anyRun(data, (run) => run.metrics?.columns.includes("simulated_seconds") ?? false))
      shown.push(["time", against(data, "simulated_seconds", this.score, { x: "simulated time", y: this.score, xFormat: seconds })]);
    if (!plain) shown.push(["rounds-up", { ...against(data, "round", "uplink_bits", { x: "round", y: "bits up", xFormat: whole }), yFormat: bits }]);
    if (!plain) shown.push(["rounds-down", { ...against(data, "round", "downlink_bits", { x: "round", y: "bits down", xFormat: whole }), yFormat: bits }]);
    for (const [key, cell] of this.cells) cell.hidden = !shown.some(([wanted]) => wanted === key);
    for (const [key, spec] of shown) {
      const known = this.plots.get(key);
      if (known) known.update(spec);
      else if (spec.x.length > 0) {
        const cell = el("div", { class: "cell" });
        this.grid.append(cell);
        this.cells.set(key, cell);
        this.plots.set(key, linePlot(cell, { ...spec, height: 210 }));
      }
    }
  }
}

export const communication: Section = {
  id: "communication",
  title: "Communication",
  shown: (data) => anyRun(data, (run) => run.communication !== null || run.metrics !== null),
  create: (host) => new Communication(host),
};
