// Queries an asset's registry to find out whether a party can be paid directly. A payment starts with the same query,
// so this check shows in advance what the payment will find.

import type { CustodyAsset, PayeeAnswer, PayeeCheck } from "../../ports/ledger/custody.ts";
import type { Party } from "../../ports/ledger/ledger.ts";
import { transferArgument } from "./choice-arguments.ts";
import { RegistryClient, RegistryFault } from "./registry-client.ts";

const validMs = 60_000;

export class RegistryPayeeCheck implements PayeeCheck {
  readonly #timeoutMs: number;
  readonly #now: () => number;

  constructor(timeoutMs: number, now: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  async check(asset: CustodyAsset, destination: Party, units: bigint): Promise<PayeeAnswer> {
    const { admin, instrument: id, registry, custody } = asset;
    const leg = {
      legId: "payee",
      sender: custody,
      receiver: destination,
      instrument: { admin, id },
      amount: units,
      inputs: [],
    };
    const nowMs = this.#now();
    const times = { requestedAtMs: nowMs, executeBeforeMs: nowMs + validMs };
    const client = new RegistryClient(
      { byAdmin: new Map(), fallback: { url: registry } },
      this.#timeoutMs,
    );
    try {
      const argument = transferArgument(leg, "", times, null);
      const { transferKind } = await client.transferFactory(admin, argument);
      if (transferKind === "direct") return "able";
      return transferKind === "offer" ? "unable" : "unmapped";
    } catch (error) {
      return answerOf(error);
    }
  }
}

function answerOf(error: unknown): PayeeAnswer {
  if (error instanceof RegistryFault) {
    if (error.status === 404) return "unknown";
    return error.status === 503 || error.status === 429 ? "unavailable" : "unmapped";
  }
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  // `fetch` fails with a TypeError if no server answers.
  return error instanceof TypeError ? "unavailable" : "unmapped";
}
