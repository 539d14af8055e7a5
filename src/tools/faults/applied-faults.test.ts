// Proves for whoever writes a profile what its filters, windows, targets and seeds do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faultProfile } from "../../../schemas/fault-profile.ts";
import { AppliedFaults, AppliedProfile } from "./applied-faults.ts";
import type { FaultSubject } from "./fault-match.ts";
import { frameFacts } from "./frame-facts.ts";

const order: FaultSubject = {
  ...{ path: "/compat/api/v3/order", method: "POST", market: "CC-USDC" },
  ...{ event: "", stream: "", isDepth: false },
};
const seeded = { target: { all: true }, seed: 5, forMs: null } as const;

function applied(faults: readonly object[], seed = 5): AppliedProfile {
  const profile = faultProfile.parse({ name: "unit", faults });
  return new AppliedProfile({ ...seeded, profile, seed }, 0);
}

/** The kinds that happen to `count` requests of one client, one character each. */
function drawn(profile: AppliedProfile, client: string, count = 60): string {
  const happens = () => profile.planRequest(order, client, 10).kinds.length > 0;
  return Array.from({ length: count }, () => (happens() ? "x" : ".")).join("");
}

const half = { kind: "refuse", status: 503, rate: 0.5 } as const;

test("REW-35 draws depend on the seed and the client's own requests only", () => {
  const alone = drawn(applied([half]), "a");
  const mixed = applied([half]);
  const both = Array.from({ length: 60 }, () => {
    const one = drawn(mixed, "a", 1);
    drawn(mixed, "b", 3);
    return one;
  }).join("");
  assert.equal(both, alone);
  assert.notEqual(drawn(applied([half]), "b"), alone);
  assert.notEqual(drawn(applied([half], 6), "a"), alone);
  const share = [...drawn(applied([half]), "c", 2_000)].filter((one) => one === "x").length;
  assert.ok(share > 850 && share < 1_150, `${share}`);
});

test("REW-35 the seed of a profile for one key gives the same faults whatever the key is", () => {
  const profile = faultProfile.parse({ name: "unit", faults: [half] });
  const drawnFor = (key: string, seed: number) =>
    drawn(new AppliedProfile({ profile, target: { key }, seed, forMs: null }, 0), key);
  assert.equal(drawnFor("a", 5), drawnFor("b", 5));
  assert.notEqual(drawnFor("a", 6), drawnFor("a", 5));
});

test("REW-35 a user's stream is drawn for without its listen key, which is new in each venue", () => {
  const event = { e: "executionReport", s: "CCUSDC" };
  const frame = JSON.stringify({ stream: "k".repeat(64), data: event });
  const { stream } = frameFacts(Buffer.from(frame), false, "/stream");
  assert.equal(stream, frameFacts(Buffer.from(JSON.stringify(event)), false, "/ws/*").stream);
});

test("REW-35 a window that is closed does not change later draws", () => {
  const always = applied([half]);
  const later = applied([{ ...half, during: { after_ms: 1_000 } }]);
  for (let sent = 0; sent < 20; sent++) {
    always.planRequest(order, "a", 10);
    assert.deepEqual(later.planRequest(order, "a", 10).kinds, []);
  }
  for (let sent = 0; sent < 40; sent++)
    assert.deepEqual(
      later.planRequest(order, "a", 2_000).kinds,
      always.planRequest(order, "a", 2_000).kinds,
    );
});

test("REW-33 filters match path, method, market and event; stars stand for any text", () => {
  const happens = (on: object, subject: Partial<FaultSubject> = {}) =>
    applied([{ kind: "refuse", status: 429, on }]).planRequest({ ...order, ...subject }, "a", 1)
      .kinds.length === 1;
  assert.ok(happens({ paths: ["*/order"] }));
  assert.ok(happens({ paths: ["/other", "/compat/*"], methods: ["post"], markets: ["ccusdc"] }));
  assert.ok(!happens({ paths: ["order"] }));
  assert.ok(!happens({ methods: ["GET"] }));
  assert.ok(!happens({ markets: ["BTCUSDT"] }));
  assert.ok(!happens({ paths: ["*/or.er"] }));
  assert.ok(happens({ methods: ["order.*"] }, { method: "order.place" }));
});

test("REW-33 a window opens after its delay, and again in each period", () => {
  const during = { after_ms: 100, for_ms: 50, every_ms: 1_000 };
  const profile = applied([{ kind: "refuse", status: 418, during }]);
  const isOpen = (nowMs: number) => profile.planRequest(order, "a", nowMs).kinds.length === 1;
  assert.deepEqual([99, 100, 149, 150, 1_100, 1_149, 1_150].map(isOpen), [
    ...[false, true, true, false, true, true, false],
  ]);
});

test("REW-33 latencies add up, a trace repeats, and a lognormal has its median", () => {
  const trace = { kind: "latency-in", delay: { trace_ms: [1, 2, 3] } };
  const profile = applied([trace, { kind: "latency-in", delay: { fixed_ms: 10 } }]);
  const delays = [1, 2, 3, 4].map(() => profile.planRequest(order, "a", 1).delayInMs);
  assert.deepEqual(delays, [11, 12, 13, 11]);
  const skewed = applied([
    { kind: "latency-out", delay: { lognormal: { median_ms: 80, sigma: 0.5 } } },
  ]);
  const many = Array.from({ length: 999 }, () => skewed.planRequest(order, "a", 1).delayOutMs);
  const median = many.sort((a, b) => a - b)[499] ?? 0;
  assert.ok(median > 70 && median < 90, `${median}`);
});

test("REW-35 REW-40 REW-41 the frames of a stream are dropped, doubled and reordered by the seed", () => {
  const frame = { ...order, method: "STREAM", event: "depthUpdate", stream: "a", isDepth: true };
  const kinds = ["gap-depth", "duplicate", "reorder"].map((kind) => ({ kind, rate: 0.3 }));
  const plans = (seed: number) => {
    const profile = applied(kinds, seed);
    return Array.from({ length: 50 }, () => profile.planFrame(frame, "client", 1).kinds.join("+"));
  };
  assert.deepEqual(plans(1), plans(1));
  assert.notDeepEqual(plans(1), plans(2));
  assert.ok(kinds.every(({ kind }) => plans(1).some((plan) => plan.includes(kind))));
  const trade = { ...frame, event: "trade", isDepth: false };
  const gap = applied([{ kind: "gap-depth" }]);
  assert.equal(gap.planFrame(frame, "client", 1).isDropped, true);
  assert.equal(gap.planFrame(trade, "client", 1).isDropped, false);
});

test("REW-34 the key's profile comes before the address's, and that before the one for all", () => {
  const faults = new AppliedFaults();
  const profile = (name: string) =>
    faultProfile.parse({ name, faults: [{ kind: "refuse", status: 429 }] });
  const apply = (name: string, target: object, forMs: number | null = null) =>
    faults.apply({ profile: profile(name), target: target as { all: true }, seed: 1, forMs }, 0);
  apply("for-all", { all: true });
  apply("for-address", { address: "192.0.2.1" });
  apply("for-key", { key: "abc" }, 1_000);
  const name = (key: string | null, address: string, nowMs = 1) =>
    faults.of({ key, address }, nowMs)?.name ?? null;
  assert.equal(name("abc", "192.0.2.1"), "for-key");
  assert.equal(name(null, "192.0.2.1"), "for-address");
  assert.equal(name("other", "192.0.2.2"), "for-all");
  assert.equal(name("abc", "192.0.2.1", 1_000), "for-address", "a profile ends after its time");
  assert.equal(faults.clear({ address: "192.0.2.1" }, 1_000), 1);
  assert.equal(name("abc", "192.0.2.1", 1_000), "for-all");
  assert.equal(faults.clear(null, 1_000), 1);
  assert.equal(name("abc", "192.0.2.1", 1_000), null);
});
