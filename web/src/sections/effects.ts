// Shows what each client's own coefficients are, in a caterpillar plot beside the population's mean.
import type { Effects, ReportData, RunData } from "../data";
import { el, numbers, table } from "../dom";
import { short, whole } from "../format";
import { intervals, keepWidth, type Row } from "../plots/intervals";
import { anyRun, runName } from "../runs";
import type { Section } from "../section";

const kMost = 100;

function sorted(e: Effects, column: number): Effects["clients"] {
  return e.clients.filter((c) => c.estimate[column] !== null).sort((a, b) => (a.estimate[column] ?? 0) - (b.estimate[column] ?? 0));
}

// If there are too many clients, those at both ends are drawn.
function ends<T>(all: T[]): T[] {
  return all.length <= kMost ? all : [...all.slice(0, kMost / 2), ...all.slice(-kMost / 2)];
}

function rowsOf(e: Effects, column: number, run: number): Row[] {
  return ends(sorted(e, column)).map((c) => {
    const low = c.lower[column] ?? 0, middle = c.estimate[column] ?? 0, high = c.upper[column] ?? 0;
    return { label: c.name, marks: [{ low, middle, high, colour: run, text: `${c.name}: ${short(middle)}, ${short(low)} to ${short(high)}` }] };
  });
}

function words(e: Effects, column: number): string {
  const pooled = e.pooled[column], all = sorted(e, column), first = all[0], last = all[all.length - 1];
  const centre = pooled?.estimate ?? null;
  if (!first || !last) return "";
  const apart = centre === null ? 0 : all.filter((c) => (c.lower[column] ?? centre) > centre || (c.upper[column] ?? centre) < centre).length;
  const about = centre === null ? "" :
    ` The population's mean is ${short(centre)}${pooled?.lower !== null ? ` (${short(pooled?.lower)} to ${short(pooled?.upper)})` : ""}; the intervals of ${whole(apart)} of ${whole(all.length)} clients leave it out.`;
  return `From ${short(first.estimate[column])} (${first.name}) to ${short(last.estimate[column])} (${last.name}).${about}`;
}

function numbersOf(e: Effects, column: number): HTMLElement {
  return table(`${e.of[column]} of each client`, ["client", "estimate", "5 %", "95 %"].map((title, i) => ({ title, number: i > 0 })),
    sorted(e, column).map((c) => [c.name, short(c.estimate[column]), short(c.lower[column]), short(c.upper[column])]));
}

function column(e: Effects, at: number, run: number, wide: number): HTMLElement {
  const pooled = e.pooled[at], rows = rowsOf(e, at, run);
  const band = pooled && pooled.lower !== null && pooled.upper !== null ? { band: { low: pooled.lower, high: pooled.upper } } : {};
  const lines = pooled && pooled.estimate !== null ? [{ at: pooled.estimate, colour: "zero" }] : [];
  const left = e.clients.length - rows.length;
  return el("div", {}, el("h3", {}, e.of[at] ?? ""), el("p", {}, words(e, at)),
    left > 0 ? el("p", { class: "hint" }, `${whole(left)} clients in the middle are left out of the plot.`) : null,
    intervals({ kind: "forest", rows, lines, ...band, text: `Caterpillar plot of ${e.of[at]} of ${rows.length} clients. ${words(e, at)}` }, wide),
    numbers(`${e.of[at]} of each client as a table`, () => numbersOf(e, at)));
}

const has = (run: RunData): boolean => !!run.effects && run.effects.clients.length > 0;

export const effects: Section = {
  id: "effects",
  title: "Clients' effects",
  shown: (data) => anyRun(data, has),
  create(host) {
    let latest: ReportData | null = null, width = Math.max(260, host.clientWidth);
    const update = (data: ReportData): void => {
      latest = data;
      host.replaceChildren(
        el("p", { class: "hint" }, "Each client's own coefficient with a 90 % interval, with the uncertainty of what all clients share where its standard errors are known. The dashed line is the population's mean, and the band its 90 % interval. Clients with few rows are drawn towards it."),
        ...data.runs.flatMap((run, i) => (run.effects && has(run) ? [
          ...(data.runs.length > 1 ? [el("h3", {}, runName(run, i))] : []),
          ...run.effects.of.map((_, at) => column(run.effects!, at, i, width))] : [])));
    };
    keepWidth(host, (wide) => {
      width = wide;
      if (latest) update(latest);
    });
    return { update };
  },
};
