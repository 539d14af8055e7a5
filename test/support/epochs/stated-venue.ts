// States liabilities of a running venue, with any amounts: writes the statement and its trees as the venue's duty does, and
// journals the digest. For tests of what fronts make of statements.

import assert from "node:assert/strict";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { digestWordsOf } from "../../../src/engine/epochs/statement-digest.ts";
import type { VenueFixture } from "../venue/venue-fixture.ts";
import { epochKeyOf } from "./naive-liabilities.ts";
import {
  digestOf,
  type SampleAccount,
  type SampleAsset,
  type SampleTerms,
  statementText,
  treeOf,
} from "./stated-sample.ts";
import { tilesOf } from "./stored-sample.ts";

/**
 * States these amounts at the newest sealed epoch, or at one that is `age` epochs older; resolves, with the epoch, when the
 * journal has the digest.
 */
export async function stateLiabilities(
  { venue }: VenueFixture,
  assets: readonly SampleAsset[],
  accounts: readonly SampleAccount[],
  age = 0,
): Promise<number> {
  const { sql } = venue.database;
  const [sealed] = await sql<{ epoch: string; last_seq: string; venue: string }[]>`
    select epoch::text, last_seq::text, venue from epochs, epoch_chain
    order by epochs.epoch desc offset ${age} limit 1`;
  assert(sealed !== undefined, "an epoch must be sealed first");
  const [epoch, statedSeq] = [Number(sealed.epoch), Number(sealed.last_seq)];
  const epochKey = epochKeyOf(venue.keys.nonceKey, epoch);
  const terms: SampleTerms = {
    ...{ epoch, seq: statedSeq, venue: sealed.venue, epochKey, assets, accounts },
  };
  const trees = assets.map((asset) => treeOf(terms, asset));
  const statement = statementText(terms, trees);
  const digest = Buffer.from(digestOf(statement), "hex");
  await sql`
    insert into liability_statements (epoch, stated_seq, statement, digest, made_us)
    values (${epoch}, ${statedSeq}, ${statement}, ${digest}, 0)`;
  for (const { asset, level, tile, nodes } of trees.flatMap(tilesOf)) {
    const firstTag = level === 0 ? Buffer.from(nodes.subarray(0, 8)) : null;
    await sql`
      insert into liability_tiles (epoch, asset, level, tile, first_tag, nodes)
      values (${epoch}, ${asset}, ${level}, ${tile}, ${firstTag}, ${Buffer.from(nodes)})`;
  }
  const kind = CommandKind.stateLiabilities;
  const command = { kind, account: 0, epoch, statedSeq, ...digestWordsOf(digest) };
  const { reason } = await venue.clearing.send(command);
  assert.equal(reason, RejectReason.none);
  return epoch;
}
