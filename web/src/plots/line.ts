// Line plots over a common x: uPlot with pollen's colours and tooltips, and a text for readers who do not see the plot.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { el } from "../dom";
import { axisNumber } from "../format";
import { colour, onThemeChange } from "../theme";
import { hideTooltip, showTooltip } from "../tooltip";

export interface Line {
  label: string;
  // Undefined means that there is no point at this x, which leaves no gap in the line.
  y: (number | null | undefined)[];
  colour: () => string; // called again when the theme changes
  dash?: number[];
  width?: number;
  points?: boolean; // dots in addition to the line
  bars?: boolean; // bars instead of the line
}

export interface LineSpec {
  text: string; // describes the plot in words
  x: number[];
  lines: Line[];
  xLabel: string;
  yLabel?: string;
  xFormat?: (x: number) => string;
  yFormat?: (y: number) => string;
  xLog?: boolean;
  yRange?: [number | null, number | null];
  marks?: { x?: number; y?: number; colour: () => string; dash?: number[] }[]; // straight lines across
  bars?: { x: number; low: number; high: number; colour: () => string }[]; // intervals at single points
  height?: number;
}

export interface LinePlot {
  update(spec: LineSpec): void;
}

function marksPlugin(spec: () => LineSpec): uPlot.Plugin {
  const draw = (u: uPlot): void => {
    const { left, top, width, height } = u.bbox, context = u.ctx;
    context.save();
    context.lineWidth = devicePixelRatio;
    for (const mark of spec().marks ?? []) {
      context.strokeStyle = mark.colour();
      context.setLineDash((mark.dash ?? [4, 3]).map((d) => d * devicePixelRatio));
      context.beginPath();
      if (mark.x !== undefined) {
        const at = u.valToPos(mark.x, "x", true);
        if (at >= left && at <= left + width) context.moveTo(at, top), context.lineTo(at, top + height);
      } else if (mark.y !== undefined) {
        const at = u.valToPos(mark.y, "y", true);
        if (at >= top && at <= top + height) context.moveTo(left, at), context.lineTo(left + width, at);
      }
      context.stroke();
    }
    context.setLineDash([]);
    for (const bar of spec().bars ?? []) {
      context.strokeStyle = bar.colour();
      context.beginPath();
      const at = u.valToPos(bar.x, "x", true);
      context.moveTo(at, u.valToPos(bar.low, "y", true));
      context.lineTo(at, u.valToPos(bar.high, "y", true));
      context.stroke();
    }
    context.restore();
  };
  return { hooks: { draw } };
}

function tooltipPlugin(spec: () => LineSpec): uPlot.Plugin {
  const show = (u: uPlot): void => {
    const at = u.cursor.idx;
    if (at === null || at === undefined || (u.cursor.left ?? -1) < 0) return hideTooltip();
    const s = spec(), yText = s.yFormat ?? axisNumber;
    const lines = [`${s.xLabel}: ${(s.xFormat ?? axisNumber)(s.x[at] ?? 0)}`];
    for (const line of s.lines) {
      const y = line.y[at];
      if (y !== null && y !== undefined) lines.push(`${line.label}: ${yText(y)}`);
    }
    const box = u.over.getBoundingClientRect();
    showTooltip(lines.slice(0, 12), box.left + (u.cursor.left ?? 0), box.top + (u.cursor.top ?? 0));
  };
  return {
    hooks: {
      setCursor: show,
      ready: (u: uPlot) => u.over.addEventListener("mouseleave", hideTooltip),
    },
  };
}

function axis(label: string | undefined, format: (v: number) => string, vertical: boolean): uPlot.Axis {
  const made: uPlot.Axis = {
    stroke: () => colour("muted"),
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { stroke: () => colour("grid"), width: 1, size: 4 },
    font: "11px system-ui, sans-serif",
    labelFont: "11px system-ui, sans-serif",
    // The axis is as wide as its numbers.
    size: vertical ? (_, values) => Math.max(44, 16 + 6.3 * Math.max(0, ...(values ?? []).map((v) => v.length))) : 30,
    values: (_, splits) => splits.map((v) => (v === null ? "" : format(v))),
  };
  if (label) (made.label = label), (made.labelSize = 16);
  return made;
}

function options(spec: () => LineSpec, width: number): uPlot.Options {
  const s = spec();
  const [least, most] = s.yRange ?? [null, null];
  const range = (_: uPlot, low: number | null, high: number | null): [number, number] => {
    if (low === null || high === null) return [least ?? 0, most ?? 1];
    const margin = high > low ? 0.06 * (high - low) : 0.02 * Math.abs(high) || 1; // puts a level line in the middle
    return [least ?? low - margin, most ?? high + margin];
  };
  return {
    width,
    height: s.height ?? 180,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false } },
    scales: { x: s.xLog ? { time: false, distr: 3 } : { time: false }, y: { range } },
    axes: [axis(s.xLabel, s.xFormat ?? axisNumber, false), axis(s.yLabel, s.yFormat ?? axisNumber, true)],
    series: [{}, ...s.lines.map((line, i): uPlot.Series => ({
      label: line.label,
      stroke: () => spec().lines[i]?.colour() ?? colour("ink"),
      width: line.width ?? 1.25,
      dash: line.dash ?? [],
      // A single point makes no line, so it gets a dot.
      points: { show: () => line.points ?? spec().x.length < 3, size: 5 },
      ...(line.bars && uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.92] }), fill: () => `${spec().lines[i]?.colour() ?? ""}99` } : {}),
      spanGaps: false,
    }))],
    plugins: [marksPlugin(spec), tooltipPlugin(spec)],
  };
}

const shape = (spec: LineSpec): string => JSON.stringify([spec.lines.map((l) => [l.label, l.dash]), spec.xLog, spec.xLabel, spec.yLabel]);
const dataOf = (spec: LineSpec): uPlot.AlignedData => [spec.x, ...spec.lines.map((line) => line.y)];

export function linePlot(host: HTMLElement, first: LineSpec): LinePlot {
  let spec = first, plot: uPlot | null = null;
  const frame = el("div", { class: "plot", role: "img", "aria-label": spec.text });
  host.append(frame);
  const make = (): void => {
    plot?.destroy();
    plot = new uPlot(options(() => spec, Math.max(160, frame.clientWidth)), dataOf(spec), frame);
  };
  make();
  new ResizeObserver(() => {
    const width = Math.max(160, frame.clientWidth);
    if (plot && width !== plot.width) plot.setSize({ width, height: spec.height ?? 180 });
  }).observe(frame);
  onThemeChange(frame, () => plot?.redraw(false, true));
  return {
    update(next) {
      const same = shape(next) === shape(spec);
      spec = next;
      frame.setAttribute("aria-label", spec.text);
      if (same) plot?.setData(dataOf(spec));
      else make();
    },
  };
}
