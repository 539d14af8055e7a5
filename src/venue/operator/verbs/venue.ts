// What the venue answers about itself: `status`, `ledger`, `snapshot`, `funding-tick`, and `clock …`.

import { type Noun, verb } from "./verb.ts";

/** Without a noun before them. */
export const venueVerbs: Noun = {
  name: "",
  summary: "",
  verbs: [
    verb({
      usage: "status",
      summary: "how far the venue is",
      examples: ["status --json"],
      run: ({ venue }) => venue.status(),
    }),
    verb({
      usage: "ledger",
      summary: "where the ledger network is, how far it is, and who the venue is there",
      examples: ["ledger --json"],
      run: ({ venue }) => venue.ledger(),
    }),
    verb({
      usage: "snapshot",
      summary: "fold and store a snapshot now, so that the next start replays less",
      examples: ["snapshot"],
      run: async ({ venue }) => {
        const { seq, stateHash, bytes, folded } = await venue.snapshot();
        return { seq, state_hash: stateHash, bytes, folded };
      },
    }),
    verb({
      usage: "funding-tick",
      summary: "settle the funding of all perpetual markets now (development tools only)",
      examples: ["funding-tick"],
      call: "funding/tick",
      isForDevelopment: true,
      run: ({ operator }) => operator.settleFunding(),
    }),
  ],
};

export const clockVerbs: Noun = {
  name: "clock",
  summary: "the machine's clock and the venue's",
  verbs: [
    verb({
      usage: "show",
      summary: "both times, and whether the machine's is believed",
      examples: ["clock show --json"],
      run: async ({ venue }) => venue.clockControl().show(),
    }),
    verb({
      usage: "accept",
      summary: "say that the machine's clock is right: the venue takes its time at once",
      examples: ["clock accept"],
      run: async ({ venue }) => venue.clockControl().accept(),
    }),
  ],
};
