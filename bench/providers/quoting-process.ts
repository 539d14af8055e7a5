// Runs providers in their own process; they answer every quote request at once. The process gets the providers' parties
// from its parent, replies with their ports, and runs until the parent disconnects. On request it reports its processor
// time so far. The providers run on the venue's cores, so they must take as little time as possible: they check no
// signatures and detect only where each HTTP request ends.

import { type AddressInfo, createServer, type Socket } from "node:net";

/** Parties of the providers, one per provider. */
export interface QuotingPlan {
  readonly parties: readonly string[];
}

export interface QuotingCost {
  /** Processor time of the process since its start, in milliseconds. */
  readonly usedMs: number;
}

const health = JSON.stringify({ status: "ok", pairs: ["CC-USDC"], max_notional: "1000000" });

process.once("message", (plan: QuotingPlan) => {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ usedMs: (user + system) / 1_000 } satisfies QuotingCost);
  });
  void Promise.all(plan.parties.map(serve)).then((ports) => process.send?.({ ports }));
});
process.once("disconnect", () => process.exit(0));

function serve(party: string): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => answerAll(socket, party));
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Answers each chunk as one request, because the venue sends one request at a time on a connection. */
function answerAll(socket: Socket, party: string): void {
  let request = "";
  socket.setEncoding("latin1");
  socket.on("error", () => socket.destroy());
  socket.on("data", (text: string) => {
    request += text;
    if (!isWhole(request)) return;
    const body = request.startsWith("GET /health ") ? health : quote(party);
    request = "";
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`, "latin1");
  });
}

function isWhole(request: string): boolean {
  const headEnd = request.indexOf("\r\n\r\n");
  if (headEnd === -1) return false;
  const [, bodyLength = "0"] = /\r\ncontent-length: (\d+)\r\n/i.exec(request) ?? [];
  return request.length >= headEnd + 4 + Number(bodyLength);
}

function quote(party: string): string {
  return JSON.stringify({
    quote_id: "q",
    price: "0.1500",
    qty: "100.0",
    valid_until_ms: Date.now() + 10_000,
    provider_party: party,
  });
}
