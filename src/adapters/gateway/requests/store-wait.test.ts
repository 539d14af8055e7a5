// Proves that requests wait for an absent database within their time and number, and that their attempts are few.

import assert from "node:assert/strict";
import { test } from "node:test";
import { requestsAwaitingStoreMax } from "../../../core/limits.ts";
import { StoreWait } from "./store-wait.ts";

const away = new Error("away");
const broken = new Error("broken");

class Scene {
  nowMs = 0;
  fault: Error | null = away;
  attempts = 0;
  readonly wait = new StoreWait({
    isStoreAway: (fault) => fault === away,
    waitMsMax: 1000,
    nowMs: () => this.nowMs,
  });
  readonly #read = async () => {
    this.attempts++;
    if (this.fault !== null) throw this.fault;
    return "row";
  };

  ask(request = { isOver: false }): Promise<string> {
    return this.wait.result(request, this.#read(), this.#read);
  }
}

test("ERR-48 a read waits for the database and is answered once it is back, with few attempts", async () => {
  const scene = new Scene();
  const asked = Array.from({ length: 200 }, () => scene.ask());
  while (scene.attempts < 203) await new Promise((goOn) => setTimeout(goOn, 10));
  assert.equal(scene.wait.waiting, 200);
  scene.fault = null;
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(["row"]));
  assert.ok(scene.attempts < 450, `${scene.attempts} attempts`);
  assert.equal(scene.wait.waiting, 0);
});

test("ERR-48 a read that waited its time gets the fault, and so does any other fault at once", async () => {
  const scene = new Scene();
  const asked = assert.rejects(scene.ask(), away);
  scene.nowMs = 1001;
  await asked;
  scene.fault = broken;
  const before = scene.attempts;
  await assert.rejects(scene.ask(), broken);
  assert.equal(scene.attempts, before + 1);
});

test("ERR-48 nobody waits for a client that is gone, and only a limited number wait", async () => {
  const scene = new Scene();
  await assert.rejects(scene.ask({ isOver: true }), away);
  const asked = Array.from({ length: requestsAwaitingStoreMax }, () => scene.ask());
  await new Promise((goOn) => setImmediate(goOn));
  assert.equal(scene.wait.waiting, requestsAwaitingStoreMax);
  await assert.rejects(scene.ask(), away);
  scene.fault = null;
  await Promise.all(asked);
});
