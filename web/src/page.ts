// A page: head, contents and sections. A section is hidden while it has nothing to show.
import type { ReportData } from "./data";
import { el } from "./dom";
import type { Section, SectionView } from "./section";
import { themeChooser } from "./theme";

export interface Page {
  update(data: ReportData): void;
}

interface Placed {
  section: Section;
  host: HTMLElement;
  link: HTMLElement;
  view: SectionView | null;
}

function place(section: Section): Placed {
  const heading = el("h2", { id: section.id, tabindex: -1 }, section.title);
  const body = el("div", { class: "body" });
  const host = el("section", { "aria-labelledby": section.id, hidden: true }, heading, body);
  const link = el("li", { hidden: true }, el("a", { href: `#${section.id}` }, section.title));
  return { section, host, link, view: null };
}

export function createPage(root: HTMLElement, sections: Section[], title = "pollen report"): Page {
  const placed = sections.map(place);
  const name = el("h1", {}, title);
  root.replaceChildren(
    el("a", { class: "skip", href: "#content" }, "Skip to the content"),
    el("header", { class: "top" }, name, themeChooser()),
    el("nav", { "aria-label": "Contents" }, el("ul", {}, ...placed.map((p) => p.link))),
    el("main", { id: "content", tabindex: -1 }, ...placed.map((p) => p.host)),
  );
  return {
    update(data) {
      const runs = data.runs.map((run) => run.name).join(", ");
      document.title = `${title}: ${runs}`;
      name.replaceChildren(title, el("small", {}, runs));
      for (const p of placed) {
        const shown = p.section.shown(data);
        p.host.hidden = p.link.hidden = !shown;
        if (!shown) continue;
        p.view ??= p.section.create(p.host.lastElementChild as HTMLElement);
        p.view.update(data);
      }
    },
  };
}
