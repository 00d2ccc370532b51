// Draws the intervals of all parameters on one axis.
import type { ParameterRow, ReportData } from "../data";
import { clear, el, svg } from "../dom";
import { parameterFilter } from "../filter";
import { axisNumber, short } from "../format";
import { ticks } from "../plots/canvas";
import { legend, rowOf, sharedParameters, type Shared } from "../runs";
import type { Section } from "../section";

const kRight = 20, kTop = 8, kBottom = 26, kMost = 60;

interface Interval {
  shared: Shared;
  rows: { run: number; row: ParameterRow }[];
}

const finite = (row: ParameterRow): boolean => row.q5 !== null && row.q95 !== null && row.q50 !== null;

function gather(data: ReportData): Interval[] {
  return sharedParameters(data)
    .filter((s) => parameterFilter.accepts(s.label, s.name))
    .map((shared) => ({
      shared,
      rows: data.runs.flatMap((_, run) => {
        const row = rowOf(data, shared, run);
        return row && finite(row) ? [{ run, row }] : [];
      }),
    }));
}

function intervalMarks(row: ParameterRow, run: number, y: number, at: (x: number) => number): SVGElement {
  const low = row.q5 ?? 0, middle = row.q50 ?? 0, high = row.q95 ?? 0;
  return svg("g", { class: `k${run % 8}` },
    svg("title", {}, `${row.label}: ${short(low)} to ${short(high)}, median ${short(middle)}`),
    svg("line", { x1: at(low), x2: at(high), y1: y, y2: y, "stroke-width": 2.5 }),
    svg("circle", { cx: at(middle), cy: y, r: 3.5 }));
}

function shortLabel(label: string, most: number): string {
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
}

// Uses all the available width, so that text keeps its size.
function draw(data: ReportData, intervals: Interval[], wide: number): SVGElement {
  const left = Math.min(190, Math.max(90, wide * 0.28)), most = Math.floor(left / 6.6);
  const each = Math.max(17, 9 * data.runs.length + 6), height = kTop + kBottom + each * intervals.length;
  const rows = intervals.flatMap((i) => i.rows.map((r) => r.row));
  const low = Math.min(0, ...rows.map((r) => r.q5 ?? 0)), high = Math.max(0, ...rows.map((r) => r.q95 ?? 0));
  const scale = high > low ? high - low : 1;
  const at = (x: number): number => left + ((x - low) / scale) * (wide - left - kRight);
  const picture = svg("svg", { class: "forest", viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label":
    `Forest plot: medians and 90 % intervals of ${intervals.length} parameters; the numbers are in the summary table` });
  for (const t of ticks(low, high, wide / 110))
    picture.append(svg("line", { class: "tick", x1: at(t), x2: at(t), y1: kTop, y2: height - kBottom }),
      svg("text", { class: "axis", x: at(t), y: height - 8, "text-anchor": "middle" }, axisNumber(Number(t.toPrecision(6)))));
  picture.append(svg("line", { class: "zero", x1: at(0), x2: at(0), y1: kTop, y2: height - kBottom }));
  intervals.forEach((interval, i) => {
    const middle = kTop + (i + 0.5) * each;
    picture.append(svg("text", { x: left - 10, y: middle + 4, "text-anchor": "end" },
      svg("title", {}, interval.shared.label), shortLabel(interval.shared.label, most)));
    interval.rows.forEach(({ run, row }) =>
      picture.append(intervalMarks(row, run, middle + (run - (data.runs.length - 1) / 2) * 9, at)));
  });
  return picture;
}

export const forest: Section = {
  id: "forest",
  title: "Forest plot",
  shown: (data) => data.runs.some((run) => run.parameters.some(finite)),
  create(host) {
    let latest: ReportData | null = null, width = Math.max(300, host.clientWidth);
    const update = (data: ReportData): void => {
      latest = data;
      clear(host);
      const all = gather(data), shown = all.slice(0, kMost);
      host.append(el("p", { class: "hint" }, "Median and 90 % interval (5 % to 95 % quantile) of each parameter; the dashed line is zero."));
      if (data.runs.length > 1) host.append(legend(data));
      if (shown.length > 0) host.append(draw(data, shown, width));
      if (all.length > kMost) host.append(el("p", { class: "hint" }, `The first ${kMost} of ${all.length} are drawn: narrow them with the parameter filter.`));
    };
    parameterFilter.listen(() => latest && update(latest));
    new ResizeObserver(() => {
      const now = Math.max(300, host.clientWidth);
      if (now === width) return;
      width = now;
      if (latest) update(latest);
    }).observe(host);
    return { update };
  },
};
