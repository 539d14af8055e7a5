// Proves that a venue with its embedded ledger anchors each epoch on the ledger soon after it is sealed, and that
// each proof of the epoch names the anchor.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1", LEDGER_PROFILE: "devnet" });
});

after(() => fixture.close());

test("CHN-14 CHN-15 status, epochs and proofs show which epochs the ledger has confirmed", async () => {
  await fixture.trader();
  const status = await until("a confirmed epoch", async () => {
    const { json } = await fixture.get("/v1/chain/status");
    return json.last_confirmed_epoch === null ? null : json;
  });
  assert.equal(status.network, "devnet");
  assert(Number(status.last_confirmed_epoch) <= Number(status.head_epoch));
  assert(status.lag_seconds >= 0 && status.pending >= 0);
  const epoch = await fixture.get(`/v1/chain/epochs/${status.last_confirmed_epoch}`);
  const { anchor } = epoch.json;
  assert.equal(anchor.status, "confirmed");
  assert.match(anchor.update_id, /^1220[0-9a-f]{64}$/);
  assert(anchor.offset > 0 && anchor.contract_id.length > 0);
  assert.match(anchor.record_time, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
  assert.match(anchor.created_event_blob, /^[A-Za-z0-9+/]{40,}=*$/);
  const list = await fixture.get("/v1/chain/epochs?limit=1000");
  assert(
    !JSON.stringify(list.json).includes("created_event_blob"),
    "a list must not contain the blobs",
  );
  const proof = await until("a confirmed proof", async () => {
    const { status: code, json } = await fixture.get("/v1/chain/proof?seq=1");
    return code === 200 && json.proofs[0].anchor.status === "confirmed" ? json : null;
  });
  assert(JSON.stringify(proof).length <= 3072);
  assert.equal(proof.proofs[0].anchor.created_event_blob, undefined);
});

test("CHN-14 after a restart the venue commits to the ledger the epochs that were sealed meanwhile", async () => {
  await fixture.restart();
  const { json } = await fixture.get("/v1/chain/status");
  const wanted = Number(json.head_epoch) + 1;
  await until("the epochs of the stop", async () => {
    const { json: now } = await fixture.get("/v1/chain/status");
    return Number(now.last_confirmed_epoch) >= wanted ? now : null;
  });
  const { json: page } = await fixture.get("/v1/chain/epochs?limit=1000");
  const late = page.items.filter(({ epoch }: { epoch: string }) => Number(epoch) < wanted);
  for (const { anchor } of late) assert.equal(anchor.status, "confirmed");
});
