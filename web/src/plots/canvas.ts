// A canvas as wide as its host, which is redrawn when its size or the theme changes. The marks are simple, so it uses
// no library.
import { el } from "../dom";
import { onThemeChange } from "../theme";
import { hideTooltip, showTooltip } from "../tooltip";

export interface Picture {
  text: string; // describes the picture in words
  height: number | ((width: number) => number);
  draw(context: CanvasRenderingContext2D, width: number, height: number): void;
  hover?(x: number, y: number, width: number, height: number): string[] | null; // lines for the tooltip
}

export interface CanvasPlot {
  update(picture: Picture): void;
}

export const kFont = "11px system-ui, sans-serif";

export function canvasPlot(host: HTMLElement, first: Picture): CanvasPlot {
  let picture = first;
  const canvas = el("canvas", { role: "img", "aria-label": picture.text });
  const frame = el("div", { class: "plot" }, canvas);
  host.append(frame);
  let width = 0, height = 0;
  const draw = (): void => {
    width = Math.max(120, frame.clientWidth);
    height = typeof picture.height === "number" ? picture.height : picture.height(width);
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    context.font = kFont;
    context.textBaseline = "middle";
    picture.draw(context, width, height);
  };
  draw();
  new ResizeObserver(() => {
    if (Math.max(120, frame.clientWidth) !== width) draw();
  }).observe(frame);
  onThemeChange(frame, draw);
  canvas.addEventListener("mousemove", (event) => {
    const lines = picture.hover?.(event.offsetX, event.offsetY, width, height) ?? null;
    if (lines) showTooltip(lines, event.clientX, event.clientY);
    else hideTooltip();
  });
  canvas.addEventListener("mouseleave", hideTooltip);
  return {
    update(next) {
      picture = next;
      canvas.setAttribute("aria-label", picture.text);
      draw();
    },
  };
}

// Cuts a label that does not fit, with an ellipsis.
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

// Returns about `count` round numbers from low to high.
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count), size = 10 ** Math.floor(Math.log10(raw));
  const step = size * ([1, 2, 5, 10].find((m) => m * size >= raw) ?? 10);
  const out: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; ++k) out.push(k * step);
  return out;
}
