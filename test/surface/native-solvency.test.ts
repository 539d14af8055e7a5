// Proves what the solvency route answers while there is no report.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NativeClient } from "../support/client/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

test("SLV-4 a venue that never reached its ledger, or is still reading it, says so as JSON", async () => {
  const looks: number[] = [];
  const answers = ["unreached", "uneven"] as const;
  for (const answer of answers) {
    const solvency = {
      read: async ({ seq }: { seq: number }) => {
        looks.push(seq);
        return answer;
      },
    };
    const front = await FrontFixture.open({ solvency });
    const { status, json } = await new NativeClient(front.base).get("/v1/solvency");
    const message = {
      unreached: "the ledger network is unreachable",
      uneven: "the ledger is still being read; try again shortly",
    };
    assert.deepEqual([status, json], [503, { error: message[answer] }]);
    front.close();
  }
  assert.ok(looks.length > 2, "A ledger that is being read must be checked again");
});
