// A map of clients × labels that shows how differently the clients' rows are distributed.
import type { Heterogeneity } from "../data";
import { table } from "../dom";
import { percent, whole } from "../format";
import type { HeatSpec } from "../plots/heat";
import { anyRun } from "../runs";
import type { Section } from "../section";
import { runMaps, type RunMap } from "./run_maps";

function rowSum(h: Heterogeneity, group: number): number {
  return (h.counts[group] ?? []).reduce((a, b) => a + b, 0);
}

// The mean over clients, weighted by rows, of half the L1 distance between a client's label shares and those of all
// rows.
function distance(h: Heterogeneity): number {
  const pooled = h.labels.map((_, k) => h.counts.reduce((sum, row) => sum + (row[k] ?? 0), 0));
  const all = pooled.reduce((a, b) => a + b, 0);
  let sum = 0;
  h.counts.forEach((row, g) => {
    const rows = rowSum(h, g);
    if (rows > 0) sum += rows * 0.5 * row.reduce((d, n, k) => d + Math.abs(n / rows - (pooled[k] ?? 0) / all), 0);
  });
  return all > 0 ? sum / all : 0;
}

function spec(h: Heterogeneity): HeatSpec {
  const many = h.labels.length > 14, every = Math.ceil(h.labels.length / 14);
  return {
    text: `Training rows of ${h.groups.length} clients or groups by ${h.labels.length} labels`,
    rows: h.groups,
    columns: h.labels,
    ticks: h.labels.map((text, k) => ({ at: k + 0.5, text: text.length > 14 ? `${text.slice(0, 13)}…` : text })).filter((_, k) => !many || k % every === 0),
    value: (r, c) => (rowSum(h, r) > 0 ? (h.counts[r]?.[c] ?? 0) / rowSum(h, r) : null),
    describe: (r, c) => [h.groups[r] ?? "", `label ${h.labels[c]}: ${whole(h.counts[r]?.[c])} rows`, `${percent((h.counts[r]?.[c] ?? 0) / Math.max(1, rowSum(h, r)))} of its ${whole(rowSum(h, r))}`],
    xLabel: "label",
  };
}

function mapOf(h: Heterogeneity): RunMap {
  return {
    words: `${percent(distance(h))} of the rows would have to change their label for all clients to be alike.`,
    spec: spec(h),
    caption: "Rows as a table",
    table: () => table("Training rows of each label", [{ title: "client" }, ...h.labels.map((title) => ({ title, number: true }))],
      h.groups.map((name, g) => [name, ...(h.counts[g] ?? []).map((n) => whole(n))])),
  };
}

export const heterogeneity: Section = {
  id: "heterogeneity",
  title: "Heterogeneity",
  shown: (data) => anyRun(data, (run) => run.heterogeneity !== null),
  create: (host) => runMaps(host, "Each client's training rows by label, as a share of its rows.",
    (run) => (run.heterogeneity ? mapOf(run.heterogeneity) : null)),
};
