// Rotates the master key in steps. A kill between or within steps loses nothing, and repeating the call
// continues where it stopped.
//
//   begin:  every thread can decrypt with the new key ▶ its version is stored ▶ every thread encrypts with it
//   step:   a batch of rows is decrypted, encrypted again and checked ▶ one transaction stores the batch
//   finish: every row is decrypted once more ▶ the older versions are deleted (the database refuses to delete
//           the version of any row) ▶ the threads drop the old keys
//
// The caller stores the keys: it must store the new key before `begin` and may delete the old keys after `finish`.

import { present } from "../../core/assert.ts";
import type { ResealedRow, SealedRow, SealedStore } from "../../ports/access/sealed-store.ts";
import { type MasterKey, masterKeyCheck, type SecretBox } from "./secret-box.ts";

/** Maximum number of rows per transaction, so that a thread is busy and rows are locked for some milliseconds only. */
const stepRowsMax = 200;

/** The rotation cannot continue; the message is for the operator. */
export class RotationRefusal extends Error {
  override name = "RotationRefusal";
}

export interface RotationParts {
  readonly store: SealedStore;
  /** A box with all available master keys. */
  readonly box: SecretBox;
  /** Distributes the keys to every thread that encrypts or decrypts secrets; resolves when all threads use them. */
  readonly spread: (keys: readonly MasterKey[]) => Promise<void>;
}

export interface RotationStep {
  readonly version: number;
  readonly resealed: number;
  /** Number of rows that are still encrypted under an older key. */
  readonly left: number;
}

/** Whether rows may still be encrypted under a key older than the newest. */
export async function isRotating(store: SealedStore): Promise<boolean> {
  return (await store.versions()).length > 1;
}

export interface RotationBegun {
  readonly version: number;
  /** Whether an earlier call had begun the rotation. */
  readonly resumed: boolean;
}

/**
 * Continues a rotation: the key of the newest stored version encrypts from now on. Refuses, and changes nothing, if
 * the box lacks that key, or lacks an older key with which a row is still encrypted.
 */
export async function resumeRotation({
  store,
  box,
  spread,
}: RotationParts): Promise<RotationBegun> {
  const versions = await store.versions();
  const newest = present(versions.at(-1), "the master key must have at least one version");
  // Uses only keys whose version and check are stored. If `begin` was killed, the caller may hold a key whose version
  // was never stored, or may not know that the version of the new key was stored.
  const keys = [...versions].reverse().flatMap(({ version, check }) => {
    const isIts = (own: MasterKey) => own.version === version && masterKeyCheck(own.key) === check;
    return box.keys.find(isIts) ?? [];
  });
  if (keys[0]?.version !== newest.version) {
    throw new RotationRefusal(
      `the newest master key, version ${newest.version} (check ${newest.check}), is not at hand, and nothing was` +
        " changed: give it in MASTER_KEY, or restore master.key, and start the venue again",
    );
  }
  for (const { version, rows, check } of versions) {
    if (rows === 0 || keys.some((own) => own.version === version)) continue;
    throw new RotationRefusal(
      `the master key of version ${version} (check ${check}) is missing, and ${rows} rows are encrypted with it:` +
        " give it in MASTER_KEY_EARLIER, or restore master.key",
    );
  }
  // A call that was killed earlier may have updated only some threads.
  await spread(keys);
  return { version: newest.version, resumed: true };
}

/** Makes `key` (32 bytes) the key that encrypts; refuses if another rotation began meanwhile. */
export async function beginRotation(
  { store, box, spread }: RotationParts,
  key: Uint8Array,
): Promise<RotationBegun> {
  const newest = { version: box.version + 1, key };
  await spread([...box.keys, newest]);
  if (!(await store.register(newest.version, masterKeyCheck(key))))
    throw new RotationRefusal("another rotation has begun meanwhile: try again");
  await spread([newest, ...box.keys.filter(({ version }) => version < newest.version)]);
  return { version: newest.version, resumed: false };
}

/** Encrypts the next rows under the newest key. */
export async function stepRotation({ store, box }: RotationParts): Promise<RotationStep> {
  const { version } = box;
  const rows = await store.rowsBefore(version, stepRowsMax);
  await store.reseal(
    version,
    rows.map((row) => resealed(box, row)),
  );
  const versions = await store.versions();
  const left = versions
    .filter((one) => one.version < version)
    .reduce((sum, one) => sum + one.rows, 0);
  return { version, resealed: rows.length, left };
}

/** Decrypts every row, then retires the older keys. Returns the number of rows read. */
export async function finishRotation({ store, box, spread }: RotationParts): Promise<number> {
  const { version } = box;
  const versions = await store.versions();
  // If the newest stored version is not the one in use, another rotation has begun. Finishing would drop its key,
  // which the next start needs.
  if (versions.at(-1)?.version !== version)
    throw new RotationRefusal("another rotation has begun meanwhile: try again");
  const older = versions.filter((one) => one.version < version);
  if (older.some(({ rows }) => rows > 0))
    throw new RotationRefusal("rows are still encrypted under an older master key");
  let opened = 0;
  for (let after: SealedRow | null = null; ; ) {
    const rows: SealedRow[] = await store.rowsOf(version, after, stepRowsMax);
    for (const row of rows) if (row.sealed !== null) openRow(box, row);
    opened += rows.length;
    after = rows.at(-1) ?? null;
    if (after === null) break;
  }
  await store.retireBefore(version);
  await spread(box.keys.filter((key) => key.version === version));
  return opened;
}

function resealed(box: SecretBox, row: SealedRow): ResealedRow {
  // The secret of a revoked key is never needed again, so erase it even if it cannot be decrypted.
  if (row.isRevoked && row.sealed !== null) return { row, sealed: new Uint8Array() };
  if (row.sealed === null) return { row, sealed: null };
  const secret = openRow(box, row);
  const sealed = box.seal(secret, row.owner);
  if (box.open(sealed, row.owner, box.version) !== secret)
    throw new RotationRefusal(
      `${row.kind} ${row.id} was encrypted again and does not decrypt to its secret`,
    );
  return { row, sealed };
}

function openRow(box: SecretBox, row: SealedRow): string {
  try {
    return box.open(row.sealed ?? new Uint8Array(), row.owner, row.version);
  } catch (cause) {
    const way =
      row.kind === "API key" ? `; to give up this key, run rialto keys revoke ${row.id}` : "";
    const message = `${row.kind} ${row.id} cannot be decrypted with the master key of version ${row.version}${way}`;
    throw new RotationRefusal(message, { cause });
  }
}
