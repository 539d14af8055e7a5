// Proves that the simulated ledger behaves like a real one: it passes the same conformance cases.

import { parseLedgerAmount } from "../../../src/core/money/ledger-amount.ts";
import type { Instrument } from "../../../src/ports/ledger/ledger.ts";
import { LedgerSubject } from "../../ledger-conformance/ledger-subject.ts";
import { paymentCases } from "../../ledger-conformance/payment-cases.ts";
import { settlementCases } from "../../ledger-conformance/settlement-cases.ts";
import { SimulatedLedger } from "./simulated-ledger.ts";

const instruments: readonly Instrument[] = ["USDC", "CC", "CBTC", "CETH"].map((id) => {
  return { admin: `${id === "USDC" ? "usd" : "coin"}-issuer::1220`, id };
});

class SimulatedSubject extends LedgerSubject {
  readonly network = new SimulatedLedger({
    nowMs: Date.now,
    instruments,
    isAcceptedAtOnce: true,
  });
  readonly control = {
    host: async (party: string) => this.network.host(party),
    tap: async (party: string, id: string, amount: string) =>
      this.network.tap(party, id, units(amount)),
    spend: async (from: string, to: string, id: string, amount: string) =>
      void this.network.spend(from, to, id, units(amount)),
    preapproval: async (party: string, method: "POST" | "DELETE") =>
      this.network.preapprove(party, method === "POST"),
  };

  async instruments(): Promise<Map<string, Instrument>> {
    return new Map(instruments.map((instrument) => [instrument.id, instrument]));
  }

  async close(): Promise<void> {
    // Nothing to close.
  }
}

function units(text: string): bigint {
  return parseLedgerAmount(text) ?? 0n;
}

paymentCases(async () => new SimulatedSubject());
settlementCases(async () => new SimulatedSubject());
