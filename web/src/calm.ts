// Wraps a section so that it does not change more often than is pleasant. It is not redrawn while it is out of sight or
// while the reader is working in it, and the longer it takes to draw, the less often that happens. The latest data are
// always shown in the end.
import type { ReportData } from "./data";
import { liveOf } from "./live_data";
import type { Section, SectionView } from "./section";

const kAtWork = 3000; // milliseconds after the last touch during which the reader counts as working in it
const kShare = 15; // drawing a section takes at most a 15th of the time

class Calm implements SectionView {
  private latest: ReportData | null = null; // data that have not been shown yet
  private due = 0;
  private touched = -kAtWork;
  private visible = true;
  private timer = 0;

  constructor(private view: SectionView, host: HTMLElement, private every: number) {
    for (const kind of ["pointerdown", "keydown", "wheel"])
      host.addEventListener(kind, () => (this.touched = performance.now()), { passive: true });
    new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      if (this.visible) this.show();
    }, { rootMargin: "200px 0px" }).observe(host);
  }

  update(data: ReportData): void {
    this.latest = data;
    if (liveOf(data)?.phase === "over") this.draw(data);
    else this.show();
  }

  private show(): void {
    clearTimeout(this.timer);
    if (!this.latest) return;
    const left = Math.max(this.due, this.touched + kAtWork) - performance.now();
    if (left > 0) this.timer = window.setTimeout(() => this.show(), left);
    else if (this.visible && !document.hidden) this.draw(this.latest);
  }

  private draw(data: ReportData): void {
    const start = performance.now();
    this.latest = null;
    this.view.update(data);
    const end = performance.now();
    this.due = end + Math.max(this.every, kShare * (end - start));
  }
}

export function calm(section: Section, every: number): Section {
  return { ...section, create: (host) => new Calm(section.create(host), host, every) };
}
