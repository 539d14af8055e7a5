// Verbs on the venue itself: `status`, `ledger`, `snapshot`, `handover`, `funding-tick` and `clock …`.

import { marketTimeVerbs } from "./market-time.ts";
import { type Noun, noFields, verb } from "./verb.ts";

/** Verbs that stand alone, without a noun before them. */
export const venueVerbs: Noun = {
  name: "",
  summary: "",
  verbs: [
    verb({
      usage: "status",
      summary: "show venue status and journal position",
      examples: ["status --json"],
      run: ({ venue }) => venue.status(),
    }),
    verb({
      usage: "ledger",
      summary: "show the ledger's endpoint and offset, and the venue's parties on it",
      examples: ["ledger --json"],
      run: ({ venue }) => venue.ledger(),
    }),
    verb({
      usage: "snapshot",
      summary: "store a snapshot now, so that the next start replays fewer events",
      examples: ["snapshot"],
      run: async ({ venue }) => {
        const { seq, stateHash, bytes, folded } = await venue.snapshot();
        return { seq, state_hash: stateHash, bytes, folded };
      },
    }),
    verb({
      usage: "handover",
      summary: "let the follower lead; this venue finishes what it accepted and ends",
      notes: "The venue ends with exit code 4; its supervisor starts it again, and it follows.",
      examples: ["handover"],
      run: async ({ venue }) => {
        const { tookMs } = await venue.handOver();
        return { handed_over: true, took_ms: tookMs };
      },
    }),
    verb({
      usage: "funding-tick",
      summary: "settle funding in all perpetual markets now (DEV_TOOLS=1 only)",
      examples: ["funding-tick"],
      call: "funding/tick",
      isForDevelopment: true,
      run: ({ operator }) => operator.settleFunding(),
    }),
  ],
};

export const clockVerbs: Noun = {
  name: "clock",
  summary: "compare the machine's clock with the venue's time, and move the market's time",
  verbs: [
    verb({
      usage: "show",
      summary:
        "show the venue's time and the machine's time, and whether the machine's clock is trusted",
      examples: ["clock show --json"],
      request: noFields,
      run: async ({ venue }) => venue.clockControl().show(),
    }),
    verb({
      usage: "accept",
      summary: "trust the machine's clock: the venue adopts its time immediately",
      examples: ["clock accept"],
      request: noFields,
      run: async ({ venue }) => venue.clockControl().accept(),
    }),
    ...marketTimeVerbs,
  ],
};
