// Lists every setting, so that the run can be repeated, and the versions that made the report.
import type { ReportData } from "../data";
import { el } from "../dom";
import { runName } from "../runs";
import type { Section } from "../section";

export const configuration: Section = {
  id: "configuration",
  title: "Configuration and versions",
  shown: () => true,
  create: (host) => ({
    update(data: ReportData) {
      const { version, revision, build, compiler } = data.made;
      host.replaceChildren(
        el("p", {}, `This page was made by pollen ${version}, revision ${revision}, ${build} build, ${compiler}.`),
        ...data.runs.flatMap((run, i) => [
          ...(data.runs.length > 1 ? [el("h3", {}, runName(run, i))] : []),
          ...(run.facts.version ? [el("p", {}, `Run by pollen ${run.facts.version}.`)] : []),
          run.config ? el("pre", { class: "config", tabindex: 0, role: "region", "aria-label": `effective configuration of ${run.name}` }, run.config)
            : el("p", {}, "The folder has no config.toml."),
        ]));
    },
  }),
};
