// One box beside the pointer that serves all plots. It shows text only.
import { el } from "./dom";

const box = el("div", { class: "tooltip", role: "status", hidden: true });
let placed = false;

export function showTooltip(lines: string[], x: number, y: number): void {
  if (!placed) document.body.append(box), (placed = true);
  box.replaceChildren(...lines.map((line) => el("div", {}, line)));
  box.hidden = false;
  const margin = 12, width = box.offsetWidth, height = box.offsetHeight;
  const left = x + margin + width > window.innerWidth ? x - margin - width : x + margin;
  const top = Math.min(y + margin, window.innerHeight - height - 4);
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

export function hideTooltip(): void {
  box.hidden = true;
}
