// Proves that a change of a session or key on one front applies to both fronts at once and survives crashes.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ FRONT_THREADS: "2" });
});
after(() => fixture.close());

interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

async function accountCode({ key, secret }: MadeKey): Promise<number> {
  const query = `recvWindow=60000&timestamp=${Date.now()}`;
  const signature = createHmac("sha256", secret).update(query).digest("hex");
  const answer = await fetch(`${fixture.address}/api/v3/account?${query}&signature=${signature}`, {
    headers: { "X-MBX-APIKEY": key, connection: "close" },
  });
  const body = (await answer.json()) as { code?: number };
  return body.code ?? answer.status;
}

test("SES-5 SES-7 KEY-5 logins, logouts and revocations apply to both fronts at once", async () => {
  const wallet = newWallet();
  const first = new NativeClient(fixture.address);
  await first.login(wallet, "dora");
  for (let round = 0; round < 8; round++) {
    const user = new NativeClient(fixture.address);
    await user.login(wallet);
    assert.equal(user.userId, first.userId);
    const made = await user.post("/v1/api-keys", { label: `round ${round}` });
    assert.equal(made.status, 200, made.text);
    for (let again = 0; again < 4; again++) assert.equal(await accountCode(made.json), 200);
    assert.equal((await user.delete(`/v1/api-keys/${made.json.id}`)).status, 200);
    for (let again = 0; again < 4; again++) assert.equal(await accountCode(made.json), -2015);
    assert.equal((await user.post("/v1/wallet/logout")).status, 204);
    for (let again = 0; again < 4; again++) {
      assert.equal((await user.get("/v1/api-keys")).text, "invalid session");
    }
  }
});

test("SES-5 simultaneous first logins on all fronts open one account", async () => {
  const wallet = newWallet();
  const users = Array.from({ length: 6 }, () => new NativeClient(fixture.address));
  await Promise.all(users.map((user) => user.login(wallet)));
  assert.equal(new Set(users.map(({ userId }) => userId)).size, 1);
});

test("SES-8 KEY-5 sessions and keys survive a crash, and ended ones stay ended", async () => {
  const user = new NativeClient(fixture.address);
  const gone = new NativeClient(fixture.address);
  await user.login(newWallet(), "erin");
  await gone.login();
  const live = (await user.post("/v1/api-keys")).json as MadeKey;
  const dead = (await user.post("/v1/api-keys")).json as MadeKey;
  await user.delete(`/v1/api-keys/${dead.id}`);
  await gone.post("/v1/wallet/logout");
  await fixture.crashAndRestart();
  const again = Object.assign(new NativeClient(fixture.address), { token: user.token });
  const keys = (await again.get("/v1/api-keys")).json.keys as MadeKey[];
  assert.deepEqual(
    keys.map(({ id }) => id),
    [live.id],
  );
  assert.equal(await accountCode(live), 200);
  assert.equal(await accountCode(dead), -2015);
  const ended = Object.assign(new NativeClient(fixture.address), { token: gone.token });
  assert.equal((await ended.get("/v1/api-keys")).text, "invalid session");
  const rows = await fixture.venue.database.sql<{ held: string }[]>`
    select row_to_json(s)::text as held from wallet_sessions s`;
  assert(rows.every(({ held }) => !held.includes(user.token)));
});
