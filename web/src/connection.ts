// Keeps the stream of events open: it reconnects by itself and reports the state of the connection.
import type { LiveData } from "./live_data";

export type ConnectionState = "connecting" | "live" | "lost" | "over";

export interface Listener {
  data(data: LiveData): void;
  changed(now: ConnectionState): void;
}

// Milliseconds without a message after which the line counts as dead; the server sends one every two seconds.
const kSilence = 8000;
const kLongestWait = 15000;

export class Connection {
  private source: EventSource | null = null;
  private timer = 0;
  private wait = 1000;

  constructor(private url: string, private listener: Listener) {
    listener.changed("connecting");
    this.open();
  }

  private open(): void {
    this.source?.close();
    const source = new EventSource(this.url);
    this.source = source;
    this.expect();
    source.addEventListener("open", () => this.heard());
    source.addEventListener("alive", () => this.heard());
    source.addEventListener("state", (event) => this.take(event));
    source.addEventListener("end", (event) => {
      this.close();
      this.take(event);
      this.listener.changed("over");
    });
    source.addEventListener("error", () => this.lost());
  }

  private take(event: MessageEvent<string>): void {
    if (event.type !== "end") this.heard();
    this.listener.data(JSON.parse(event.data) as LiveData);
  }

  private heard(): void {
    this.wait = 1000;
    this.listener.changed("live");
    this.expect();
  }

  private expect(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.lost(), kSilence);
  }

  // Reconnects after a pause. The browser's own retries stop at some replies, such as "too many pages"; these do not.
  private lost(): void {
    this.close();
    this.listener.changed("lost");
    this.timer = window.setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, kLongestWait);
  }

  private close(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}
