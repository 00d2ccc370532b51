// Plots chosen parameters against each other.
import type { ReportData } from "../data";
import { clear, el } from "../dom";
import { scaledRow } from "../decode";
import { fixed } from "../format";
import { whenVisible, forget } from "../lazy";
import { scatterPlot, type Cloud } from "../plots/scatter";
import { legend, sharedParameters, type Shared } from "../runs";
import type { Section } from "../section";
import { plotted } from "./parameter_plots";

const kMost = 5, kFirst = 3;

function correlation(clouds: Cloud[]): number {
  let n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  // A value close to the mean, so that the sums lose no digits.
  const x0 = clouds[0]?.x[0] ?? 0, y0 = clouds[0]?.y[0] ?? 0;
  for (const cloud of clouds)
    cloud.x.forEach((x, i) => {
      const y = cloud.y[i];
      if (x === null || y === null || y === undefined) return;
      const a = x - x0, b = y - y0;
      ++n, (sx += a), (sy += b), (sxx += a * a), (syy += b * b), (sxy += a * b);
    });
  return (n * sxy - sx * sy) / Math.sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

function clouds(data: ReportData, a: Shared, b: Shared): Cloud[] {
  const others = plotted(data, b);
  return plotted(data, a).flatMap((one) => {
    const other = others.find((o) => o.index === one.index);
    if (!other) return [];
    return Array.from({ length: one.plots.chains }, (_, c) => ({
      label: one.run.name,
      colour: data.runs.length > 1 ? one.index : c,
      x: scaledRow(one.plots.trace, one.p, c),
      y: scaledRow(other.plots.trace, other.p, c),
    }));
  });
}

class Pairs {
  private chosen: string[] = [];
  private data: ReportData | null = null;
  private picks = el("div", { class: "controls", role: "group", "aria-label": "parameters in the pairs plot" });
  private lead = el("div");
  private grid = el("div", { class: "grid" });
  private known = "";

  constructor(host: HTMLElement) {
    host.append(this.lead, this.picks, this.grid);
  }

  update(data: ReportData): void {
    this.data = data;
    const all = this.all();
    const labels = all.map((s) => s.label);
    this.chosen = this.chosen.filter((label) => labels.includes(label));
    if (this.chosen.length < 2) this.chosen = labels.slice(0, kFirst);
    this.lead.replaceChildren(el("p", { class: "hint" }, `Draws of up to ${kMost} parameters against each other, one dot per draw.`), legend(data));
    if (labels.join("\n") !== this.known) {
      this.known = labels.join("\n");
      this.drawPicks(labels);
    }
    this.draw();
  }

  private all(): Shared[] {
    return this.data ? sharedParameters(this.data).filter((s) => s.plot.some((p) => p >= 0)) : [];
  }

  private drawPicks(labels: string[]): void {
    clear(this.picks);
    for (let i = 0; i < Math.min(kMost, labels.length); ++i) {
      const select = el("select", { "aria-label": `pairs parameter ${i + 1}` }, el("option", { value: "" }, "(none)"),
        ...labels.map((label, j) => el("option", { value: j, selected: this.chosen[i] === label }, label)));
      select.addEventListener("change", () => this.choose());
      this.picks.append(select);
    }
  }

  private choose(): void {
    const labels = this.all().map((s) => s.label);
    const values = Array.from(this.picks.querySelectorAll("select"), (s) => (s.value === "" ? undefined : labels[Number(s.value)]));
    this.chosen = [...new Set(values.filter((v): v is string => v !== undefined))];
    this.draw();
  }

  private draw(): void {
    const { data } = this;
    if (!data) return;
    Array.from(this.grid.children).forEach(forget);
    clear(this.grid);
    const all = this.all();
    const picked = this.chosen.flatMap((label) => all.find((s) => s.label === label) ?? []);
    picked.forEach((a, i) => {
      for (const b of picked.slice(i + 1)) {
        const cell = el("div", { class: "cell pair" }, el("h4", {}, `${a.label} and ${b.label}`));
        this.grid.append(cell);
        whenVisible(cell, () => {
          const points = clouds(data, a, b), text = `correlation ${fixed(correlation(points), 2)}`;
          cell.append(el("p", { class: "hint" }, text));
          scatterPlot(cell, { text: `Pairs of ${a.label} and ${b.label}: ${text}`, clouds: points, xLabel: a.label, yLabel: b.label });
        });
      }
    });
  }
}

export const pairs: Section = {
  id: "pairs",
  ofParameters: true,
  title: "Pairs",
  shown: (data) => data.runs.some((run) => (run.plots?.rows.length ?? 0) > 1),
  create: (host) => new Pairs(host),
};
