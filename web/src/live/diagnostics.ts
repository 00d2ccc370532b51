// Plots R-hat and ESS while draws come in.
import type { ReportData } from "../data";
import { el } from "../dom";
import { fixed, short, whole } from "../format";
import { liveOf, type Live } from "../live_data";
import { linePlot, type LinePlot, type LineSpec } from "../plots/line";
import { kEssLimit, kRhatLimit } from "../runs";
import type { Section } from "../section";
import { colour, seriesColour } from "../theme";

function last(values: (number | null)[]): number | null {
  return values.filter((v) => v !== null).pop() ?? null;
}

function rhatSpec({ diagnostics: d }: Live): LineSpec {
  return {
    text: `The worst R-hat of the shown parameters over iterations; now ${fixed(last(d.rhat), 3)}`,
    x: d.iteration, xLabel: "iteration", xFormat: whole, yFormat: (v) => fixed(v, 3), height: 200,
    lines: [{ label: "worst R-hat", y: d.rhat, colour: () => seriesColour(0), width: 1.8, points: d.rhat.length < 40 }],
    marks: [{ y: kRhatLimit, colour: () => colour("bad") }],
  };
}

function essSpec({ diagnostics: d }: Live): LineSpec {
  return {
    text: `The least bulk ESS of the shown parameters over iterations; now at least ${whole(last(d.ess))}`,
    x: d.iteration, xLabel: "iteration", xFormat: whole, yFormat: short, yRange: [0, null], height: 200,
    lines: [{ label: "least ESS", y: d.ess, colour: () => seriesColour(2), width: 1.8, points: d.ess.length < 40 }],
    marks: [{ y: kEssLimit, colour: () => colour("bad") }],
  };
}

class Diagnostics {
  private grid = el("div", { class: "grid" });
  private plots: LinePlot[] = [];

  constructor(host: HTMLElement) {
    host.append(el("p", { class: "hint" }, `The dashed lines are the limits: R-hat should end below ${kRhatLimit}, ESS above ${kEssLimit}. ESS is counted on evenly spaced draws, so it is at least what is shown.`), this.grid);
  }

  update(data: ReportData): void {
    const live = liveOf(data);
    if (!live) return;
    const specs: [string, LineSpec][] = [["Worst R-hat", rhatSpec(live)], ["Least effective sample size", essSpec(live)]];
    specs.forEach(([title, spec], i) => {
      const known = this.plots[i];
      if (known) return known.update(spec);
      const cell = el("div", { class: "cell" }, el("h4", {}, title));
      this.grid.append(cell);
      this.plots[i] = linePlot(cell, spec);
    });
  }
}

export const diagnostics: Section = {
  id: "diagnostics",
  title: "Diagnostics so far",
  shown: (data) => (liveOf(data)?.diagnostics.iteration.length ?? 0) > 0 && data.runs[0]?.facts.states === "draws",
  create: (host) => new Diagnostics(host),
};
