// Shows one card per parameter, whose plots are made when the card comes into view.
import type { ReportData } from "../data";
import { clear, el } from "../dom";
import { parameterFilter } from "../filter";
import { fixed, ordinal, short, whole } from "../format";
import { forget, whenVisible } from "../lazy";
import { linePlot, type LineSpec } from "../plots/line";
import { rankPlot } from "../plots/ranks";
import { legend, rowOf, runName, sharedParameters, type Shared } from "../runs";
import type { Section } from "../section";
import { autocorrelationSpec, densitySpec, plotted, rankStrips, traceSpec } from "./parameter_plots";

function stateLine(data: ReportData, shared: Shared): HTMLElement {
  const parts = data.runs.flatMap((run, index) => {
    const r = rowOf(data, shared, index);
    if (!r) return [];
    const text = `mean ${short(r.mean)}, 90 % interval ${short(r.q5)} to ${short(r.q95)}, R-hat ${fixed(r.rhat, 3)}, ESS ${whole(r.essBulk)} bulk, ${whole(r.essTail)} tail`;
    return [el("div", {}, ...(data.runs.length > 1 ? [runName(run, index), ": "] : []), text)];
  });
  return el("div", { class: "state" }, ...parts);
}

class Card {
  readonly element = el("article", { class: "card unmade" });
  private state = el("div");
  private grid = el("div", { class: "grid" });
  private redraw: (() => void) | null = null; // set once the plots are made

  constructor(private data: ReportData, public shared: Shared) {
    this.element.append(el("h3", {}, shared.label), this.state, this.grid);
    this.reserve();
    this.update(data, shared);
    whenVisible(this.element, () => this.make());
  }

  // Reserves as much room as the plots will take, so that scrolling does not jump.
  private reserve(): void {
    this.grid.replaceChildren(...["", "", "", ""].map(() => el("div", { class: "cell" })));
  }

  update(data: ReportData, shared: Shared): void {
    this.data = data;
    this.shared = shared;
    this.state.replaceChildren(stateLine(data, shared));
    this.redraw?.();
  }

  private make(): void {
    this.element.classList.remove("unmade");
    clear(this.grid);
    const several = this.data.runs.length > 1, updates: (() => void)[] = [];
    const cell = (title: string): HTMLElement => {
      const made = el("div", { class: "cell" }, el("h4", {}, title));
      this.grid.append(made);
      return made;
    };
    const line = (title: string, spec: () => LineSpec | null): void => {
      const first = spec();
      if (!first) return;
      const plot = linePlot(cell(title), first);
      updates.push(() => {
        const next = spec();
        if (next) plot.update(next);
      });
    };
    const now = () => plotted(this.data, this.shared);
    line("Density, median and 90 % interval", () => densitySpec(this.data, this.shared, now()));
    line(several ? "Autocorrelation, mean over chains" : "Autocorrelation", () => autocorrelationSpec(this.shared, now(), several));
    now().forEach((one, i) => {
      const of = several ? ` · ${one.run.name}` : "", again = () => now()[i] ?? one;
      line(`Trace${of}`, () => traceSpec(this.shared, again(), several));
      const text = `Ranks of ${this.shared.label}${of}: a histogram per chain`;
      const ranks = rankPlot(cell(`Ranks, a strip per chain${of}`), text, rankStrips(one, several), 180);
      updates.push(() => ranks.update(text, rankStrips(again(), several)));
    });
    this.redraw = () => updates.forEach((update) => update());
  }
}

class Parameters {
  private cards: Card[] = [];
  private list = el("div");
  private lead = el("div");

  constructor(host: HTMLElement) {
    host.append(this.lead, this.list);
    parameterFilter.listen(() => this.filter());
  }

  update(data: ReportData): void {
    const shared = sharedParameters(data).filter((s) => s.plot.some((p) => p >= 0));
    this.lead.replaceChildren(this.words(data), legend(data));
    const same = shared.length === this.cards.length && shared.every((s, i) => s.label === this.cards[i]?.shared.label);
    if (same) {
      shared.forEach((s, i) => this.cards[i]?.update(data, s));
    } else {
      this.cards.forEach((card) => forget(card.element));
      this.cards = shared.map((s) => new Card(data, s));
      this.list.replaceChildren(...this.cards.map((card) => card.element));
    }
    this.filter();
  }

  private words(data: ReportData): HTMLElement {
    const thinned = data.runs.find((run) => (run.plots?.every ?? 1) > 1)?.plots;
    const few = data.runs.find((run) => run.plots && run.plots.rows.length < run.parametersInAll);
    return el("p", { class: "hint" },
      "Chains that agree have traces that overlap, densities alike, and rank histograms level with their dashed line.",
      thinned ? ` Traces show every ${ordinal(thinned.every)} draw; the rest is from all draws.` : "",
      few ? ` ${whole(few.plots?.rows.length)} of ${whole(few.parametersInAll)} parameters are plotted: those that mixed worst, and the first.` : "");
  }

  private filter(): void {
    for (const { element, shared } of this.cards) element.hidden = !parameterFilter.accepts(shared.label, shared.name);
  }
}

export const parameters: Section = {
  id: "parameters",
  ofParameters: true,
  title: "Parameter plots",
  shown: (data) => data.runs.some((run) => run.plots !== null),
  create: (host) => new Parameters(host),
};
