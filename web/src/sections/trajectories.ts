// Says what can go wrong in the trajectories of nuts and hmc, chain by chain, with Stan's criteria.
import type { ReportData, RunData } from "../data";
import { el, table } from "../dom";
import { fixed, whole } from "../format";
import { anyRun, runName } from "../runs";
import type { Section } from "../section";

const kLeastEbfmi = 0.3;
const any = (run: RunData): boolean => (run.trajectories?.length ?? 0) > 0;

function sum(values: (number | null)[]): number {
  return values.reduce<number>((all, v) => all + (v ?? 0), 0);
}

function words(run: RunData): string {
  const chains = run.trajectories ?? [], all = sum(chains.map((c) => c.transitions));
  const divergent = sum(chains.map((c) => c.divergent)), saturated = sum(chains.map((c) => c.saturated));
  const low = chains.filter((c) => c.ebfmi !== null && c.ebfmi < kLeastEbfmi).length;
  const parts = [divergent > 0 ? `${whole(divergent)} of ${whole(all)} transitions after burn-in diverged: the draws may miss parts of the posterior.`
    : `None of ${whole(all)} transitions after burn-in diverged.`];
  if (chains.some((c) => c.saturated !== null))
    parts.push(saturated > 0 ? `${whole(saturated)} trees reached the greatest depth, ${whole(run.facts.maxDepth)}, and were cut short.`
      : `No tree reached the greatest depth, ${whole(run.facts.maxDepth)}.`);
  parts.push(low > 0 ? `E-BFMI is below ${kLeastEbfmi} in ${whole(low)} of ${whole(chains.length)} chains: energies are explored poorly.`
    : `E-BFMI is at least ${kLeastEbfmi} in all chains.`);
  return parts.join(" ");
}

function chainTable(run: RunData): HTMLElement {
  return table(`Transitions after burn-in of ${run.name}`,
    ["chain", "transitions", "divergent", "trees of greatest depth", "E-BFMI"].map((title, i) => ({ title, number: i > 0 })),
    (run.trajectories ?? []).map((c, i) => [`chain ${i + 1}`, whole(c.transitions), whole(c.divergent), whole(c.saturated), fixed(c.ebfmi, 2)]));
}

export const trajectories: Section = {
  id: "trajectories",
  title: "Trajectories",
  shown: (data) => anyRun(data, any),
  create: (host) => ({
    update(data: ReportData) {
      host.replaceChildren(...data.runs.flatMap((run, i) => (any(run) ? [
        ...(data.runs.length > 1 ? [el("h3", {}, runName(run, i))] : []), el("p", {}, words(run)), chainTable(run)] : [])));
    },
  }),
};
