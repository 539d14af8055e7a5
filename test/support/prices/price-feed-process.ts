// A price feed as a process of its own, for tests: an HTTP server on loopback that answers what it was last
// told to. Run with the child's IPC channel; the message is the behaviour, its own first message the port.

import { createServer } from "node:http";

/** What the feed does with a request. */
export interface FeedBehaviour {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Accepts, and never answers. */
  readonly isSilent?: boolean;
  /** Begins an answer and never ends it. */
  readonly isEndless?: boolean;
}

const chunk = "x".repeat(65_536);
let behaviour: FeedBehaviour = {};
let requests = 0;

const server = createServer((_incoming, outgoing) => {
  requests++;
  process.send?.({ requests });
  if (behaviour.isSilent === true) return;
  outgoing.writeHead(behaviour.status ?? 200, behaviour.headers);
  if (behaviour.isEndless === true) {
    const pour = () => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on("drain", pour);
    pour();
    return;
  }
  outgoing.end(behaviour.body ?? "[]");
});

process.on("message", (told: FeedBehaviour) => {
  behaviour = told;
  process.send?.({ isTold: true });
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : 0 });
});
