// Describes the plots of one parameter: density, trace, ranks and autocorrelation. This file makes only the
// specifications; the parameter's card places the plots.
import type { ParameterPlots, ReportData, RunData } from "../data";
import { row, scaledRow } from "../decode";
import { fixed, ordinal, short } from "../format";
import type { Line, LineSpec } from "../plots/line";
import type { RankStrip } from "../plots/ranks";
import { rowOf, type Shared } from "../runs";
import { colour, seriesColour, seriesDash } from "../theme";

export interface Plotted {
  run: RunData;
  index: number; // index of the run
  plots: ParameterPlots;
  p: number; // index of the parameter in the run's plots
}

export function plotted(data: ReportData, shared: Shared): Plotted[] {
  return data.runs.flatMap((run, index) => {
    const p = shared.plot[index] ?? -1;
    return run.plots && p >= 0 ? [{ run, index, plots: run.plots, p }] : [];
  });
}

const series = (index: number): (() => string) => () => seriesColour(index);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function densityGrid({ plots, p }: Plotted): number[] {
  const points = plots.density.shape[2] ?? 1, low = plots.densityLow[p] ?? 0, high = plots.densityHigh[p] ?? 0;
  return upTo(points).map((i) => low + ((high - low) * i) / Math.max(1, points - 1));
}

// Brings a density to a common grid by linear interpolation, so that several runs can be compared.
function resampled(from: number[], y: (number | null)[], x: number[]): (number | null)[] {
  const low = from[0] ?? 0, high = from[from.length - 1] ?? 0, step = (high - low) / Math.max(1, from.length - 1);
  return x.map((v) => {
    if (v < low || v > high || !(step > 0)) return 0;
    const i = Math.min(from.length - 2, Math.floor((v - low) / step)), share = (v - low) / step - i;
    return (y[i] ?? 0) * (1 - share) + (y[i + 1] ?? 0) * share;
  });
}

export function densitySpec(data: ReportData, shared: Shared, all: Plotted[]): LineSpec | null {
  const first = all[0];
  if (!first) return null;
  const marks = all.flatMap(({ index }) => {
    const r = rowOf(data, shared, index);
    const mark = (x: number | null | undefined, dash: number[]) =>
      x === null || x === undefined ? [] : [{ x, dash, colour: all.length > 1 ? series(index) : () => colour("muted") }];
    return r ? [...mark(r.q5, [2, 3]), ...mark(r.q95, [2, 3]), ...mark(r.q50, [6, 3])] : [];
  });
  let x: number[], lines: Line[];
  if (all.length === 1 && data.runs.length === 1) {
    const { plots, p } = first;
    x = densityGrid(first);
    lines = upTo(plots.chains).map((c) => ({ label: `chain ${c + 1}`, y: scaledRow(plots.density, p, c), colour: series(c), dash: seriesDash(c) }));
    lines.push({ label: "all chains", y: scaledRow(plots.density, p, plots.chains), colour: () => colour("ink"), width: 2 });
  } else {
    const grids = all.map(densityGrid);
    const low = Math.min(...grids.map((g) => g[0] ?? 0)), high = Math.max(...grids.map((g) => g[g.length - 1] ?? 0));
    x = upTo(256).map((i) => low + ((high - low) * i) / 255);
    lines = all.map(({ run, index, plots, p }, i) => ({ label: run.name, colour: series(index), dash: seriesDash(index), width: 2,
      y: resampled(grids[i] ?? [], scaledRow(plots.density, p, plots.chains), x) }));
  }
  const r = rowOf(data, shared, first.index);
  return { text: `Density of ${shared.label}: median ${short(r?.q50)}, 90 % interval ${short(r?.q5)} to ${short(r?.q95)}`,
    x, lines, marks, xLabel: "value", xFormat: short, yFormat: short, yRange: [0, null] };
}

export function traceSpec(shared: Shared, { run, index, plots, p }: Plotted, several: boolean): LineSpec {
  const points = plots.trace.shape[2] ?? 0;
  const shade = (c: number): number => (several ? index : c);
  return {
    text: `Trace of ${shared.label}${several ? ` in ${run.name}` : ""}: ${plots.chains} chains, every ${ordinal(plots.every)} of ${plots.draws} draws`,
    x: upTo(points).map((i) => (i + 1) * plots.every),
    lines: upTo(plots.chains).map((c) => ({ label: `chain ${c + 1}`, y: scaledRow(plots.trace, p, c), colour: series(shade(c)), width: 0.8 })),
    xLabel: "draw", yFormat: short,
  };
}

export function rankStrips({ index, plots, p }: Plotted, several: boolean): RankStrip[] {
  return upTo(plots.chains).map((c) => ({ label: `chain ${c + 1}`, colour: several ? index : c, counts: row(plots.ranks, p, c) }));
}

function meanOf(rows: (number | null)[][]): (number | null)[] {
  return (rows[0] ?? []).map((_, i) => {
    const known = rows.map((r) => r[i]).filter((v): v is number => v !== null && v !== undefined);
    return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
  });
}

export function autocorrelationSpec(shared: Shared, all: Plotted[], several: boolean): LineSpec | null {
  const first = all[0];
  if (!first) return null;
  const rows = ({ plots, p }: Plotted) => upTo(plots.chains).map((c) => scaledRow(plots.autocorrelation, p, c));
  let x = first.plots.lags, lines: Line[];
  if (!several) {
    lines = rows(first).map((y, c) => ({ label: `chain ${c + 1}`, y, colour: series(c), dash: seriesDash(c) }));
  } else {
    // The lags differ if the runs have different lengths.
    x = [...new Set(all.flatMap((a) => a.plots.lags))].sort((a, b) => a - b);
    lines = all.map((a) => {
      const mean = meanOf(rows(a)), at = new Map(a.plots.lags.map((lag, i) => [lag, mean[i] ?? null]));
      return { label: a.run.name, colour: series(a.index), dash: seriesDash(a.index), y: x.map((lag) => at.get(lag)) };
    });
  }
  const lag = lines[0]?.y.findIndex((v) => typeof v === "number" && Math.abs(v) < 0.1) ?? -1;
  return { text: `Autocorrelation of ${shared.label}: ${lag >= 0 ? `below 0.1 from lag ${x[lag]} on` : "above 0.1 at all lags shown"}`,
    x, lines, xLabel: "lag (draws)", yFormat: (v) => fixed(v, 2), yRange: [null, 1.05], marks: [{ y: 0, colour: () => colour("muted") }] };
}
