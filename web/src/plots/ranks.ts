// Rank histograms: one strip of bars per chain. Where chains agree, the bars are level with the dashed line.
import { seriesColour, colour } from "../theme";
import { canvasPlot, type CanvasPlot, type Picture } from "./canvas";

export interface RankStrip {
  label: string;
  colour: number; // index of the series
  counts: ArrayLike<number>;
}

const kLeft = 60, kRight = 8, kBottom = 22, kTop = 4;

function picture(text: string, strips: RankStrip[], tall: number): Picture {
  const bins = strips[0]?.counts.length ?? 1;
  const most = Math.max(1, ...strips.map((s) => Math.max(...Array.from(s.counts))));
  const height = (tall - kTop - kBottom) / Math.max(1, strips.length);
  return {
    text,
    height: tall,
    draw(context, width) {
      const wide = (width - kLeft - kRight) / bins;
      strips.forEach((strip, s) => {
        const base = kTop + (s + 1) * height - 3, room = height - 6;
        const total = Array.from(strip.counts).reduce((sum, n) => sum + n, 0);
        context.fillStyle = seriesColour(strip.colour);
        Array.from(strip.counts).forEach((count, b) => {
          const bar = (room * count) / most;
          context.fillRect(kLeft + b * wide + 0.5, base - bar, Math.max(1, wide - 1), bar);
        });
        const level = base - (room * total) / bins / most;
        context.strokeStyle = colour("ink");
        context.setLineDash([3, 3]);
        context.beginPath();
        context.moveTo(kLeft, level);
        context.lineTo(width - kRight, level);
        context.stroke();
        context.setLineDash([]);
        context.fillStyle = colour("muted");
        context.textAlign = "right";
        context.fillText(strip.label, kLeft - 6, base - room / 2);
      });
      context.fillStyle = colour("muted");
      context.textAlign = "center";
      context.fillText("rank among all draws, low to high", (kLeft + width - kRight) / 2, tall - 8);
    },
    hover(x, y, width) {
      const b = Math.floor((x - kLeft) / ((width - kLeft - kRight) / bins)), s = Math.floor((y - kTop) / height);
      const strip = strips[s];
      if (!strip || b < 0 || b >= bins) return null;
      const total = Array.from(strip.counts).reduce((sum, n) => sum + n, 0);
      return [strip.label, `ranks ${b + 1} of ${bins}: ${strip.counts[b]} draws`, `level: ${Math.round(total / bins)}`];
    },
  };
}

export function rankPlot(host: HTMLElement, text: string, strips: RankStrip[], height: number): { update(text: string, strips: RankStrip[]): void } {
  const plot: CanvasPlot = canvasPlot(host, picture(text, strips, height));
  return { update: (next, more) => plot.update(picture(next, more, height)) };
}
