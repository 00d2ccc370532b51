// Intervals beside their names, one line each: a forest or a caterpillar plot. Labels are never cut: they stand beside the
// intervals where there is room, else above them, in as many lines as they need.
import { svg } from "../dom";
import { axisNumber } from "../format";
import { ticks } from "./canvas";

export interface Mark {
  low: number;
  middle: number;
  high: number;
  colour: number; // a series
  text: string; // its numbers, for the tooltip
  point?: number; // what was observed, as a cross
}

export interface Row {
  label: string;
  marks: Mark[];
}

export interface IntervalsSpec {
  text: string; // describes the plot in words
  rows: Row[];
  lines: { at: number; colour: string }[]; // vertical lines across, such as zero
  band?: { low: number; high: number };
  kind: string; // a class
}

const kRight = 20, kTop = 8, kBottom = 26, kLetter = 6.7, kLine = 15, kMark = 9;

// Cuts a text into lines of at most `most` letters, between words where it can.
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(/(?<=[\s_:,;.-])/)) {
    for (; word.length > most; word = word.slice(most)) {
      if (line) lines.push(line);
      lines.push(word.slice(0, most));
      line = "";
    }
    if (line.length + word.trimEnd().length > most) lines.push(line), (line = word);
    else line += word;
  }
  return [...lines, line].map((l) => l.trim()).filter((l) => l.length > 0);
}

interface Placed {
  row: Row;
  lines: string[];
  top: number;
  height: number;
}

function markOf(mark: Mark, y: number, at: (x: number) => number): SVGElement {
  const cross = mark.point === undefined ? [] : [
    svg("path", { class: "cross", d: `M${at(mark.point) - 4} ${y - 4}l8 8m0 -8l-8 8` })];
  return svg("g", { class: `k${mark.colour % 8}` },
    svg("title", {}, mark.text),
    svg("line", { x1: at(mark.low), x2: at(mark.high), y1: y, y2: y, "stroke-width": 2.5 }),
    svg("circle", { cx: at(mark.middle), cy: y, r: 3.5 }), ...cross);
}

export function intervals(spec: IntervalsSpec, wide: number): SVGElement {
  const longest = Math.max(0, ...spec.rows.map((r) => r.label.length)) * kLetter + 14;
  const above = longest > 0.4 * wide, left = above ? 8 : Math.max(60, longest);
  let top = kTop;
  const placed = spec.rows.map((row): Placed => {
    const lines = above ? wrapped(row.label, Math.floor((wide - 16) / kLetter)) : [row.label];
    const marks = Math.max(17, kMark * row.marks.length + 8), one = { row, lines, top, height: above ? lines.length * kLine + marks : marks };
    top += one.height;
    return one;
  });
  const height = top + kBottom;
  const ends = [...spec.rows.flatMap((r) => r.marks.flatMap((m) => [m.low, m.high, m.point ?? m.middle])), ...spec.lines.map((l) => l.at)];
  const low = Math.min(...ends), high = Math.max(...ends), scale = high > low ? high - low : 1;
  const at = (x: number): number => left + ((x - low) / scale) * (wide - left - kRight);
  const across = { y1: kTop, y2: height - kBottom };
  const picture = svg("svg", { class: spec.kind, viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": spec.text });
  if (spec.band)
    picture.append(svg("rect", { class: "band", x: at(spec.band.low), width: Math.max(1, at(spec.band.high) - at(spec.band.low)), y: kTop, height: height - kBottom - kTop }));
  for (const t of ticks(low, high, wide / 110))
    picture.append(svg("line", { class: "tick", x1: at(t), x2: at(t), ...across }),
      svg("text", { class: "axis", x: at(t), y: height - 8, "text-anchor": "middle" }, axisNumber(Number(t.toPrecision(6)))));
  for (const line of spec.lines) picture.append(svg("line", { class: line.colour, x1: at(line.at), x2: at(line.at), ...across }));
  for (const { row, lines, top: from, height: tall } of placed) {
    const shift = above ? lines.length * kLine : 0, middle = from + shift + (tall - shift) / 2;
    lines.forEach((text, i) => picture.append(svg("text", above ? { x: left, y: from + 12 + i * kLine } : { x: left - 10, y: middle + 4, "text-anchor": "end" }, text)));
    row.marks.forEach((mark, i) => picture.append(markOf(mark, middle + (i - (row.marks.length - 1) / 2) * kMark, at)));
  }
  return picture;
}

// Draws anew when the width changes.
export function keepWidth(host: HTMLElement, draw: (wide: number) => void): void {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.max(260, host.clientWidth);
    if (now !== width) draw((width = now));
  }).observe(host);
}
