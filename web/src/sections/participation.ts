// A map of which clients took part when.
import type { Participation } from "../data";
import { table } from "../dom";
import { percent, whole } from "../format";
import type { HeatSpec } from "../plots/heat";
import { anyRun } from "../runs";
import type { Section } from "../section";
import { runMaps, type RunMap } from "./run_maps";

function share(p: Participation, group: number, bin: number): number | null {
  const asked = (p.clients[group] ?? 0) * p.chains * (p.rounds[bin] ?? 0);
  return asked > 0 ? (p.messages[group]?.[bin] ?? 0) / asked : null;
}

function overall(p: Participation, group: number): number | null {
  const rounds = p.rounds.reduce((a, b) => a + b, 0), asked = (p.clients[group] ?? 0) * p.chains * rounds;
  return asked > 0 ? (p.messages[group] ?? []).reduce((a, b) => a + b, 0) / asked : null;
}

function extremes(p: Participation): string {
  const shares = p.groups.map((name, g) => ({ name, value: overall(p, g) })).filter((s): s is { name: string; value: number } => s.value !== null);
  if (shares.length === 0) return "Nobody has taken part yet.";
  const sorted = [...shares].sort((a, b) => a.value - b.value), least = sorted[0]!, most = sorted[sorted.length - 1]!;
  const who = (name: string): string => (/^[0-9]/.test(name) ? `client ${name}` : name);
  if (least.value === most.value) return `Every client took part in ${percent(least.value)} of its rounds.`;
  return `Least: ${who(least.name)}, ${percent(least.value)} of the rounds; most: ${who(most.name)}, ${percent(most.value)}.`;
}

function spec(p: Participation): HeatSpec {
  const first = (bin: number): number => (bin === 0 ? 1 : (p.binEnds[bin - 1] ?? 0) + 1);
  const bins = p.binEnds.length;
  return {
    text: `Participation of ${p.groups.length} clients or groups over iterations. ${extremes(p)}`,
    rows: p.groups,
    columns: p.binEnds.map((end, b) => `${first(b)} to ${end}`),
    ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at: at * bins, text: at === 0 ? "0" : whole(p.binEnds[Math.round(at * bins) - 1] ?? 0) })),
    value: (r, c) => share(p, r, c),
    describe: (r, c) => [p.groups[r] ?? "", `iterations ${whole(first(c))} to ${whole(p.binEnds[c])}`,
      `took part in ${percent(share(p, r, c))} of ${whole(p.rounds[c])} rounds`],
    xLabel: "iteration",
  };
}

function mapOf(p: Participation): RunMap {
  return {
    words: extremes(p),
    spec: spec(p),
    caption: "Shares as a table",
    table: () => table("Share of rounds taken part in", [{ title: "client" }, { title: "share", number: true }],
      p.groups.map((name, g) => [name, percent(overall(p, g))])),
  };
}

export const participation: Section = {
  id: "participation",
  title: "Participation",
  shown: (data) => anyRun(data, (run) => run.participation !== null),
  create: (host) => runMaps(host, "Share of rounds that each client (or group of clients) took part in, over all chains.",
    (run) => (run.participation ? mapOf(run.participation) : null)),
};
