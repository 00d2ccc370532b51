// Light and dark: as the system says, unless the reader has chosen. Plots ask for colours by name and are told of changes.
import { el } from "./dom";

const kKey = "pollen-theme";
type Theme = "auto" | "light" | "dark";
// By the element that they draw: those of elements that are gone are dropped from time to time.
const listeners = new Map<Element, () => void>();
let dropAt = 256;

function stored(): Theme {
  try {
    const found = localStorage.getItem(kKey);
    return found === "light" || found === "dark" ? found : "auto";
  } catch {
    return "auto"; // a file from a mail may have no storage
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
    // it holds for this visit
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
// Colours alone do not tell lines apart for everybody.
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
  // Paper is white.
  matchMedia("print").addEventListener("change", () => listeners.forEach((listener) => listener()));
  return el("label", { class: "theme", for: "theme" }, "Colours ", choice);
}
