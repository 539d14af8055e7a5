// Statements of liabilities: the digest of each is an entry of the journal.

import { anyNumber, hashPart, long } from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

const digest = {
  digestFirst: hashPart(
    "digest",
    "The SHA-256 of the statement's text, as four signed words in order.",
  ),
  digestSecond: hashPart("digest"),
  digestThird: hashPart("digest"),
  digestFourth: hashPart("digest"),
};

export const liabilityEvents = {
  liabilitiesStated: {
    code: 66,
    description: "The venue stated what it owed and held after the last entry of an epoch.",
    fields: {
      epoch: long("The epoch that the statement is about."),
      statedSeq: long("The last entry of that epoch, after which the amounts are counted."),
      ...digest,
    },
  },
} as const satisfies EventRows;

export const liabilityCommands: CommandRows = {
  stateLiabilities: {
    code: 47,
    description: "Journals the digest of a statement of liabilities.",
    fields: {
      epoch: anyNumber("The epoch that the statement is about."),
      statedSeq: anyNumber("The last entry of that epoch."),
      ...digest,
    },
  },
};
