// Shows one heat map per run, with a sentence before it and its numbers behind it. It is updated in place.
import type { ReportData, RunData } from "../data";
import { el, numbers } from "../dom";
import { forget, whenVisible } from "../lazy";
import { heatMap, largest, ramp, type HeatMap, type HeatSpec } from "../plots/heat";
import { runName } from "../runs";
import type { SectionView } from "../section";

export interface RunMap {
  words: string;
  spec: HeatSpec;
  caption: string; // caption of the table of numbers
  table(): HTMLElement;
}

class Slot {
  readonly element: HTMLElement;
  private words = el("p");
  private place = el("div");
  private heat: HeatMap | null = null;

  constructor(private map: RunMap, title: HTMLElement | null) {
    this.words.textContent = map.words;
    this.element = el("div", {}, title, this.words, this.place, numbers(map.caption, () => this.map.table()));
    whenVisible(this.place, () => (this.heat = heatMap(this.place, this.map.spec)));
  }
  update(map: RunMap): void {
    this.map = map;
    this.words.textContent = map.words;
    this.heat?.update(map.spec);
  }
  drop(): void {
    forget(this.place);
  }
}

export function runMaps(host: HTMLElement, hint: string, of: (run: RunData) => RunMap | null): SectionView {
  const list = el("div"), scale = el("div");
  host.append(el("p", { class: "hint" }, hint), scale, list);
  let slots: Slot[] = [], known = "";
  return {
    update(data: ReportData) {
      const maps = data.runs.flatMap((run, i) => {
        const map = of(run);
        return map ? [{ run, i, map }] : [];
      });
      const top = Math.max(0, ...maps.map(({ map }) => largest(map.spec))) || 1;
      maps.forEach(({ map }) => (map.spec.top = top)); // all runs share one scale
      scale.replaceChildren(ramp(top));
      const names = JSON.stringify(maps.map(({ run }) => run.name));
      if (names === known) return maps.forEach(({ map }, s) => slots[s]?.update(map));
      known = names;
      slots.forEach((slot) => slot.drop());
      slots = maps.map(({ run, i, map }) => new Slot(map, data.runs.length > 1 ? el("h3", {}, runName(run, i)) : null));
      list.replaceChildren(...slots.map((slot) => slot.element));
    },
  };
}
