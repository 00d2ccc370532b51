// Shows the privacy spent and the time in a simulated network.
import type { NetworkTime, Privacy, ReportData, RunData } from "../data";
import { el, facts, table } from "../dom";
import { short, seconds, whole } from "../format";
import { linePlot, type LinePlot } from "../plots/line";
import { anyRun, runName } from "../runs";
import type { Section } from "../section";
import { seriesColour, seriesDash } from "../theme";
import { column } from "./communication";

function privacyWords(p: Privacy): HTMLElement {
  const pairs: [string, string][] = [], missing: string[] = [];
  if (p.epsilon !== null) pairs.push(["ε (Theorem G.3)", short(p.epsilon)], ["δ", short(p.delta)]);
  else if (p.why) missing.push(`No ε by Theorem G.3: ${p.why}.`);
  if (p.renyiEpsilon !== null) pairs.push(["ε (Rényi)", short(p.renyiEpsilon)], ["δ (Rényi)", short(p.renyiDelta)]);
  else if (p.renyiWhy) missing.push(`No ε by Rényi divergences: ${p.renyiWhy}.`);
  if (p.targetEpsilon !== null) pairs.push(["target ε", short(p.targetEpsilon)]);
  if (p.spentAtRound !== null) pairs.push(["budget spent at round", whole(p.spentAtRound)]);
  return el("div", {}, facts(pairs), ...missing.map((line) => el("p", {}, line)));
}

const spends = (run: RunData): boolean => !!run.metrics && ["epsilon", "epsilon_renyi"].some((c) => column(run.metrics!, c).some((v) => v !== null));

class Spent {
  private words = el("div");
  private place = el("div");
  private plot: LinePlot | null = null;

  constructor(host: HTMLElement) {
    host.append(this.words, this.place);
  }

  update(data: ReportData): void {
    this.words.replaceChildren(...data.runs.flatMap((run, i) =>
      run.privacy ? [...(data.runs.length > 1 ? [el("h3", {}, runName(run, i))] : []), privacyWords(run.privacy)] : []));
    const found = data.runs.findIndex(spends), run = data.runs[found];
    if (!run?.metrics) return;
    const lines = ["epsilon", "epsilon_renyi"].filter((name) => run.metrics?.columns.includes(name)).map((name, i) => ({
      label: name === "epsilon" ? "ε" : "ε (Rényi)", y: column(run.metrics!, name), colour: () => seriesColour(i), dash: seriesDash(i), width: 1.8 }));
    const spec = { text: `Privacy spent by ${run.name} against rounds`, x: column(run.metrics, "round").map((v) => v ?? 0), lines,
      xLabel: "round", yLabel: "ε", xFormat: whole, yFormat: short, height: 210 };
    if (this.plot) this.plot.update(spec);
    else this.plot = linePlot(this.place, spec);
  }
}

export const privacy: Section = {
  id: "privacy",
  title: "Privacy",
  shown: (data) => anyRun(data, (run) => run.privacy !== null),
  create: (host) => new Spent(host),
};

function timeTable(data: ReportData): HTMLElement {
  const runs = data.runs.map((run, i) => ({ run, i })).filter(({ run }) => run.network);
  const names = [...new Set(runs.flatMap(({ run }) => (run.network as NetworkTime).parts.map((p) => p.name)))];
  return table("Seconds in the simulated network, along the slowest participant of every round",
    [{ title: "run" }, { title: "in all", number: true }, ...names.map((title) => ({ title, number: true }))],
    runs.map(({ run, i }) => {
      const time = run.network as NetworkTime;
      return [runName(run, i), seconds(time.seconds), ...names.map((n) => seconds(time.parts.find((p) => p.name === n)?.seconds ?? null))];
    }));
}

export const simulatedTime: Section = {
  id: "time",
  title: "Simulated time",
  shown: (data) => anyRun(data, (run) => run.network !== null),
  create: (host) => ({ update: (data: ReportData) => host.replaceChildren(timeTable(data)) }),
};
