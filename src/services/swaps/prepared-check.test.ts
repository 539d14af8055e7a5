// The transactions a wallet signs for a swap, as prepared by the development ledger, and every way they can
// deviate from the agreed terms.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { type KnownNetwork, unknownNetwork } from "./known-network.ts";
import { type AgreedSwap, checkPrepared, type PreparedToSign } from "./prepared-check.ts";

const party = `user::1220${"1".repeat(64)}`;
const provider = `maker::1220${"2".repeat(64)}`;
const operator = `operator::1220${"3".repeat(64)}`;
const swapId = "0198f1c2-0000-7008-8000-000000000001";
const [allocateBefore, settleBefore] = ["2026-09-21T14:15:30.000Z", "2026-09-21T14:16:30.000Z"];

const swap: AgreedSwap = {
  swap_id: swapId,
  pair: "CC-USDC",
  side: "BUY",
  status: "accepted",
  accepted: { qty: "100.0", quote_qty: "15.030000", provider_party: provider },
  allocate_before: allocateBefore,
  settle_before: settleBefore,
  moves: [
    { to: "accepted", details: "{}" },
    { to: "trader_allocated", details: '{"proposal":"00ee","allocation":"00ef"}' },
  ],
};
const releasing = { ...swap, status: "releasing" };
const nowMs = Date.parse("2026-09-21T14:13:00.000Z");

/** The knowledge of a wallet that has read the ledger. */
const known: KnownNetwork = {
  operator,
  issuers: { USDC: "USDC-issuer", CC: "CC-issuer" },
  factories: { "USDC-issuer": "00ab" },
};
const nothing = { values: {} };
const extraArgs = { context: nothing, meta: nothing };

function shownContract(contractId: string) {
  return { templateId: "#t:T:T", contractId, createdEventBlob: "e30=", synchronizerId: "sync" };
}

function payment(sender: string, receiver: string, amount: string, id: string) {
  return { sender, receiver, amount, instrumentId: { admin: `${id}-issuer`, id } };
}

function lockDocument() {
  const paid = payment(party, provider, "15.0300000000", "USDC");
  const terms = {
    ...{ swapId, trader: party, provider, operator, allocateBefore, settleBefore },
    legs: [
      { legId: "base", ...payment(provider, party, "100.0000000000", "CC") },
      { legId: "quote", ...paid },
    ],
  };
  const requestedAt = "2026-09-21T14:13:00.000Z";
  const reference = {
    "splice.lfdecentralizedtrust.org/reason": swapId,
    "rialto.exchange/batch-id": swapId,
  };
  const settlement = {
    ...{ executor: operator, settlementRef: { id: swapId, cid: null }, requestedAt },
    ...{ allocateBefore, settleBefore, meta: { values: reference } },
  };
  const transferLeg = { ...paid, meta: nothing };
  const allocation = { settlement, transferLegId: "quote", transferLeg };
  const factory =
    "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory";
  return {
    commandId: `rfq:${swapId}:lock`,
    commands: [
      {
        CreateCommand: {
          templateId: "#venue-swap-v1:Venue.Swap:SwapProposal",
          createArguments: terms,
        },
      },
      {
        ExerciseCommand: {
          templateId: factory,
          contractId: "00ab",
          choice: "AllocationFactory_Allocate",
          choiceArgument: {
            ...{ expectedAdmin: "USDC-issuer", allocation, requestedAt },
            ...{ inputHoldingCids: ["00cd"], extraArgs },
          },
        },
      },
    ] as object[],
    actAs: [party],
    disclosedContracts: [shownContract("00ab")],
    maxRecordTime: "2026-09-21T14:14:00.000Z",
  };
}

function takeBack() {
  return {
    commandId: `rfq:${swapId}:withdraw`,
    commands: [
      {
        ExerciseCommand: {
          templateId: "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation",
          contractId: "00ef",
          choice: "Allocation_Withdraw",
          choiceArgument: { extraArgs },
        },
      },
      {
        ExerciseCommand: {
          templateId: "#venue-swap-v1:Venue.Swap:SwapProposal",
          contractId: "00ee",
          choice: "SwapProposal_Withdraw",
          choiceArgument: {},
        },
      },
    ],
    actAs: [party],
    disclosedContracts: [shownContract("00cc")],
    maxRecordTime: settleBefore,
  };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

function preparedText(text: string): PreparedToSign {
  const bytes = Buffer.from(text, "utf8");
  const lead = Buffer.from("devnet-prepared-v1\0");
  return {
    prepared_transaction: bytes.toString("base64"),
    prepared_transaction_hash: Buffer.from(sha256(Buffer.concat([lead, bytes]))).toString("base64"),
  };
}

function prepared(document: unknown): PreparedToSign {
  return preparedText(JSON.stringify(document));
}

function check(signed: PreparedToSign, agreed: AgreedSwap = swap, network: KnownNetwork = known) {
  return checkPrepared(signed, agreed, { sha256, party, known: network, nowMs });
}

/** The message of the failed step; empty if all pass. */
async function faultOf(document: unknown, agreed: AgreedSwap = swap): Promise<string> {
  const verdict = await check(prepared(document), agreed);
  const last = verdict.steps.at(-1);
  assert.equal(verdict.isValid, last?.isOk);
  return verdict.isValid ? "" : (last?.message ?? "");
}

/** The paths to all values of the given kind in a document. */
function ways(
  value: unknown,
  isWanted: (value: unknown) => boolean,
  way: readonly string[] = [],
): string[][] {
  const own = way.length > 0 && isWanted(value) ? [[...way]] : [];
  if (typeof value !== "object" || value === null) return own;
  const inner = Object.entries(value).flatMap(([name, each]) =>
    ways(each, isWanted, [...way, name]),
  );
  return [...own, ...inner];
}

/** The document with one string changed. */
function changed<T>(document: T, way: readonly string[]): T {
  const copy = structuredClone(document);
  const last = way.at(-1) ?? "";
  const field = way
    .slice(0, -1)
    .reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), copy);
  const old = String(Reflect.get(Object(field), last));
  const isTime = /^\d{4}-/.test(old);
  Reflect.set(Object(field), last, isTime ? "2027-01-01T00:00:00.000Z" : `9${old}x`);
  return copy;
}

/** The document with a field added to each object in turn. */
function* widened(document: object): Generator<[string, object]> {
  const fields = [[], ...ways(document, (value) => typeof value === "object" && value !== null)];
  for (const way of fields) {
    const copy = structuredClone(document);
    const field = way.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), copy);
    if (Array.isArray(field)) field.push("more");
    else Reflect.set(Object(field), "more", {});
    yield [way.join("."), copy];
  }
}

test("RFQ-13 each agreed term is reported and passes", async () => {
  const verdict = await check(prepared(lockDocument()));
  assert.deepEqual([verdict.isReadable, verdict.isValid, verdict.steps.length], [true, true, 8]);
  const message = verdict.steps.map((step) => step.message).join("\n");
  assert.match(message, /You receive 100\.0 CC from maker::/);
  assert.match(message, /You lock 15\.030000 USDC for maker::/);
  assert.match(message, /Operator, issuers and contract match those this wallet knows\./);
});

test("RFQ-22 a lock that differs in any value is refused", async () => {
  // These values do not change the agreed terms: the request time, the trader's coins that are spent, and the
  // descriptions of the disclosed contracts.
  const free =
    /requestedAt$|inputHoldingCids|createdEventBlob|synchronizerId|disclosedContracts.*templateId/;
  const all = ways(lockDocument(), (value) => typeof value === "string");
  assert(all.length >= 45, `${all.length}`);
  for (const way of all.filter((each) => !free.test(each.join(".")))) {
    assert.notEqual(await faultOf(changed(lockDocument(), way)), "", way.join("."));
  }
});

test("RFQ-22 anything in a transaction beyond the agreed terms is refused", async () => {
  for (const [field, document] of widened(lockDocument())) {
    if (field.endsWith("inputHoldingCids")) continue;
    assert.notEqual(await faultOf(document), "", field);
  }
  for (const [field, document] of widened(takeBack()))
    assert.notEqual(await faultOf(document, releasing), "", field);
  const text = JSON.stringify(lockDocument()).replace('"actAs":', '"actAs":["other"],"actAs":');
  const twice = await check(preparedText(text));
  assert.match(twice.steps.at(-1)?.message ?? "", /canonical form/);
  assert.deepEqual([twice.isReadable, twice.isValid], [true, false]);
});

test("RFQ-22 RFQ-34 an operator, issuer or contract other than those known to the wallet is refused and named", async () => {
  const others: Array<[KnownNetwork, RegExp]> = [
    [{ ...known, operator: "other::1220" }, /operator operator::1220\d+\b.* knows other::1220\./],
    [{ ...known, issuers: { ...known.issuers, CC: "x" } }, /the issuer of CC CC-issuer.* knows x/],
    [
      { ...known, issuers: { ...known.issuers, USDC: "x" } },
      /the issuer of USDC USDC-issuer, but this wallet knows x/,
    ],
    [{ ...known, factories: { "USDC-issuer": "00" } }, /contract of USDC-issuer 00ab.* knows 00/],
  ];
  for (const [network, message] of others) {
    const verdict = await check(prepared(lockDocument()), swap, network);
    assert.deepEqual([verdict.isValid, verdict.isOtherNetwork], [false, true]);
    assert.match(verdict.steps.at(-1)?.message ?? "", message);
    assert.equal(verdict.known, network);
  }
  // If a name is replaced everywhere, the transaction is consistent in itself. Only what the wallet already knows can
  // reveal the change.
  const text = JSON.stringify(lockDocument());
  for (const [own, other] of [
    [operator, provider],
    ["USDC-issuer", "evil"],
    ["CC-issuer", "evil"],
    ["00ab", "00ac"],
  ] as const) {
    const verdict = await check(preparedText(text.replaceAll(own, other)));
    assert.deepEqual([verdict.isValid, verdict.isOtherNetwork], [false, true], own);
  }
});

test("RFQ-22 RFQ-34 names seen for the first time are reported, and are known afterwards", async () => {
  const first = await check(prepared(lockDocument()), swap, unknownNetwork);
  assert.equal(first.isValid, true);
  const message = first.steps.map((step) => step.message).join("\n");
  assert.match(
    message,
    /New to this wallet.*operator::1220.*CC-issuer.*contract of USDC-issuer 00ab/,
  );
  assert.deepEqual(first.known, known);
  const inherited = { ...swap, pair: "CC-constructor" };
  assert.match(await faultOf(lockDocument(), inherited), /differs from the agreed terms/);
});

test("RFQ-22 RFQ-35 a lock of more than an hour, or one that can commit after its deadline, is refused", async () => {
  const late = { ...swap, settle_before: "2027-09-21T14:16:30.000Z" };
  assert.match(await faultOf(lockDocument(), late), /until 2027-.* more than an hour/);
  const open = { ...lockDocument(), maxRecordTime: "2026-09-21T14:15:30.001Z" };
  assert.match(await faultOf(open), /after its deadline/);
});

test("RFQ-13 a third command, a second signer or another hash is detected", async () => {
  const three = lockDocument();
  three.commands.push(takeBack().commands[0] ?? {});
  assert.match(await faultOf(three), /something other/);
  const twice = lockDocument();
  twice.commands[0] = { ...twice.commands[0], ...takeBack().commands[0] };
  assert.match(await faultOf(twice), /more than one kind/);
  assert.match(await faultOf({ ...lockDocument(), actAs: [party, provider] }), /not for you/);
  const other = { ...prepared(lockDocument()), prepared_transaction_hash: "AAAA" };
  const verdict = await check(other);
  assert.match(verdict.steps[0]?.message ?? "", /but the hash to sign is AAAA/);
});

test("RFQ-13 a transaction for a released swap may do nothing but return the coins locked for it", async () => {
  assert.equal(await faultOf(takeBack(), releasing), "");
  const alone = takeBack();
  alone.commands.pop();
  assert.equal(await faultOf(alone, releasing), "");
  assert.match(await faultOf(lockDocument(), releasing), /form|something other/);
  const free = /disclosedContracts/;
  for (const way of ways(takeBack(), (value) => typeof value === "string")) {
    if (free.test(way.join("."))) continue;
    assert.notEqual(await faultOf(changed(takeBack(), way), releasing), "", way.join("."));
  }
  assert.match(await faultOf({ ...takeBack(), commands: [] }, releasing), /form|something other/);
  const unlocked = { ...releasing, moves: [] };
  assert.match(await faultOf(takeBack(), unlocked), /does not list your locked funds/);
});

test("RFQ-13 a transaction that cannot be read is never valid", async () => {
  const unread = { prepared_transaction: "CgQI", prepared_transaction_hash: "AAAA" };
  const verdict = await check(unread);
  assert.deepEqual([verdict.isReadable, verdict.isValid], [false, false]);
  assert.equal(await faultOf({}), "The transaction does not have the expected form.");
});
