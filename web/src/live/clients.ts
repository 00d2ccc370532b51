// Shows one card per client: whether it is connected, when it was last heard, and what it has sent.
import type { ReportData } from "../data";
import { el } from "../dom";
import { bits, seconds, whole } from "../format";
import { liveOf, type LiveClient, type LiveClients } from "../live_data";
import type { Section } from "../section";

const kStates: Record<LiveClient["state"], string> = { unknown: "", waiting: "waiting", active: "active", late: "late", gone: "gone" };

const kFrames = "Up and down count whole frames, so a little more than the payloads above.";
const kPayloads = "Up and down count payloads.";

function duration(value: number): string {
  return value < 1 ? `${Number((1000 * value).toPrecision(2))} ms` : seconds(value);
}

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

class Card {
  readonly element = el("li", { class: "client" });
  private name = el("strong");
  private state = el("span", { class: "badge" });
  private values = new Map<string, HTMLElement>();

  constructor() {
    const line = (term: string): HTMLElement => {
      const value = el("dd");
      this.values.set(term, value);
      return el("div", {}, el("dt", {}, term), value);
    };
    this.element.append(el("div", { class: "who" }, this.name, this.state),
      el("dl", {}, ...["rows", "rounds", "last round", "latency", "up", "down", "left out"].map(line)));
  }

  update(client: LiveClient, index: number): void {
    const name = /^\d+$/.test(client.name) ? `client ${client.name}` : client.name || `place ${index + 1}, free`;
    setText(this.name, name);
    this.name.title = name;
    setText(this.state, kStates[client.state]);
    this.state.hidden = client.state === "unknown";
    const kind = `client ${client.state}`;
    if (this.element.className !== kind) this.element.className = kind;
    this.set("rows", client.rows === null ? null : whole(client.rows));
    this.set("rounds", whole(client.turns));
    this.set("last round", client.lastRound === null ? "none yet" : whole(client.lastRound + 1));
    this.set("latency", client.latency === null ? null : duration(client.latency));
    this.set("up", bits(client.upBits));
    this.set("down", bits(client.downBits));
    this.set("left out", client.skipped > 0 ? `${whole(client.skipped)} times` : null);
  }

  private set(term: string, text: string | null): void {
    const value = this.values.get(term);
    if (!value?.parentElement) return;
    value.parentElement.hidden = text === null;
    setText(value, text ?? "");
  }
}

function total(all: LiveClients): string {
  const few = all.shown.length < all.inAll ? ` ${whole(all.shown.length)} of them are shown, evenly chosen.` : "";
  const latest = all.participants > 0 ? ` ${whole(all.participants)} took part in the latest round, ${whole(all.heard)} in any so far.` : "";
  const who = `${whole(all.inAll)} ${all.inAll === 1 ? "client" : "clients"}`;
  if (all.here === null) return `${who}, simulated.${latest}${few}`;
  const counts = (["active", "waiting", "late"] as const).map((state) => ({ state, count: all.shown.filter((c) => c.state === state).length }));
  const states = counts.filter((c) => c.count > 0).map((c) => `${whole(c.count)} ${c.state}`).join(", ");
  return `${who}: ${whole(all.here)} here${states ? ` (${states})` : ""}, ${whole(all.inAll - all.here)} gone or not here yet.${latest}${few}`;
}

class Clients {
  private lead = el("p");
  private list = el("ul", { class: "clients" });
  private cards: Card[] = [];

  constructor(host: HTMLElement) {
    host.append(this.lead, this.list);
  }

  update(data: ReportData): void {
    const all = liveOf(data)?.clients;
    if (!all) return;
    setText(this.lead, `${total(all)} ${all.frames ? kFrames : kPayloads}`);
    while (this.cards.length > all.shown.length) this.cards.pop()?.element.remove();
    while (this.cards.length < all.shown.length) {
      const card = new Card();
      this.cards.push(card);
      this.list.append(card.element);
    }
    all.shown.forEach((client, i) => this.cards[i]?.update(client, i));
  }
}

export const clients: Section = {
  id: "clients",
  title: "Clients",
  shown: (data) => (liveOf(data)?.clients.inAll ?? 0) > 0,
  create: (host) => new Clients(host),
};
