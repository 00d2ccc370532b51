// Shows how far the run has come, how fast it is, and how long it will take.
import type { ReportData } from "../data";
import { el } from "../dom";
import { bits, fixed, percent, seconds, short, whole } from "../format";
import { liveOf, type Live } from "../live_data";
import type { Section } from "../section";

const kPhases: Record<Live["phase"], string> = {
  preparing: "Preparing: data, starting points, the step.",
  waiting: "Waiting for the clients.",
  sampling: "Sampling.",
  writing: "Sampling is over; draws and summary are being written.",
  over: "The run is over.",
};
const kEnds: Record<string, string> = {
  complete: "The run is complete.",
  interrupted: "The run was stopped; what was drawn is kept.",
  failed: "The run failed.",
};

function phaseWords(live: Live, name: string, verdict: string, burnIn: number | null): string {
  if (live.ended) {
    if (live.ended.status === "complete") return `${kEnds["complete"]} ${verdict} pollen report ${name} makes a page of all of it.`;
    const report = live.ended.status === "failed" || live.iteration === 0 ? "" : `pollen report ${name} makes a page of all of it.`;
    return [kEnds[live.ended.status] ?? kPhases.over, live.ended.words, report].filter((part) => part).join(" ");
  }
  if (live.phase === "sampling" && burnIn !== null && live.iteration <= burnIn) return `Burn-in: draws are kept after iteration ${whole(burnIn)}.`;
  return kPhases[live.phase];
}

// Shows a number that is updated often; only its text changes.
class Tile {
  readonly element: HTMLElement;
  private value = el("dd");
  private note = el("dd", { class: "note" });

  constructor(term: string) {
    this.element = el("div", { class: "tile" }, el("dt", {}, term), this.value, this.note);
  }
  set(value: string, note = ""): void {
    if (this.value.textContent !== value) this.value.textContent = value;
    if (this.note.textContent !== note) this.note.textContent = note;
  }
}

class Progress {
  private words = el("p", { class: "phase", role: "status" });
  private share = el("progress", { max: 1, "aria-label": "iterations done" });
  private percentage = el("span", { class: "percentage" });
  private tiles = {
    iterations: new Tile("iterations"), rate: new Tile("per second"), left: new Tile("time left"), elapsed: new Tile("sampling time"),
    draws: new Tile("draws per chain"), rhat: new Tile("worst R-hat"), up: new Tile("sent up"), down: new Tile("sent down"),
  };

  constructor(host: HTMLElement) {
    host.append(this.words, el("div", { class: "progress" }, this.share, this.percentage),
      el("dl", { class: "tiles" }, ...Object.values(this.tiles).map((tile) => tile.element)));
  }

  update(data: ReportData): void {
    const live = liveOf(data), run = data.runs[0];
    if (!live || !run) return;
    const words = phaseWords(live, run.name, run.verdict.words, run.facts.burnIn);
    if (this.words.textContent !== words) this.words.textContent = words;
    this.words.classList.toggle("failed", live.ended?.status === "failed");
    const share = live.iterations ? live.iteration / live.iterations : 0;
    this.share.value = share;
    this.percentage.textContent = live.iterations ? percent(Math.floor(1000 * share) / 1000) : "";
    this.tell(live, data);
  }

  private tell(live: Live, data: ReportData): void {
    const { tiles } = this, run = data.runs[0]!, facts = run.facts, rounds = run.communication?.rounds;
    tiles.iterations.set(whole(live.iteration), live.iterations === null ? "" : `of ${whole(live.iterations)}${live.started > 0 ? `, from ${whole(live.started)} on` : ""}`);
    tiles.rate.set(live.rate ? short(live.rate, 3) : "–", "iterations");
    tiles.left.set(live.phase === "sampling" && live.secondsLeft !== null ? seconds(roughly(live.secondsLeft)) : "–", live.phase === "sampling" ? "at this rate" : "");
    tiles.elapsed.set(facts.seconds ? seconds(facts.seconds) : "–");
    tiles.draws.set(whole(facts.draws), facts.chains > 1 ? `${whole(facts.chains)} chains` : "one chain");
    tiles.rhat.set(live.rhat === null ? "–" : fixed(live.rhat, 3), facts.chains > 1 ? "of all parameters" : "needs two chains");
    const sent = rounds ? `payloads, in ${whole(rounds)} rounds` : "";
    tiles.up.set(run.communication ? bits(run.communication.uplinkBits) : "–", sent);
    tiles.down.set(run.communication ? bits(run.communication.downlinkBits) : "–", sent);
  }
}

// Rounds the time left, because nobody knows the end to a millisecond.
function roughly(left: number): number {
  return left < 10 ? Math.round(left * 10) / 10 : Math.round(left);
}

export const progress: Section = {
  id: "progress",
  title: "Progress",
  shown: (data) => liveOf(data) !== undefined,
  create: (host) => new Progress(host),
};
