// What a wallet is asked to sign, as the development ledger prepares it, and every way in which it could be
// something else than was agreed.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
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
};

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
  const settlement = {
    ...{ executor: operator, settlementRef: { id: swapId, cid: null }, allocateBefore },
    settleBefore,
  };
  const allocation = { settlement, transferLegId: "quote", transferLeg: paid };
  const factory =
    "#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory";
  return {
    actAs: [party],
    commands: [
      { CreateCommand: { templateId: "#swap:Venue.Swap:SwapProposal", createArguments: terms } },
      {
        ExerciseCommand: {
          templateId: factory,
          contractId: "00ab",
          choice: "AllocationFactory_Allocate",
          choiceArgument: { expectedAdmin: "USDC-issuer", allocation, inputHoldingCids: ["00cd"] },
        },
      },
    ] as object[],
  };
}

function takeBack() {
  return {
    actAs: [party],
    commands: [
      {
        ExerciseCommand: {
          templateId: "#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation",
          contractId: "00ef",
          choice: "Allocation_Withdraw",
          choiceArgument: {},
        },
      },
      {
        ExerciseCommand: {
          templateId: "#swap:Venue.Swap:SwapProposal",
          contractId: "00ee",
          choice: "SwapProposal_Withdraw",
          choiceArgument: {},
        },
      },
    ],
  };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

function prepared(document: unknown): PreparedToSign {
  const bytes = Buffer.from(JSON.stringify(document), "utf8");
  const lead = Buffer.from("devnet-prepared-v1\0");
  return {
    prepared_transaction: bytes.toString("base64"),
    prepared_transaction_hash: Buffer.from(sha256(Buffer.concat([lead, bytes]))).toString("base64"),
  };
}

/** The words of the step that fails; empty where all hold. */
async function faultOf(document: unknown, agreed: AgreedSwap = swap): Promise<string> {
  const verdict = await checkPrepared(prepared(document), agreed, { sha256, party });
  const last = verdict.steps.at(-1);
  assert.equal(verdict.isValid, last?.isOk);
  return verdict.isValid ? "" : (last?.words ?? "");
}

/** Every way to a text in a document. */
function texts(value: unknown, way: readonly string[] = []): string[][] {
  if (typeof value === "string") return [[...way]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => texts(inner, [...way, name]));
}

/** The document with one text made another. */
function changed<T>(document: T, way: readonly string[]): T {
  const copy = structuredClone(document);
  const last = way.at(-1) ?? "";
  const place = way
    .slice(0, -1)
    .reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), copy);
  const old = String(Reflect.get(Object(place), last));
  const isTime = /^\d{4}-/.test(old);
  Reflect.set(Object(place), last, isTime ? "2027-01-01T00:00:00.000Z" : `9${old}x`);
  return copy;
}

test("RFQ-13 what was agreed is said in words and holds", async () => {
  const verdict = await checkPrepared(prepared(lockDocument()), swap, { sha256, party });
  assert.deepEqual([verdict.isReadable, verdict.isValid, verdict.steps.length], [true, true, 6]);
  const words = verdict.steps.map((step) => step.words).join("\n");
  assert.match(words, /You get 100\.0 CC from maker::/);
  assert.match(words, /You lock 15\.030000 USDC, issued by USDC-issuer/);
});

test("RFQ-13 a transaction that differs in one word is told apart", async () => {
  // The venue may choose these: which of the trader's coins are locked, and the factory's own contract.
  const free = /contractId|inputHoldingCids|expectedAdmin|transferLegId|legId|admin$/;
  const ways = texts(lockDocument()).filter((way) => !free.test(way.join(".")));
  assert(ways.length >= 25, `${ways.length}`);
  for (const way of ways) {
    assert.notEqual(await faultOf(changed(lockDocument(), way)), "", way.join("."));
  }
});

test("RFQ-13 a third command, a second signer or another hash is told apart", async () => {
  const three = lockDocument();
  three.commands.push(takeBack().commands[0] ?? {});
  assert.match(await faultOf(three), /something else/);
  const double = lockDocument();
  double.commands[0] = { ...double.commands[0], ...takeBack().commands[0] };
  assert.match(await faultOf(double), /more than one kind/);
  assert.match(await faultOf({ ...lockDocument(), actAs: [party, provider] }), /not for you/);
  const other = { ...prepared(lockDocument()), prepared_transaction_hash: "AAAA" };
  const verdict = await checkPrepared(other, swap, { sha256, party });
  assert.match(verdict.steps[0]?.words ?? "", /but AAAA is to be signed/);
});

test("RFQ-13 while a swap is released, only what was locked comes back", async () => {
  const releasing = { ...swap, status: "releasing" };
  assert.equal(await faultOf(takeBack(), releasing), "");
  assert.match(await faultOf(lockDocument(), releasing), /form|something else/);
  for (const way of texts(takeBack()).filter((each) => each.at(-1) === "choice")) {
    assert.match(await faultOf(changed(takeBack(), way), releasing), /something else/);
  }
});

test("RFQ-13 of a transaction that cannot be read nothing holds", async () => {
  const unread = { prepared_transaction: "CgQI", prepared_transaction_hash: "AAAA" };
  const verdict = await checkPrepared(unread, swap, { sha256, party });
  assert.deepEqual([verdict.isReadable, verdict.isValid], [false, false]);
  assert.equal(await faultOf({}), "The transaction is not of the form it should have.");
});
