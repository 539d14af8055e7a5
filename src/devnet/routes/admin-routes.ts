// Routes that only a development ledger has: injected faults, a faucet, wallets controlled by requests, a manual clock,
// and an audit. They have a separate port and a separate token, and are never opened in production.

import { parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type { DevnetLedger } from "../devnet-ledger.ts";
import { amountText, Fields } from "../fields.ts";
import type { HostedWallets } from "../hosted-wallets.ts";
import { instrumentKey } from "../interpreter.ts";
import { LedgerRefusal } from "../ledger-refusal.ts";
import { holdingAmount } from "../token/holding.ts";
import { trafficParameters } from "../traffic-meter.ts";
import { type JsonCall, type JsonRoute, route } from "./json-server.ts";
import { isSecret } from "./token-check.ts";

export function adminRoutes(
  ledger: DevnetLedger,
  wallets: HostedWallets,
  token: string,
): JsonRoute[] {
  const guarded = (open: JsonRoute): JsonRoute => ({
    ...open,
    answer(call) {
      if (!isSecret(call.authorization, `Bearer ${token}`))
        throw new LedgerRefusal("UNAUTHENTICATED", "the admin token is missing or wrong");
      return open.answer(call);
    },
  });
  return [...faultRoutes(ledger), ...walletRoutes(wallets), ...ledgerRoutes(ledger)].map(guarded);
}

function faultRoutes({ faults }: DevnetLedger): JsonRoute[] {
  return [
    route("POST /devnet/v1/faults", ({ body }) => faults.add(body)),
    route("GET /devnet/v1/faults", () => ({ faults: faults.all() })),
    route("GET /devnet/v1/faults/{id}", ({ names }) => {
      const found = faults.get(names["id"] ?? "");
      if (found === undefined) throw new LedgerRefusal("NOT_FOUND", "no such fault");
      return found;
    }),
    route("DELETE /devnet/v1/faults/{id}", ({ names }) => faults.remove(names["id"] ?? "")),
  ];
}

function walletRoutes(wallets: HostedWallets): JsonRoute[] {
  const party = ({ names }: JsonCall) => new Fields(names, "").party("party");
  return [
    route("POST /devnet/v1/wallets", async ({ body }) => {
      const fields = new Fields(body, "");
      const key = fields.has("public_key") ? fields.text("public_key") : null;
      await wallets.host(fields.party("party"), key);
      return {};
    }),
    route("POST /devnet/v1/wallets/{party}/preapproval", (call) => wallets.preapprove(party(call))),
    route("DELETE /devnet/v1/wallets/{party}/preapproval", (call) =>
      wallets.withdrawPreapproval(party(call)),
    ),
    route("DELETE /devnet/v1/wallets/{party}/authority", (call) =>
      wallets.revokeAuthority(party(call)),
    ),
    route("POST /devnet/v1/wallets/{party}/authority", (call) =>
      wallets.giveAuthority(party(call)),
    ),
    route("POST /devnet/v1/wallets/{party}/spend", async (call) => {
      const fields = new Fields(call.body, "");
      const updateId = await wallets.spend({
        from: party(call),
        to: fields.party("to"),
        instrumentId: fields.text("instrument"),
        units: fields.amount("amount"),
        reference: fields.has("reference") ? fields.text("reference") : "",
      });
      return { updateId };
    }),
    route("POST /devnet/v1/tap", async ({ body }) => {
      const fields = new Fields(body, "");
      const units = fields.amount("amount");
      return {
        updateId: await wallets.tap(fields.party("party"), fields.text("instrument"), units),
      };
    }),
  ];
}

function ledgerRoutes(ledger: DevnetLedger): JsonRoute[] {
  return [
    route("GET /devnet/v1/audit", () => audit(ledger)),
    route("GET /devnet/v1/traffic", () => ({ ...trafficParameters, ...ledger.traffic.state })),
    route("POST /devnet/v1/traffic/purchase", ({ body }) => {
      const bytes = new Fields(body, "").integer("bytes");
      if (bytes <= 0)
        throw new LedgerRefusal("INVALID_ARGUMENT", "bytes: expected a number above zero");
      ledger.traffic.purchase(bytes);
      return {};
    }),
    route("POST /devnet/v1/time/advance", ({ body }) => {
      const ms = new Fields(body, "").integer("ms");
      if (ms <= 0 || !ledger.clock.advance(ms))
        throw new LedgerRefusal(
          "INVALID_ARGUMENT",
          "the clock is not manual, or ms is not positive",
        );
      return { now: new Date(ledger.clock.now()).toISOString() };
    }),
  ];
}

/** Compares the supply with all holdings and checks the log's invariants; `isSound` is true if both are correct. */
async function audit(ledger: DevnetLedger): Promise<object> {
  const held = new Map<string, bigint>();
  const byOwner = new Map<string, bigint>();
  for (const contract of ledger.active) {
    const found = holdingAmount(contract);
    if (found === null) continue;
    const key = instrumentKey(found.instrument);
    held.set(key, (held.get(key) ?? 0n) + found.units);
    const owner = `${found.instrument.id} ${String(contract.payload["owner"])}`;
    byOwner.set(owner, (byOwner.get(owner) ?? 0n) + found.units);
  }
  const supply = await ledger.store.supply();
  const instruments = [...new Set([...supply.keys(), ...held.keys()])].map((instrument) => ({
    instrument,
    supply: amountText(supply.get(instrument) ?? 0n),
    held: amountText(held.get(instrument) ?? 0n),
  }));
  const isConserved = instruments.every(
    (each) => parseLedgerAmount(each.supply) === parseLedgerAmount(each.held),
  );
  const faults = await ledger.store.faults();
  const holdings = [...byOwner].map(([key, units]) => {
    const [instrument, owner] = key.split(" ");
    return { instrument, owner, amount: amountText(units) };
  });
  const isSound = isConserved && faults.gaps === 0 && faults.twice === 0;
  return { isSound, instruments, holdings, ...faults, endOffset: ledger.queue.endOffset };
}
