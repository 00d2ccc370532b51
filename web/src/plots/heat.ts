// A heat map of rows × columns of shares between 0 and 1; a cell may have no value.
import { el } from "../dom";
import { percent } from "../format";
import { colour } from "../theme";
import { canvasPlot, fitted, type CanvasPlot, type Picture } from "./canvas";

export interface HeatSpec {
  text: string;
  rows: string[];
  columns: string[]; // as the tooltip names them
  ticks: { at: number; text: string }[]; // labels under columns; `at` counts columns, and halves lie between them
  value(row: number, column: number): number | null; // 0 to 1
  top?: number; // the share that gets the full colour; 1 if not set
  describe(row: number, column: number): string[];
  xLabel: string;
}

const kLeft = 110, kBottom = 34, kTop = 4, kRight = 26;

function rowHeight(rows: number): number {
  return Math.max(3, Math.min(20, 420 / Math.max(1, rows)));
}

// Mixes colours from the background to the accent, so that the map is readable in grey too.
function mixer(): (share: number) => string {
  const from = rgb(colour("heat0")), to = rgb(colour("heat1"));
  return (share) => `rgb(${from.map((c, i) => Math.round(c + (to[i]! - c) * share)).join(" ")})`;
}

function rgb(hex: string): [number, number, number] {
  const value = parseInt(hex.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function picture(spec: HeatSpec): Picture {
  const cell = (width: number): number => (width - kLeft - kRight) / Math.max(1, spec.columns.length);
  const tall = rowHeight(spec.rows.length);
  return {
    text: spec.text,
    height: kTop + tall * spec.rows.length + kBottom,
    draw(context, width, height) {
      const wide = cell(width), mix = mixer();
      const every = Math.ceil(13 / tall);
      context.textAlign = "right";
      spec.rows.forEach((name, r) => {
        const y = kTop + r * tall;
        spec.columns.forEach((_, c) => {
          const share = spec.value(r, c);
          context.fillStyle = share === null ? colour("panel") : mix(Math.max(0, Math.min(1, share / (spec.top || 1))));
          // Whole pixels avoid stripes.
          const from = Math.round(kLeft + c * wide), to = Math.round(kLeft + (c + 1) * wide);
          context.fillRect(from, y, Math.max(1, to - from - (wide > 6 ? 1 : 0)), tall - (tall > 6 ? 1 : 0));
        });
        if (r % every !== 0) return;
        context.fillStyle = colour("ink");
        context.fillText(fitted(context, name, kLeft - 10), kLeft - 6, y + tall / 2);
      });
      context.fillStyle = colour("muted");
      context.textAlign = "center";
      for (const tick of spec.ticks) context.fillText(tick.text, kLeft + tick.at * wide, height - kBottom + 10);
      context.fillText(spec.xLabel, (kLeft + width - kRight) / 2, height - 7);
    },
    hover(x, y, width) {
      const c = Math.floor((x - kLeft) / cell(width)), r = Math.floor((y - kTop) / tall);
      if (c < 0 || r < 0 || c >= spec.columns.length || r >= spec.rows.length) return null;
      return spec.describe(r, c);
    },
  };
}

// Makes a legend that explains the colours.
export function ramp(top: number): HTMLElement {
  const most = percent(top);
  return el("p", { class: "hint" }, "0 %", el("span", { class: "ramp", role: "img", "aria-label": `colours from 0 to ${most}` }), most);
}

export function largest(spec: HeatSpec): number {
  let most = 0;
  spec.rows.forEach((_, r) => spec.columns.forEach((__, c) => (most = Math.max(most, spec.value(r, c) ?? 0))));
  return most;
}

export interface HeatMap {
  update(spec: HeatSpec): void;
}

export function heatMap(host: HTMLElement, spec: HeatSpec): HeatMap {
  const plot: CanvasPlot = canvasPlot(host, picture(spec));
  return { update: (next) => plot.update(picture(next)) };
}
