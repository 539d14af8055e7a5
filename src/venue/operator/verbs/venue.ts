// What the venue answers about itself: `status`, `ledger`, `snapshot`, `funding-tick`, and `clock …`.

import { type Noun, verb } from "./verb.ts";

/** Without a noun before them. */
export const venueVerbs: Noun = {
  name: "",
  says: "",
  verbs: [
    verb({
      usage: "status",
      says: "how far the venue is",
      examples: ["status --json"],
      does: ({ venue }) => venue.status(),
    }),
    verb({
      usage: "ledger",
      says: "where the ledger network is, how far it is, and who the venue is there",
      examples: ["ledger --json"],
      does: ({ venue }) => venue.ledger(),
    }),
    verb({
      usage: "snapshot",
      says: "fold and store a snapshot now, so that the next start replays less",
      examples: ["snapshot"],
      does: async ({ venue }) => {
        const { seq, stateHash, bytes, folded } = await venue.snapshot();
        return { seq, state_hash: stateHash, bytes, folded };
      },
    }),
    verb({
      usage: "funding-tick",
      says: "settle the funding of all perpetual markets now (development tools only)",
      examples: ["funding-tick"],
      call: "funding/tick",
      isForDevelopment: true,
      does: ({ operator }) => operator.settleFunding(),
    }),
  ],
};

export const clockVerbs: Noun = {
  name: "clock",
  says: "the machine's clock and the venue's",
  verbs: [
    verb({
      usage: "show",
      says: "both times, and whether the machine's is believed",
      examples: ["clock show --json"],
      does: async ({ venue }) => venue.clockControl().show(),
    }),
    verb({
      usage: "accept",
      says: "say that the machine's clock is right: the venue takes its time at once",
      examples: ["clock accept"],
      does: async ({ venue }) => venue.clockControl().accept(),
    }),
  ],
};
