// Says what was run and whether its result can be believed.
import type { ReportData, RunData } from "../data";
import { clear, el, facts } from "../dom";
import { short, seconds, whole } from "../format";
import { runName } from "../runs";
import type { Section } from "../section";

// Keeps the law of a prior on one line.
const unbroken = (text: string): string => text.replace(/N\(([^ ]+), /g, "N($1,\u00a0");

function verdict(run: RunData): HTMLElement {
  const { converged, words, reasons } = run.verdict;
  const kind = converged === null ? "open" : converged ? "good" : "bad";
  return el("div", { class: `verdict ${kind}` }, el("strong", {}, words),
    reasons.length > 0 ? el("ul", {}, ...reasons.map((line) => el("li", {}, line))) : null);
}

function known(run: RunData): [string, string][] {
  const f = run.facts;
  const pairs: [string, string | null][] = [
    ["sampler", f.sampler || null],
    ["model", f.model || null],
    ["data", f.source || null],
    ["status", run.status],
    ["clients", f.clients === null ? null : whole(f.clients)],
    ["rows", f.trainRows ? `${whole(f.trainRows)} training, ${whole(f.testRows)} test` : null],
    ["parameters", whole(run.parametersInAll)],
    ["chains × draws", `${whole(f.chains)} × ${whole(f.draws)}`],
    ["iterations", f.iterations === null ? null : `${whole(f.iterations)}, burn-in ${whole(f.burnIn)}, thin ${whole(f.thin)}`],
    ["step", f.step ? short(f.step) : null],
    ["seed", f.seed === null ? null : String(f.seed)],
    ["sampling time", f.seconds === null ? null : seconds(f.seconds)],
    ["gradients", f.gradients === null ? null : whole(f.gradients)],
  ];
  return pairs.filter((pair): pair is [string, string] => pair[1] !== null);
}

function list(title: string, lines: string[]): (HTMLElement | null)[] {
  if (lines.length === 0) return [null];
  return [el("h4", { class: "hint" }, title), el("ul", {}, ...lines.map((line) => el("li", {}, line)))];
}

function overview(run: RunData, index: number, several: boolean): HTMLElement {
  const told = new Set(run.verdict.reasons);
  return el("div", {},
    several ? el("h3", {}, runName(run, index)) : null,
    run.facts.statement ? el("p", { class: "statement" }, unbroken(run.facts.statement)) : null,
    verdict(run),
    facts(known(run)),
    ...list("Warnings", run.warnings.filter((line) => !told.has(line))),
    ...list("Notes", run.notes));
}

export const head: Section = {
  id: "overview",
  title: "Overview",
  shown: () => true,
  create: (host) => ({
    update(data: ReportData) {
      clear(host);
      host.append(...data.runs.map((run, i) => overview(run, i, data.runs.length > 1)));
    },
  }),
};
