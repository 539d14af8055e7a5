// The two SBE schemas that the venue serves: answers and user data of spot, and market data streams.

import { accountAnswers } from "./account-answers.ts";
import { listAnswers } from "./list-answers.ts";
import { marketAnswers } from "./market-answers.ts";
import { orderAnswers } from "./order-answers.ts";
import { sessionMessages } from "./session-messages.ts";
import { streamEvents } from "./stream-events.ts";

/** Answers and user data. */
export const spotSchema = {
  id: 3,
  templates: {
    ...sessionMessages,
    ...marketAnswers,
    ...orderAnswers,
    ...listAnswers,
    ...accountAnswers,
  },
} as const;

/** The newest version of the spot schema. */
export const latestVersion = 5;

/**
 * An older version that clients may still ask for. Its templates have the same layout as the newest version's, so an
 * answer carries the number that the client asked for.
 */
export const deprecatedVersion = 4;

/** Market data streams. */
export const streamSchema = { id: 1, version: 0, templates: streamEvents } as const;
