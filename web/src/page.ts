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

// A network's single weights mean little, so what is about them stands behind the rest but the configuration. Elements move only if they must,
// because moving one makes it lose its place.
function inOrder(placed: Placed[], data: ReportData, links: HTMLElement, main: HTMLElement): void {
  const weights = data.runs.length > 0 && data.runs.every((run) => run.facts.states === "weights");
  const last = (p: Placed): boolean => weights && p.section.ofParameters === true;
  const rest = placed.filter((p) => !last(p));
  const order = [...rest.slice(0, -1), ...placed.filter(last), ...rest.slice(-1)];
  if (order.every((p, i) => main.children[i] === p.host)) return;
  links.append(...order.map((p) => p.link));
  main.append(...order.map((p) => p.host));
}

export function createPage(root: HTMLElement, sections: Section[], title = "pollen report"): Page {
  const placed = sections.map(place);
  const name = el("h1", {}, title);
  const links = el("ul", {}, ...placed.map((p) => p.link));
  const main = el("main", { id: "content", tabindex: -1 }, ...placed.map((p) => p.host));
  root.replaceChildren(
    el("a", { class: "skip", href: "#content" }, "Skip to the content"),
    el("header", { class: "top" }, name, themeChooser()),
    el("nav", { "aria-label": "Contents" }, links),
    main,
  );
  return {
    update(data) {
      const runs = data.runs.map((run) => run.name).join(", ");
      document.title = `${title}: ${runs}`;
      name.replaceChildren(title, el("small", {}, runs));
      inOrder(placed, data, links, main);
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
