// Plots two parameters against each other.
import { axisNumber } from "../format";
import { colour, seriesColour } from "../theme";
import { canvasPlot, ticks, type CanvasPlot, type Picture } from "./canvas";

export interface Cloud {
  label: string;
  colour: number;
  x: (number | null)[];
  y: (number | null)[];
}

export interface ScatterSpec {
  text: string;
  clouds: Cloud[];
  xLabel: string;
  yLabel: string;
}

const kLeft = 56, kBottom = 34, kTop = 8, kRight = 8;

function range(values: (number | null)[][]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const list of values)
    for (const v of list) if (v !== null) (low = Math.min(low, v)), (high = Math.max(high, v));
  if (!(high > low)) return Number.isFinite(low) ? [low - 1, low + 1] : [0, 1];
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}

function picture(spec: ScatterSpec): Picture {
  const [x0, x1] = range(spec.clouds.map((c) => c.x)), [y0, y1] = range(spec.clouds.map((c) => c.y));
  const place = (width: number, height: number) => ({
    x: (v: number) => kLeft + ((v - x0) / (x1 - x0)) * (width - kLeft - kRight),
    y: (v: number) => height - kBottom - ((v - y0) / (y1 - y0)) * (height - kTop - kBottom),
  });
  return {
    text: spec.text,
    height: (width) => Math.round(Math.min(360, Math.max(180, width * 0.8))),
    draw(context, width, height) {
      const at = place(width, height);
      context.strokeStyle = colour("grid");
      context.fillStyle = colour("muted");
      context.textAlign = "center";
      for (const t of ticks(x0, x1, width / 90)) {
        context.fillText(axisNumber(Number(t.toPrecision(6))), at.x(t), height - kBottom + 10);
        line(context, at.x(t), kTop, at.x(t), height - kBottom);
      }
      context.textAlign = "right";
      for (const t of ticks(y0, y1, height / 50)) {
        context.fillText(axisNumber(Number(t.toPrecision(6))), kLeft - 5, at.y(t));
        line(context, kLeft, at.y(t), width - kRight, at.y(t));
      }
      context.textAlign = "center";
      context.fillText(spec.xLabel, (kLeft + width) / 2, height - 7);
      for (const cloud of spec.clouds) {
        context.fillStyle = seriesColour(cloud.colour);
        const size = cloud.x.length > 1000 ? 2 : 3;
        context.globalAlpha = cloud.x.length > 1000 ? 0.4 : 0.6;
        cloud.x.forEach((x, i) => {
          const y = cloud.y[i];
          if (x !== null && y !== null && y !== undefined) context.fillRect(at.x(x) - size / 2, at.y(y) - size / 2, size, size);
        });
        context.globalAlpha = 1;
      }
      context.save();
      context.translate(8, (kTop + height - kBottom) / 2);
      context.rotate(-Math.PI / 2);
      context.fillStyle = colour("muted");
      context.fillText(spec.yLabel, 0, 0);
      context.restore();
    },
    hover(px, py, width, height) {
      if (px < kLeft || py > height - kBottom) return null;
      const x = x0 + ((px - kLeft) / (width - kLeft - kRight)) * (x1 - x0);
      const y = y0 + ((height - kBottom - py) / (height - kTop - kBottom)) * (y1 - y0);
      return [`${spec.xLabel}: ${axisNumber(Number(x.toPrecision(4)))}`, `${spec.yLabel}: ${axisNumber(Number(y.toPrecision(4)))}`];
    },
  };
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

export function scatterPlot(host: HTMLElement, spec: ScatterSpec): { update(spec: ScatterSpec): void } {
  const plot: CanvasPlot = canvasPlot(host, picture(spec));
  return { update: (next) => plot.update(picture(next)) };
}
