// Draws the intervals of all parameters on one axis.
import type { ParameterRow, ReportData } from "../data";
import { clear, el } from "../dom";
import { parameterFilter } from "../filter";
import { short } from "../format";
import { intervals, keepWidth, type Row } from "../plots/intervals";
import { legend, rowOf, sharedParameters } from "../runs";
import type { Section } from "../section";

const kMost = 60;
const kUnlike = 20; // widths that differ by more cannot share an axis

type Known = ParameterRow & { q5: number; q50: number; q95: number; sd: number };
const known = (row: ParameterRow | undefined): row is Known =>
  !!row && row.q5 !== null && row.q95 !== null && row.q50 !== null && row.sd !== null;

interface Found {
  label: string;
  rows: { run: number; row: Known }[];
}

function gather(data: ReportData): Found[] {
  return sharedParameters(data)
    .filter((s) => parameterFilter.accepts(s.label, s.name))
    .map((shared) => ({
      label: shared.label,
      rows: data.runs.flatMap((_, run) => {
        const row = rowOf(data, shared, run);
        return known(row) ? [{ run, row }] : [];
      }),
    }))
    .filter((found) => found.rows.length > 0);
}

// Coefficients per unit of their columns may differ by orders of magnitude. They are then drawn in standard deviations:
// of the last run that has the parameter, so that runs can be compared.
function unlike(all: Found[]): boolean {
  const sizes = all.flatMap((f) => f.rows.map(({ row }) => Math.max(Math.abs(row.q5), Math.abs(row.q95)))).filter((size) => size > 0);
  return sizes.length > 1 && Math.max(...sizes) > kUnlike * Math.min(...sizes);
}

// In standard deviations, intercepts and scales are often so far from zero, which means nothing for them, that no other
// interval could be seen.
const aside = (label: string): boolean => /(^|[[ ])intercept\]?$|^log_/.test(label);

function drawn(all: Found[], scaled: boolean): Found[] {
  const some = all.filter((f) => !aside(f.label));
  return scaled && some.length > 0 ? some : all;
}

function rowsOf(all: Found[], scaled: boolean): Row[] {
  return all.map(({ label, rows }) => {
    const sd = rows[rows.length - 1]?.row.sd ?? 1, unit = scaled && sd > 0 ? sd : 1;
    return {
      label,
      marks: rows.map(({ run, row }) => ({ low: row.q5 / unit, middle: row.q50 / unit, high: row.q95 / unit, colour: run,
        text: `${row.label}: ${short(row.q5)} to ${short(row.q95)}, median ${short(row.q50)}` })),
    };
  });
}

export const forest: Section = {
  id: "forest",
  ofParameters: true,
  title: "Forest plot",
  shown: (data) => data.runs.some((run) => run.parameters.some(known)),
  create(host) {
    let latest: ReportData | null = null, width = Math.max(260, host.clientWidth);
    const update = (data: ReportData): void => {
      latest = data;
      clear(host);
      const found = gather(data), scaled = unlike(found.slice(0, kMost)), all = drawn(found, scaled), shown = all.slice(0, kMost);
      const left = all.length < found.length ? ", without intercepts and scales" : "";
      const axis = scaled ? ` The parameters differ too much for one axis, so each is drawn in its own standard deviations from zero${left}; the numbers are in the table.` : "";
      const estimates = data.runs.every((run) => run.facts.states === "estimates");
      host.append(el("p", { class: "hint" }, `${estimates ? "Estimate and 90 % interval" : "Median and 90 % interval (5 % to 95 % quantile)"} of each parameter; the dashed line is zero.${axis}`));
      if (data.runs.length > 1) host.append(legend(data));
      if (shown.length > 0)
        host.append(intervals({ kind: "forest", rows: rowsOf(shown, scaled), lines: [{ at: 0, colour: "zero" }], text:
          `Forest plot: medians and 90 % intervals of ${shown.length} parameters; the numbers are in the summary table` }, width));
      if (all.length > kMost) host.append(el("p", { class: "hint" }, `The first ${kMost} of ${all.length} are drawn: narrow them with the parameter filter.`));
    };
    parameterFilter.listen(() => latest && update(latest));
    keepWidth(host, (wide) => {
      width = wide;
      if (latest) update(latest);
    });
    return { update };
  },
};
