// The calls of the control socket, each with the shape of its parameters. The command line uses the
// same table without a socket when no venue runs.

import * as z from "zod";
import type { SettlementDoor, SwapsDoor } from "../../ports/ledger/settlement-door.ts";
import type { FoldedSnapshot } from "../../services/journal/snapshot-folding.ts";
import type { ClockDoor } from "../duties/clock-keeper.ts";
import type { MasterKeyDoor } from "../keys/venue-keys.ts";
import type { Operator } from "./operator.ts";
import type { StandingOperator } from "./standing-operator.ts";

const id = z.number().int().positive();

const createAccount = z.object({ type: z.string().default("standard") });
const account = z.object({ account: id });
const fund = z.object({ account: id, wallet: z.string(), asset: z.string(), amount: z.string() });
const createKey = z.object({
  account: id,
  tier: z.string().optional(),
  permissions: z.string().optional(),
  label: z.string().max(64).optional(),
  publicKey: z.string().max(100).optional(),
  allowedRanges: z.array(z.string()).max(64).optional(),
});
const partyForm = /^[^\s:]{1,120}::1220[0-9a-f]{64}$/;
const enroll = z.object({ account: id, party: z.string().regex(partyForm, "expected a party id") });
const batch = z.object({ batchId: z.string().min(1).max(100) });
const provider = z.object({ provider: z.uuid() });
const verdict = z.object({ provider: z.uuid(), reason: z.string().min(1).max(200) });
const rotation = z.object({ now: z.boolean().default(false) });
const swap = z.object({ swapId: z.string().min(1).max(100) });
const refill = z.object({ account: id, amount: z.string().max(64) });
const reference = z.object({
  symbol: z.string().max(32),
  price: z.string().max(64).nullable(),
  seconds: id,
});
const masterKey = z.object({
  key: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .nullable(),
});
const freeze = z.object({ account: id, cancelsOrders: z.boolean().default(false) });
const house = z.object({ account: id, isHouse: z.boolean() });
const maker = z.object({ account: id, isMaker: z.boolean() });
const riskTerm = z.object({
  symbol: z.string().max(32),
  term: z.string().max(32).nullable(),
  value: z.string().max(32).default("usual"),
});
const bps = z.number().max(10_000).optional();
const addMarket = z.object({
  symbol: z.string().max(32),
  tick: z.string().max(32).optional(),
  lot: z.string().max(32).optional(),
  minNotional: z.string().max(32).optional(),
  makerBps: bps,
  takerBps: bps,
  leverageMax: z.number().optional(),
  index: z.string().max(32).optional(),
  isHalted: z.boolean().default(false),
});
const permitAccount = z.object({ account: id, permissions: z.string().max(64) });
const symbol = z.object({ symbol: z.string().max(32) });
const listKeys = z.object({
  account: id.nullable().default(null),
  after: z.number().int().nonnegative().default(0),
  limit: id.max(1_000).default(500),
});
const key = z.object({ keyId: id });
const tier = z.object({ keyId: id, tier: z.string() });
const permit = z.object({ keyId: id, permissions: z.string() });
const allow = z.object({ keyId: id, ranges: z.array(z.string()).max(64) });

const listDeposits = z.object({ all: z.boolean().default(false) });
const deposit = z.object({ depositId: id });
const creditDeposit = z.object({ depositId: id, account: id });
const setTerms = z.object({
  asset: z.string().max(32),
  depositMin: z.string().max(64).optional(),
  withdrawalMin: z.string().max(64).optional(),
  withdrawalFee: z.string().max(64).optional(),
});

const developmentCalls = new Set(["accounts/fund", "funding/tick"]);

/** What the venue itself answers, apart from the operator's changes. */
export interface VenueCalls {
  status(): Promise<unknown>;
  snapshot(): Promise<FoldedSnapshot>;
  /** The ledger network; throws where no venue runs. */
  ledger(): Promise<unknown>;
  /** Settlement on it; throws where the ledger is not reached, or no venue runs. */
  settlement(): SettlementDoor & SwapsDoor;
  readonly masterKeys: MasterKeyDoor;
  /** The machine's clock and the venue's; throws where no venue runs. */
  clockDoor(): ClockDoor;
}

/** A handler for every call by name; `mayFund` mounts the dev-only ones. */
export function controlCalls(
  operator: Operator,
  venue: VenueCalls,
  mayFund: boolean,
): (call: string, parameters: unknown) => Promise<unknown> {
  const calls: Record<string, (parameters: unknown) => Promise<unknown>> = {
    ping: async () => ({}),
    status: () => venue.status(),
    ledger: () => venue.ledger(),
    "clock/show": async () => venue.clockDoor().show(),
    "clock/accept": async () => venue.clockDoor().accept(),
    "accounts/enroll": (given) => {
      const { account: number, party } = enroll.parse(given);
      return venue.settlement().enroll(number, party);
    },
    "settle/status": () => venue.settlement().status(),
    "settle/flush": () => venue.settlement().flush(),
    "settle/batch": (given) => venue.settlement().batch(batch.parse(given).batchId),
    "settle/skip": (given) => venue.settlement().skip(batch.parse(given).batchId),
    "settle/requeue": (given) => venue.settlement().requeue(batch.parse(given).batchId),
    "master-key/show": () => venue.masterKeys.show(),
    "master-key/begin": (given) => venue.masterKeys.begin(masterKey.parse(given).key),
    "master-key/step": () => venue.masterKeys.step(),
    "master-key/finish": () => venue.masterKeys.finish(),
    "swaps/list": () => venue.settlement().swaps(),
    "swaps/abort": (given) => venue.settlement().abortSwap(swap.parse(given).swapId),
    snapshot: async () => {
      const { seq, stateHash, bytes, folded } = await venue.snapshot();
      return { seq, state_hash: stateHash, bytes, folded };
    },
    "accounts/create": (given) => operator.createAccount(createAccount.parse(given).type),
    "accounts/show": (given) => operator.showAccount(account.parse(given).account),
    ...standingCalls(operator.standing),
    ...custodyCalls(operator.custody),
    ...providerCalls(operator.providers),
    ...keyCalls(operator),
    ...termsCalls(operator.terms),
    "insurance/show": () => operator.risk.showFund(),
    "insurance/refill": (given) => {
      const { account: number, amount } = refill.parse(given);
      return operator.risk.refillFund(number, amount);
    },
    "markets/add": (given) => operator.listing.add(addMarket.parse(given)),
    "markets/list": () => operator.risk.listMarkets(),
    "markets/reference": (given) => {
      const { symbol, price, seconds } = reference.parse(given);
      return operator.risk.setReference(symbol, price, seconds);
    },
  };
  if (mayFund) {
    calls["accounts/fund"] = (given) => operator.fund(fund.parse(given));
    calls["funding/tick"] = () => operator.settleFunding();
  }
  return async (call, parameters) => {
    const handle = Object.hasOwn(calls, call) ? calls[call] : undefined;
    if (handle === undefined) {
      const reason = developmentCalls.has(call) ? " (it needs DEV_TOOLS=1)" : "";
      throw new Error(`this venue has no call ${call}${reason}`);
    }
    try {
      return await handle(parameters);
    } catch (error) {
      throw error instanceof z.ZodError ? new Error(wordsOf(error)) : error;
    }
  };
}

/** What the operator decides about accounts and markets. */
function standingCalls(
  standing: StandingOperator,
): Record<string, (parameters: unknown) => Promise<unknown>> {
  return {
    "accounts/freeze": (given) => {
      const { account: number, cancelsOrders } = freeze.parse(given);
      return standing.freeze(number, cancelsOrders);
    },
    "accounts/thaw": (given) => standing.thaw(account.parse(given).account),
    "accounts/house": (given) => {
      const { account: number, isHouse } = house.parse(given);
      return standing.house(number, isHouse);
    },
    "accounts/permit": (given) => {
      const { account: number, permissions } = permitAccount.parse(given);
      return standing.permit(number, permissions);
    },
    "markets/halt": (given) => standing.halt(symbol.parse(given).symbol),
    "markets/resume": (given) => standing.resume(symbol.parse(given).symbol),
    "markets/delist": (given) => standing.delist(symbol.parse(given).symbol),
  };
}

/** Who makes the markets of perpetuals, and on which terms of risk. */
function termsCalls(
  terms: Operator["terms"],
): Record<string, (parameters: unknown) => Promise<unknown>> {
  return {
    "makers/list": () => terms.listMakers(),
    "makers/set": (given) => {
      const { account: number, isMaker } = maker.parse(given);
      return terms.designate(number, isMaker);
    },
    "markets/risk": (given) => {
      const { symbol: name, term, value } = riskTerm.parse(given);
      return term === null ? terms.show(name) : terms.set(name, term, value);
    },
  };
}

/** Deposits that are nobody's, and the terms of withdrawals. */
function custodyCalls(
  custody: Operator["custody"],
): Record<string, (parameters: unknown) => Promise<unknown>> {
  return {
    "deposits/list": (given) => custody.listDeposits(listDeposits.parse(given).all),
    "deposits/credit": (given) => {
      const { depositId, account: number } = creditDeposit.parse(given);
      return custody.creditDeposit(depositId, number);
    },
    "deposits/return": (given) => custody.returnDeposit(deposit.parse(given).depositId),
    "custody/terms": () => custody.showTerms(),
    "custody/set-terms": (given) => custody.setTerms(setTerms.parse(given)),
    "custody/audit": () => custody.audit(),
  };
}

/** Who may quote swaps. */
function providerCalls(
  providers: Operator["providers"],
): Record<string, (parameters: unknown) => Promise<unknown>> {
  return {
    "providers/list": () => providers.list(),
    "providers/approve": (given) => providers.approve(provider.parse(given).provider),
    "providers/resume": (given) => providers.resume(provider.parse(given).provider),
    "providers/refuse": (given) => {
      const { provider: id, reason } = verdict.parse(given);
      return providers.refuse(id, reason);
    },
    "providers/suspend": (given) => {
      const { provider: id, reason } = verdict.parse(given);
      return providers.suspend(id, reason);
    },
    "providers/rotate-key": (given) => providers.rotateKey(rotation.parse(given).now),
  };
}

/** API keys, of whatever account. */
function keyCalls(operator: Operator): Record<string, (parameters: unknown) => Promise<unknown>> {
  return {
    "keys/create": (given) => operator.createKey(createKey.parse(given)),
    "keys/list": (given) => operator.listKeys(listKeys.parse(given)),
    "keys/tier": (given) => {
      const { keyId, tier: name } = tier.parse(given);
      return operator.setTier(keyId, name);
    },
    "keys/permit": (given) => {
      const { keyId, permissions } = permit.parse(given);
      return operator.permit(keyId, permissions);
    },
    "keys/allow-ip": (given) => {
      const { keyId, ranges } = allow.parse(given);
      return operator.allowAddresses(keyId, ranges);
    },
    "keys/revoke": (given) => operator.revokeKey(key.parse(given).keyId),
  };
}

/** `label: Too big: …`, a line for each parameter that is not as it should be. */
function wordsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n");
}
