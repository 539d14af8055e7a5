// Creates test accounts for programs in other processes: each is funded and has an HMAC key and an Ed25519 key. The
// Ed25519 private key is also written to a file, because some clients need a file.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newEd25519Key } from "../support/ed25519-key.ts";
import type { Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

export interface OutsideAccount extends Trader {
  readonly ed25519Key: string;
  /** Path of the file with the Ed25519 private key as PEM text. */
  readonly ed25519File: string;
}

/** Creates a funded account with both kinds of key, and writes the Ed25519 private key into `folder`. */
export async function outsideAccount(
  venue: VenueFixture,
  folder: string,
  type = "standard",
): Promise<OutsideAccount> {
  const trader = await venue.trader(type);
  const { account } = trader;
  const { publicKey, privateKey } = newEd25519Key();
  const created = await venue.operator.createKey({ account, tier: "house", publicKey });
  const { api_key: ed25519Key } = created as { api_key: string };
  const ed25519File = join(folder, `${account}.pem`);
  await writeFile(ed25519File, privateKey.export({ format: "pem", type: "pkcs8" }));
  return { ...trader, ed25519Key, ed25519File };
}
