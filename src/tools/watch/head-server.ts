// Serves a watcher's newest heads to other watchers: one answer, prepared once for each new head. A stranger can ask
// for nothing else, and each connection serves one request, quickly.

import { createServer, type Server } from "node:http";
import type { SignedHead } from "../../services/access/signed-head.ts";
import { headsMax } from "./head-folder.ts";

const connectionsMax = 64;
/** For the whole request; and for a connection that sends or reads nothing. */
const requestMs = 5_000;
const headerBytesMax = 4_096;
/** Answers in one second, of all connections together: at most 24 MB. */
const answersPerSecondMax = 200;

export class HeadServer {
  readonly #server: Server;
  #text = "";
  #answers = { second: 0, count: 0 };

  private constructor() {
    const limits = {
      maxHeaderSize: headerBytesMax,
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: requestMs / 5,
    };
    this.#server = createServer(limits, (incoming, outgoing) => {
      const [path] = (incoming.url ?? "").split("?");
      const isRead = incoming.method === "GET" || incoming.method === "HEAD";
      const status = !isRead ? 405 : path !== "/heads" ? 404 : this.#mayAnswer() ? 200 : 503;
      outgoing.writeHead(status, { "content-type": "application/jsonl", connection: "close" });
      outgoing.end(status === 200 ? this.#text : "");
    });
    this.#server.maxConnections = connectionsMax;
    this.#server.setTimeout(requestMs);
  }

  static async open(host: string, port: number): Promise<HeadServer> {
    const opened = new HeadServer();
    await new Promise<void>((resolve, reject) => {
      opened.#server.once("error", reject);
      opened.#server.listen({ host, port }, resolve);
    });
    return opened;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  /** Serves these heads from now on. */
  publish(heads: readonly SignedHead[]): void {
    this.#text = heads
      .slice(-headsMax)
      .map((head) => `${JSON.stringify(head)}\n`)
      .join("");
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #mayAnswer(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#answers.second) this.#answers = { second, count: 0 };
    this.#answers.count++;
    return this.#answers.count <= answersPerSecondMax;
  }
}
