// Proves that arbitrary answers of a ledger, its registries or liquidity providers do no harm. Each exchange still
// has exactly one outcome, an unusable answer to a read is a fault, and no offset of the ledger's updates is
// invented.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import fc from "fast-check";
import { acceptAnswer, healthAnswer, quoteAnswer } from "../../schemas/http/provider-api.ts";
import { LedgerFault } from "../../src/adapters/ledger/ledger-api-client.ts";
import { openNetwork, openSwapLedger } from "../../src/adapters/ledger/open-network.ts";
import { RegistryFault } from "../../src/adapters/ledger/registry-client.ts";
import { answerOf, shownReply } from "../../src/adapters/providers/provider-answer.ts";
import { quoteFault } from "../../src/adapters/providers/quote-round.ts";
import type { LedgerNetwork } from "../../src/ports/ledger/ledger.ts";
import type { SwapLedger } from "../../src/ports/swaps/swap-ledger.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltText } from "./spoilt-bytes.ts";
import { spoiltJson } from "./spoilt-json.ts";

const operator = `venue::1220${"a".repeat(64)}`;
const owner = `user::1220${"b".repeat(64)}`;
const admin = `issuer::1220${"c".repeat(64)}`;

/** The test server's next answer, whatever the request. */
const next = { status: 200, text: "{}" };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(next.status, { "content-type": "application/json" });
  response.end(next.text);
});

let network: LedgerNetwork;
let swaps: SwapLedger;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const place = {
    ...({
      profile: "devnet",
      url: `http://127.0.0.1:${port}`,
      registries: [],
      userId: "venue",
    } as const),
    ...{ tokens: { kind: "given", token: "t" } as const, operator, custody: operator },
  };
  network = openNetwork(place, Date.now);
  swaps = openSwapLedger(place, Date.now);
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const recordTime = "2026-09-21T14:15:30.000Z";
const instrumentId = { admin, id: "CC" };
const holdingView = {
  owner,
  instrumentId,
  amount: "5.0000000000",
  lock: { expiresAt: recordTime },
};
const settlement = { executor: operator, settlementRef: { id: "s-1" }, allocateBefore: recordTime };
const transferLeg = { sender: owner, receiver: operator, amount: "1.0", instrumentId };
const allocationView = {
  allocation: { settlement, transferLegId: "base", transferLeg },
  holdingCids: ["00aa"],
};
const view = (interfaceId: string, viewValue: unknown) => ({
  interfaceId: `#p${interfaceId}`,
  viewStatus: { code: 0, message: "" },
  viewValue,
});
const created = {
  ...{
    offset: 7,
    nodeId: 2,
    contractId: "00ab",
    templateId: "#venue-swap-v1:Venue.Swap:SwapTrade",
  },
  createArgument: { swapId: "s-1", trader: owner, provider: admin, operator, legs: [transferLeg] },
  interfaceViews: [
    view(":Splice.Api.Token.HoldingV1:Holding", holdingView),
    view(":Splice.Api.Token.AllocationV1:Allocation", allocationView),
  ],
  ...{ witnessParties: [operator], signatories: [owner, admin], observers: [operator] },
  ...{ createdAt: recordTime, packageName: "p" },
};
const exercised = {
  ...{ offset: 7, nodeId: 1, contractId: "00ac", templateId: "#p:A:B", choice: "Transfer" },
  choiceArgument: { transfer: { sender: owner, meta: { values: { reason: "d-1" } } } },
  ...{ actingParties: [owner], consuming: true, witnessParties: [], lastDescendantNodeId: 3 },
  packageName: "p",
};
const transaction = {
  ...{ updateId: "u-1", commandId: "c-1", effectiveAt: recordTime, offset: 7, recordTime },
  events: [{ ExercisedEvent: exercised }, { CreatedEvent: created }],
  ...{ synchronizerId: "sync", paidTrafficCost: 12 },
};
const checkpoint = { offset: 9, synchronizerTimes: [{ synchronizerId: "sync", recordTime }] };
const completion = {
  ...{ commandId: "c-1", status: { code: 0, message: "" }, updateId: "u-1", userId: "venue" },
  ...{ actAs: [operator], submissionId: "x-1", offset: 7, paidTrafficCost: 12 },
  synchronizerTime: { synchronizerId: "sync", recordTime },
};
const choiceContext = {
  choiceContextData: { values: {} },
  disclosedContracts: [{ createdEventBlob: "eA==", contractId: "00ad", templateId: "t" }],
};
const error = {
  ...{ code: "DUPLICATE_COMMAND", cause: "said before", errorCategory: 10, definiteAnswer: true },
  context: { completion_offset: "7", error_id: "v/X" },
  resources: [["CONTRACT_ID", "00ab"]],
};

const answers = [
  { transaction },
  { update: { Transaction: { value: transaction } } },
  [
    { update: { Transaction: { value: transaction } } },
    { update: { OffsetCheckpoint: { value: checkpoint } } },
  ],
  [
    { completionResponse: { Completion: { value: completion } } },
    { completionResponse: { OffsetCheckpoint: { value: checkpoint } } },
  ],
  [
    {
      contractEntry: {
        JsActiveContract: { createdEvent: created, synchronizerId: "sync", reassignmentCounter: 0 },
      },
    },
  ],
  { offset: 9 },
  { participantPrunedUpToInclusive: 3 },
  { connectedSynchronizers: [{ synchronizerId: "sync" }] },
  { updateId: "u-1", completionOffset: 7 },
  { preparedTransaction: "eA==", preparedTransactionHash: "eA==", hashingSchemeVersion: "V2" },
  { factoryId: "00ae", transferKind: "direct", choiceContext },
  choiceContext,
  error,
];

const text = fc.oneof(
  ...answers.map((sound) => spoiltJson(sound).map((spoilt) => JSON.stringify(spoilt) ?? "")),
  spoiltText(fc.constantFrom(...answers.map((sound) => JSON.stringify(sound)))),
  fc.constantFrom("", "null", "[]", "{}", "0", '"x"', "[null]", "<html>"),
);
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(201, 400, 401, 404, 409, 413, 429, 500, 503) },
);

const change = { commandId: "c-1", submissionId: "x-1", actAs: [operator], dedupOffset: 5 };
const instrument = { admin, id: "CC" };
const leg = {
  legId: "l",
  sender: operator,
  receiver: owner,
  instrument,
  amount: 10n,
  inputs: ["00aa"],
};
const within = { requestedAtMs: 1, executeBeforeMs: 2 };
const lockAt = { admin, contractId: "00ab" };
const terms = {
  ...{ swapId: "s-1", trader: owner, provider: admin, allocateBeforeMs: 1, settleBeforeMs: 2 },
  legs: [{ legId: "base", sender: owner, receiver: admin, instrument, amount: 10n }],
};

/** Calls that change the ledger. Each must resolve with one of the outcomes in `kinds`. */
const changes: Readonly<Record<string, () => Promise<{ readonly kind: string }>>> = {
  transfer: () =>
    network.transfer({ ...change, ...within, leg, reference: "r", isDirectOnly: true }),
  open: () => network.openEpochChain({ ...change, venue: "v", nextEpoch: 1, prevRoot: "00" }),
  direct: () =>
    network.settleDirect({ ...change, ...within, batchId: "b", members: [], legs: [leg] }),
  settle: () => swaps.settleSwap({ ...change, tradeCid: "00ab", allocations: [lockAt] }),
  prepare: () =>
    swaps.prepareLock({ terms, commandId: "c-1", inputs: [], requestedAtMs: 1, commitBeforeMs: 2 }),
  execute: () =>
    swaps.execute({
      ...{ ...change, party: owner, signature: "eA==" },
      prepared: { transaction: "eA==", hash: "eA==", hashingScheme: "V2" },
    }),
};

const kinds = ["committed", "rejected", "unknown", "prepared", "refused"];

fuzz(
  "LED-22 a change has exactly one outcome for any answer of a ledger",
  fc.tuple(fc.constantFrom(...Object.keys(changes)), status, text),
  async ([name, code, said]) => {
    Object.assign(next, { status: code, text: said });
    const outcome = await changes[name]?.();
    assert.ok(outcome !== undefined && kinds.includes(outcome.kind), JSON.stringify(outcome));
    if (outcome.kind === "committed") {
      const { updateId, offset } = outcome as { updateId?: unknown; offset?: unknown };
      assert.equal(typeof updateId, "string");
      assert.ok(Number.isSafeInteger(offset));
    }
    if (outcome.kind === "prepared") {
      const { prepared } = outcome as { prepared?: Record<string, unknown> };
      for (const field of Object.values(prepared ?? {})) assert.equal(typeof field, "string");
    }
  },
);

/** Calls that only read from the ledger. Each must resolve with a usable value or reject with a fault. */
const reads: Readonly<Record<string, () => Promise<unknown>>> = {
  end: async () => assert.ok(Number.isSafeInteger(await network.ledgerEnd())),
  pruned: async () => assert.ok(Number.isSafeInteger(await network.prunedTo())),
  updates: async () => {
    const { through, updates } = await network.updates(5, [operator]);
    assert.ok(Number.isSafeInteger(through) && through >= 5);
    for (const { updateId, archived, created: made, holdings } of updates) {
      assert.equal(typeof updateId, "string");
      for (const id of [...archived, ...made.map(({ contractId }) => contractId)])
        assert.equal(typeof id, "string");
      for (const { amount } of holdings) assert.ok(amount >= 0n);
    }
  },
  incoming: async () => {
    const { through, coins } = await network.incoming(5);
    assert.ok(Number.isSafeInteger(through));
    for (const { sender, updateId } of coins)
      assert.ok(typeof sender === "string" && typeof updateId === "string");
  },
  charges: async () => {
    const { through, charges } = await network.charges(5);
    assert.ok(Number.isSafeInteger(through));
    for (const { bytes, recordedMs } of charges)
      assert.ok(Number.isSafeInteger(bytes) && Number.isFinite(recordedMs));
  },
  lookup: async () => {
    const found = await network.lookup(change);
    assert.ok(["committed", "rejected", "absent"].includes(found.kind));
    if (found.kind === "absent") assert.ok(Number.isSafeInteger(found.searchedTo));
  },
  holdings: async () => {
    for (const { amount, contractId } of await network.holdings(owner, 5)) {
      assert.ok(typeof amount === "bigint" && typeof contractId === "string");
    }
  },
  swaps: async () => {
    const { through, created: made } = await swaps.swapPage(5);
    assert.ok(Number.isSafeInteger(through));
    for (const { contractId, offset } of made)
      assert.ok(typeof contractId === "string" && Number.isSafeInteger(offset));
  },
  kinds: () => network.transferKinds([leg]),
};

fuzz(
  "LED-22 a read gives a usable value or a fault for any answer of a ledger",
  fc.tuple(fc.constantFrom(...Object.keys(reads)), status, text),
  async ([name, code, said]) => {
    Object.assign(next, { status: code, text: said });
    try {
      await reads[name]?.();
    } catch (thrown) {
      assert.ok(
        thrown instanceof LedgerFault || thrown instanceof RegistryFault,
        `${name}: ${thrown instanceof Error ? thrown.stack : thrown}`,
      );
    }
  },
);

const market = testMarkets.find("CC-USDC");
assert.ok(market !== undefined);
const request = {
  ...({ rfq_id: "0198f1c2-0000-7008-8000-000000000001", pair: "CC-USDC", side: "BUY" } as const),
  ...{ qty: "100.0", trader_tag: "t", respond_by_ms: 1_000 },
};
const quote = {
  quote_id: "q",
  price: "0.15",
  qty: "100.0",
  valid_until_ms: 9_000,
  provider_party: admin,
};
const health = { status: "ok", pairs: ["CC-USDC"], max_notional: "1000" };
const accepted = { allocation_cid: "00aa", trade_cid: "00ab", update_id: "u" };
const replies = fc.oneof(
  ...[quote, health, accepted].map((sound) =>
    spoiltJson(sound).map((spoilt) => JSON.stringify(spoilt) ?? ""),
  ),
  spoiltText(fc.constant(JSON.stringify(quote))),
  fc.string({ unit: "binary", maxLength: 300 }),
);

fuzz(
  "LPC-3 any answer of a provider is a quote, a refusal or nothing",
  fc.tuple(status, replies),
  ([code, said]) => {
    const reply = { kind: "answer", status: code, text: said } as const;
    for (const schema of [healthAnswer, acceptAnswer]) answerOf(schema, reply);
    const detail = shownReply(reply);
    assert.match(detail, /^[ -~]{0,210}$/);
    const answer = answerOf(quoteAnswer, reply);
    if (answer === null) return;
    const fault = quoteFault(market, { request, answer, requestedMs: 0, nowMs: 500 });
    if (fault === null) assert.equal(Number(answer.qty), 100);
  },
);
