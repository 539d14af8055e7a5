// Providers that answer every request for quotes at once, in a process of their own: takes how many and
// which parties from the parent, answers their ports, and lives until the parent disconnects. They check
// no signatures: what a provider does is its own time, not the venue's.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Parties, one a provider. */
export interface QuotingPlan {
  readonly parties: readonly string[];
}

process.once("message", (plan: QuotingPlan) => {
  void Promise.all(plan.parties.map(serve)).then((ports) => process.send?.({ ports }));
});
process.once("disconnect", () => process.exit(0));

function serve(party: string): Promise<number> {
  const health = JSON.stringify({ status: "ok", pairs: ["CC-USDC"], max_notional: "1000000" });
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(request.url === "/health" ? health : quote(party));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
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
