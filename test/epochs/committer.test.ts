// Proves that epochs are committed to a development ledger in a process of its own, oldest first and each exactly
// once, even if answers are lost or the venue restarts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { openNetwork } from "../../src/adapters/ledger/open-network.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEpochAnchors } from "../../src/adapters/postgres/queries/journal/epoch-anchors.ts";
import { venueUser } from "../../src/devnet/devnet-ledger.ts";
import type { EpochRecord, EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import type { EpochCommand, LedgerNetwork, Outcome } from "../../src/ports/ledger/ledger.ts";
import { EpochCommitter } from "../../src/services/epochs/epoch-committer.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { EntryHasher, emptyEpochs, openAfter } from "../../src/services/epochs/open-epoch.ts";
import { DevnetFixture } from "../support/ledger/devnet.ts";
import { testMarkets } from "../support/machine/test-markets.ts";

const leaves = new LeafHasher(testMarkets, new Uint8Array(32));
const terms: EpochTerms = { venue: "test", epochMs: 1_000, firstEpoch: 50, nonceKeyCheck: "" };

let devnet: DevnetFixture;
let sql: Sql;
let epochs: PostgresEpochWriter;
let anchors: PostgresEpochAnchors;
let network: LedgerNetwork;

before(async () => {
  devnet = await DevnetFixture.start();
  const { url, operator, custody } = devnet.ledger.endpoint;
  network = openNetwork(
    {
      profile: "devnet",
      url,
      registries: [],
      tokens: { kind: "minted", secret: devnet.secrets.api },
      userId: venueUser,
      operator,
      custody,
    },
    Date.now,
  );
  sql = openPostgres(devnet.database.options, "queries");
  epochs = new PostgresEpochWriter(devnet.database.options);
  anchors = new PostgresEpochAnchors(sql);
});

after(async () => {
  await Promise.all([sql.end(), epochs.close()]);
  await devnet.close();
});

/** Seals `count` more epochs; their contents do not matter here. */
async function seal(count: number): Promise<void> {
  const newest = await epochs.newest();
  const { firstEpoch } = terms;
  let records: EpochRecord[];
  if (newest === null) {
    const first = new EntryHasher(leaves, openAfter(null, firstEpoch)).seal(terms, []);
    records = [first, ...emptyEpochs(first, firstEpoch + count - 1, terms, leaves)];
  } else {
    records = emptyEpochs(newest, newest.epoch + count, terms, leaves);
  }
  await epochs.seal(records, []);
}

function committer(over: Partial<LedgerNetwork> = {}): EpochCommitter {
  const seen = new Proxy(network, {
    get: (target, name) => Reflect.get(over, name) ?? bound(target, name),
  });
  const freshId = () => randomUUID();
  return new EpochCommitter({
    venue: "test",
    networkName: "devnet",
    network: seen,
    anchors,
    freshId,
  });
}

function bound(target: LedgerNetwork, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Runs the committer until it has nothing left to do; returns the epochs that it confirmed. */
async function commitAll(): Promise<number[]> {
  const confirmed: number[] = [];
  const one = committer();
  for (let steps = 0; steps < 50; steps++) {
    const step = await one.step();
    if (step.kind === "idle") return confirmed;
    assert.notEqual(step.kind, "stopped", JSON.stringify(step));
    if (step.kind === "confirmed") confirmed.push(step.epoch);
  }
  return assert.fail("the committer did not finish within 50 steps");
}

async function onLedger(): Promise<string[]> {
  const commitments = await network.epochCommitments(network.operator);
  return commitments.map(({ payload }) => `${payload["epoch"]} ${payload["root"]}`).sort();
}

async function sealedRoots(): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select epoch || ' ' || encode(root, 'hex') as line from epochs order by epoch`;
  return rows.map(({ line }) => line);
}

const unheard: Outcome = { kind: "unknown", cause: "timeout", message: "no answer" };

test("CHN-13 sealed epochs are committed oldest first, and the ledger's answer is stored", async () => {
  assert.deepEqual(await committer().step(), { kind: "idle" });
  await seal(3);
  assert.deepEqual(await commitAll(), [50, 51, 52]);
  assert.deepEqual(await onLedger(), await sealedRoots());
  const last = await anchors.lastConfirmed();
  assert.equal(last?.epoch, 52);
  assert.match(last?.confirmed?.updateId ?? "", /^1220[0-9a-f]{64}$/);
  assert((last?.confirmed?.contractId ?? "").length > 0);
});

test("CHN-15 the blob of a commitment is stored exactly as the ledger gives it", async () => {
  const commitments = await network.epochCommitments(network.operator);
  for (const { contractId, payload, blob } of commitments) {
    assert((blob ?? "").length > 0);
    const epoch = Number(payload["epoch"]);
    const [anchor] = await anchors.anchors([epoch]);
    assert.equal(anchor?.confirmed?.contractId, contractId);
    assert.equal(await anchors.blob(epoch), blob);
  }
  assert.equal(await anchors.blob(49), null);
});

test("CHN-13 a commitment whose answer was lost is found and not repeated", async () => {
  await seal(1);
  const swallows = committer({
    commitEpoch: async (command: EpochCommand) => {
      await network.commitEpoch(command);
      return unheard;
    },
  });
  assert.equal((await swallows.step()).kind, "waiting");
  const [anchor] = await anchors.anchors([53]);
  assert.equal(anchor?.confirmed, null);
  assert.deepEqual(await commitAll(), [53]);
  assert.deepEqual(await onLedger(), await sealedRoots());
  const [found] = await anchors.anchors([53]);
  assert.match(found?.confirmed?.updateId ?? "", /^1220/);
  assert.notEqual(await anchors.blob(53), null, "the blob must be stored (CHN-15)");
});

test("CHN-13 after an outage the backlog is committed one by one, oldest first", async () => {
  const dead = committer({ commitEpoch: async () => unheard });
  for (let minute = 0; minute < 4; minute++) {
    await seal(1);
    assert.equal((await dead.step()).kind, "waiting");
  }
  assert.deepEqual(await commitAll(), [54, 55, 56, 57]);
  assert.deepEqual(await onLedger(), await sealedRoots());
});

test("CHN-13 two simultaneous committers make only one commitment", async () => {
  await seal(2);
  await Promise.all([committer().step(), committer().step(), committer().step()]);
  await commitAll();
  assert.deepEqual(await onLedger(), await sealedRoots());
});

test("CHN-13 the committer stops if the ledger has lost commitments, and does not repeat them", async () => {
  await seal(1);
  const chains = await network.epochChains(network.operator);
  const back = chains.map((chain) => ({
    ...chain,
    payload: { ...chain.payload, nextEpoch: "52" },
  }));
  const step = await committer({ epochChains: async () => back }).step();
  assert.equal(step.kind, "stopped");
  await commitAll();
});
