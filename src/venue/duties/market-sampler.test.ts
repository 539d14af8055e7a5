// Tests when market samples are taken, with a simulated clock.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sampleIntervalMs } from "../../core/market-samples.ts";
import type { Log } from "../../ports/log.ts";
import { MarketSampler } from "./market-sampler.ts";

const dayMs = 86_400_000;

class Scene {
  nowMs = 1000 * sampleIntervalMs + 17;
  readonly taken: number[] = [];
  readonly dropped: number[] = [];
  fault: Error | null = null;
  warnings = 0;
  readonly #sampler: MarketSampler;

  constructor(context: TestContext) {
    context.mock.timers.enable({ apis: ["setInterval"] });
    const warn = () => {
      this.warnings++;
    };
    this.#sampler = new MarketSampler({
      store: {
        take: async (atMs) => {
          if (this.fault !== null) throw this.fault;
          this.taken.push(atMs / sampleIntervalMs);
        },
        drop: async (beforeMs) => {
          this.dropped.push(beforeMs);
        },
      },
      dutyMs: () => this.nowMs,
      log: { warn } as unknown as Log,
      keepDays: 30,
    });
  }

  async at(nowMs: number): Promise<readonly number[]> {
    this.nowMs = nowMs;
    this.#sampler.look();
    await this.#sampler.settled();
    return this.taken;
  }
}

test("FAP-44 FAP-58 one sample is taken in each period, none twice, and old samples are deleted", async (context) => {
  const scene = new Scene(context);
  const turn = (count: number) => count * sampleIntervalMs;
  assert.deepEqual(await scene.at(turn(1000) + 1_000), [], "it must wait for a new period");
  assert.deepEqual(await scene.at(turn(1001)), [1001]);
  assert.deepEqual(await scene.at(turn(1001) + 30_000), [1001]);
  assert.deepEqual(await scene.at(turn(1002) + 900), [1001, 1002]);
  assert.deepEqual(scene.dropped, [turn(1001) - 30 * dayMs, turn(1002) - 30 * dayMs]);
});

test("FAP-44 FAP-58 a failed sample is retried, and a sample that would be late is left out", async (context) => {
  const scene = new Scene(context);
  const turn = (count: number) => count * sampleIntervalMs;
  scene.fault = new Error("the database is away");
  assert.deepEqual(await scene.at(turn(1001)), []);
  assert.equal(scene.warnings, 1);
  scene.fault = null;
  assert.deepEqual(await scene.at(turn(1001) + 5_000), [], "the retry must wait");
  assert.deepEqual(await scene.at(turn(1001) + 10_000), [1001]);
  assert.deepEqual(await scene.at(turn(1002) + 61_000), [1001], "a late one must be left out");
  assert.deepEqual(await scene.at(turn(1003)), [1001, 1003]);
});
