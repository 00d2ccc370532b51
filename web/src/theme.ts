// Light and dark colours: those of the system, unless the reader has chosen. Plots ask for colours by name and are told
// of changes.
import { el } from "./dom";

const kKey = "pollen-theme";
type Theme = "auto" | "light" | "dark";
// Listeners by the element that they draw. Those of removed elements are dropped from time to time.
const listeners = new Map<Element, () => void>();
let dropAt = 256;

function stored(): Theme {
  try {
    const found = localStorage.getItem(kKey);
    return found === "light" || found === "dark" ? found : "auto";
  } catch {
    return "auto"; // a page opened from a mail may have no storage
  }
}

const system = matchMedia("(prefers-color-scheme: dark)");

function apply(theme: Theme): void {
  const dark = theme === "dark" || (theme === "auto" && system.matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  listeners.forEach((listener) => listener());
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // Without storage, the choice lasts for this visit only.
  }
}

export function onThemeChange(element: Element, listener: () => void): void {
  listeners.set(element, listener);
  if (listeners.size < dropAt) return;
  for (const known of listeners.keys()) if (known !== element && !known.isConnected) listeners.delete(known);
  dropAt = 2 * listeners.size + 256;
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const kSeries = 8;
export function seriesColour(index: number): string {
  return colour(`s${index % kSeries}`);
}
// Lines also differ in their dashes, because not everybody can tell them apart by colour.
export function seriesDash(index: number): number[] {
  return [[], [7, 3], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [1, 2], [14, 3, 3, 3]][index % kSeries] ?? [];
}

export function themeChooser(): HTMLElement {
  const now = stored();
  const choice = el("select", { id: "theme" },
    ...(["auto", "light", "dark"] as Theme[]).map((t) => el("option", { value: t, selected: t === now }, t)));
  choice.addEventListener("change", () => (store(choice.value as Theme), apply(choice.value as Theme)));
  apply(now);
  system.addEventListener("change", () => apply(choice.value as Theme));
  // Plots are redrawn for printing, because paper is white.
  matchMedia("print").addEventListener("change", () => listeners.forEach((listener) => listener()));
  return el("label", { class: "theme", for: "theme" }, "Colours ", choice);
}
