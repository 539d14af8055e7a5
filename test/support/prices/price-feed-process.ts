// A price feed for tests, in its own process: an HTTP server on loopback whose behaviour the test sets. Each message to
// the child process sets a behaviour; the child's first message is its port.

import { createServer } from "node:http";

/** The answer that the feed gives to requests. */
export interface FeedBehaviour {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the feed accepts requests and never answers. */
  readonly isSilent?: boolean;
  /** Whether the feed starts an answer and never finishes it. */
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
