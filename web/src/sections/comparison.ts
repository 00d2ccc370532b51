// Compares several runs: what they cost, and how much their posteriors differ.
import type { ParameterRow, ReportData, RunData } from "../data";
import { el, table, type Column } from "../dom";
import { bits, fixed, seconds, short, whole } from "../format";
import { rowOf, runName, sharedParameters } from "../runs";
import type { Section } from "../section";

const known = (run: RunData, key: "rhat" | "essBulk"): number[] => run.parameters.map((p) => p[key]).filter((v): v is number => v !== null);

function costs(data: ReportData): HTMLElement {
  const scores = [...new Set(data.runs.flatMap((run) => run.scores.map((s) => s.name)))];
  const titles = ["verdict", "worst R-hat", "least ESS", "rounds", "bits up", "bits down", "time", ...scores];
  const rows = data.runs.map((run, i): (string | Node)[] => {
    const rhat = known(run, "rhat"), ess = known(run, "essBulk"), c = run.communication;
    return [runName(run, i), run.verdict.converged === null ? "open" : run.verdict.converged ? "converged" : "not converged",
      rhat.length > 0 ? fixed(Math.max(...rhat), 3) : "n/a", ess.length > 0 ? whole(Math.min(...ess)) : "n/a",
      whole(c?.rounds), bits(c?.uplinkBits), bits(c?.downlinkBits), seconds(run.facts.seconds),
      ...scores.map((n) => short(run.scores.find((s) => s.name === n)?.value ?? null))];
  });
  return table("Runs side by side", [{ title: "run" }, ...titles.map((title, i) => ({ title, number: i > 0 }))], rows);
}

// Differences are in standard deviations of the reference, which is the last run, because what matters is how far apart posteriors are
// relative to their width.
function shift(from: ParameterRow, to: ParameterRow): string {
  if (from.mean === null || to.mean === null || !from.sd) return "n/a";
  return fixed((to.mean - from.mean) / from.sd, 2);
}
function ratio(from: ParameterRow, to: ParameterRow): string {
  return from.sd && to.sd !== null ? fixed(to.sd / from.sd, 3) : "n/a";
}

function differences(data: ReportData, other: number): HTMLElement {
  const reference = data.runs[data.reference]!, run = data.runs[other]!;
  const columns: Column[] = [{ title: "parameter" }, ...["mean", "mean here", "difference / sd", "sd", "sd here", "sd ratio", "R-hat", "R-hat here"].map((title) => ({ title, number: true }))];
  const rows = sharedParameters(data).flatMap((s): string[][] => {
    const a = rowOf(data, s, data.reference), b = rowOf(data, s, other);
    if (!a || !b) return [];
    return [[s.label, short(a.mean), short(b.mean), shift(a, b), short(a.sd), short(b.sd), ratio(a, b), fixed(a.rhat, 3), fixed(b.rhat, 3)]];
  });
  if (rows.length === 0) return el("p", {}, `${run.name} and ${reference.name} have no parameter of the same name.`);
  return table(`${run.name} (“here”) against the reference ${reference.name}: ${whole(rows.length)} parameters of the same name`, columns, rows);
}

function agreements(data: ReportData): HTMLElement[] {
  const reference = data.runs[data.reference]!;
  return data.runs.flatMap((run, i) => (run.agreement ?
    [el("p", {}, runName(run, i), ` against ${reference.name}: ${run.agreement}.`)] : []));
}

export const comparison: Section = {
  id: "comparison",
  title: "Comparison",
  shown: (data) => data.runs.length > 1,
  create: (host) => ({
    update(data: ReportData) {
      host.replaceChildren(...agreements(data), costs(data),
        ...data.runs.flatMap((run, i) => (i === data.reference || run.facts.states === "weights" ? [] : [differences(data, i)])));
    },
  }),
};
