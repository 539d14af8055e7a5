// The keys that a venue uses with a database: its master keys, and the key from which the nonces of epochs are derived.
// It also makes the operator's calls that rotate the master key (master-key-rotation.ts). The nonce key is a separate
// encrypted secret, so a rotation leaves the proofs of all epochs valid.

import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresSealedRows } from "../../adapters/postgres/queries/access/sealed-rows.ts";
import { PostgresEpochs } from "../../adapters/postgres/queries/journal/epochs.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import { present } from "../../core/assert.ts";
import type { MasterKeyVersion, SealedRow, SealedStore } from "../../ports/access/sealed-store.ts";
import type { EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { Log } from "../../ports/log.ts";
import {
  beginRotation,
  finishRotation,
  isRotating,
  type RotationParts,
  RotationRefusal,
  resumeRotation,
  stepRotation,
} from "../../services/access/master-key-rotation.ts";
import {
  type MasterKey,
  masterKeyCheck,
  SecretBox,
  venueOwner,
} from "../../services/access/secret-box.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../services/epochs/nonce-key.ts";
import {
  keepMasterKeys,
  type MasterKeySettings,
  masterKeysOf,
  newMasterKey,
  storedMasterKeys,
} from "./master-key.ts";

interface AdmittedKeys {
  /** The encrypting key first, then older keys; never empty. */
  readonly keys: readonly MasterKey[];
  /** Older versions that still encrypt rows but whose keys are not available. */
  readonly missing: readonly MasterKeyVersion[];
}

/**
 * Returns the venue's keys among `given` (32 bytes each). The store identifies each version of the master key by a
 * check value of its key; the newest version encrypts. Throws if the key of the newest version is not among `given`. A
 * given key that the store does not know is ignored, such as the key of a rotation that has not begun.
 */
async function admitKeys(store: SealedStore, given: readonly Uint8Array[]): Promise<AdmittedKeys> {
  const versions = await store.versions();
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error("the database records no version of the master key");
  const keys: MasterKey[] = [];
  const missing: MasterKeyVersion[] = [];
  for (const known of [...versions].reverse()) {
    const { version, check, rows } = known;
    const key = given.find((one) => masterKeyCheck(one) === check);
    if (key !== undefined) keys.push({ version, key });
    else if (known === newest) throw new Error(wrongKeyMessage(newest));
    else if (rows > 0) missing.push(known);
  }
  return { keys, missing };
}

function wrongKeyMessage({ version, check }: MasterKeyVersion): string {
  return (
    "MASTER_KEY, or master.key in DATA_DIR, is not the key that encrypts this venue's secrets" +
    ` (version ${version}, check ${check}): pass that key, or restore the file`
  );
}

const nonceSecretName = "epoch nonce key";
const nonceKeyBytes = 32;
/** Maximum number of rows that are named when their key is missing; the others are only counted. */
const namedRowsMax = 20;

/** Passes the keys to the venue's threads; does nothing if no venue runs. */
export type SpreadKeys = (keys: readonly MasterKey[]) => Promise<void>;

/** The operator's rotation of the master key; the process may end after any step. */
export interface MasterKeyControl {
  show(): Promise<object>;
  /** `given`: 64 hexadecimal digits, or null to generate a key and store it in the data folder. */
  begin(given: string | null): Promise<object>;
  step(): Promise<object>;
  finish(): Promise<object>;
}

export class VenueKeys {
  readonly box: SecretBox;
  /** 32 bytes. */
  readonly nonceKey: Uint8Array;
  readonly #store: SealedStore;
  readonly #settings: MasterKeySettings;
  /** Every key that the settings and the data folder held at the start. */
  readonly #given: readonly Uint8Array[];
  /** Numbers of the versions of the master key, as last seen. */
  #versions: string;

  private constructor(parts: {
    box: SecretBox;
    nonceKey: Uint8Array;
    store: SealedStore;
    settings: MasterKeySettings;
    given: readonly Uint8Array[];
    versions: string;
  }) {
    this.box = parts.box;
    this.nonceKey = parts.nonceKey;
    this.#store = parts.store;
    this.#settings = parts.settings;
    this.#given = parts.given;
    this.#versions = parts.versions;
  }

  /**
   * Opens the keys. Throws if no available key is the one with which the venue encrypts. If the key of an older version
   * is missing, only logs the rows that need it. Also throws if MASTER_KEY is not the encrypting key; for a rotation,
   * `bringsNewKey` allows that.
   */
  static async open(
    settings: MasterKeySettings,
    sql: Sql,
    log: Log,
    { bringsNewKey } = { bringsNewKey: false },
  ): Promise<VenueKeys> {
    const store = new PostgresSealedRows(sql);
    const terms = async () => new PostgresEpochs(sql).terms();
    const isSealed = () => hasSealed(store, terms);
    const given = await bytesOf(masterKeysOf(settings, systemEntropy, isSealed));
    await adoptFirst(store, present(given[0], "a master key"), terms);
    const versions = String(await store.versionNumbers());
    const { keys, missing } = await admitKeys(store, given);
    if (settings.masterKey !== null && !bringsNewKey) checkGiven(settings.masterKey, keys);
    for (const { version, check, rows } of missing) {
      const named = await store.rowsOf(version, null, namedRowsMax);
      log.error(
        { version, check, rows, first: named.map(({ kind, id }) => `${kind} ${id}`) },
        "the master key of an older version is missing: these rows cannot be decrypted",
      );
    }
    const box = new SecretBox(keys, systemEntropy);
    const nonceKey = await nonceKeyIn(store, box, terms);
    return new VenueKeys({ box, nonceKey, store, settings, given, versions });
  }

  /**
   * Uses the keys of the database's versions, if a rotation of another process has changed these since the last call.
   * Returns the keys then, and null otherwise. Throws if the newest version's key was not given to this process; the
   * keys then stay as they are, and a next call says so only after another change.
   */
  async refreshed(): Promise<readonly MasterKey[] | null> {
    const versions = String(await this.#store.versionNumbers());
    if (versions === this.#versions) return null;
    const { keys } = await admitKeys(this.#store, this.#given).finally(() => {
      this.#versions = versions;
    });
    this.box.use(keys);
    return keys;
  }

  /** The operator's calls; `spread` reaches every thread that encrypts or decrypts. */
  control(spread: SpreadKeys): MasterKeyControl {
    const parts: RotationParts = {
      store: this.#store,
      box: this.box,
      spread: async (keys) => {
        await spread(keys);
        this.box.use(keys);
      },
    };
    return {
      show: () => this.#show(),
      begin: async (given) => {
        if (await isRotating(this.#store)) return resumeRotation(parts);
        // The file still has retired keys, so only the last step of a rotation is left to do.
        if (given === null && (await this.#keepsRetired())) return resumeRotation(parts);
        return beginRotation(parts, Buffer.from(await this.#newKey(given), "hex"));
      },
      step: () => stepRotation(parts),
      finish: async () => {
        const verified = await finishRotation(parts);
        return { version: this.box.version, verified, kept_in: await this.#letGo() };
      },
    };
  }

  async #show(): Promise<object> {
    const versions = await this.#store.versions();
    const atHand = new Set(this.box.keys.map(({ version }) => version));
    return {
      version: this.box.version,
      kept_in: this.#settings.masterKey === null ? "master.key" : "MASTER_KEY",
      rotation: versions.length > 1 ? "under way" : "none",
      versions: versions.map(({ version, check, createdMs, rows }) => ({
        version,
        check,
        created_at: new Date(createdMs).toISOString(),
        rows,
        at_hand: atHand.has(version),
      })),
    };
  }

  /** Stores the new key before anything is encrypted with it. */
  async #newKey(given: string | null): Promise<string> {
    const ownHex = this.#sealingHex;
    if (given?.toLowerCase() === ownHex) {
      throw new RotationRefusal(
        "MASTER_KEY is the key in use: set MASTER_KEY to a new key and MASTER_KEY_EARLIER to this one",
      );
    }
    if (given !== null) return given;
    const { dataDir, masterKey } = this.#settings;
    if (masterKey !== null) {
      throw new RotationRefusal(
        "this venue takes its key from MASTER_KEY: set MASTER_KEY to the new key for this command",
      );
    }
    const stored = await storedMasterKeys(dataDir);
    const [first = ownHex] = stored;
    // An earlier rotation was interrupted right after it stored its key.
    if (first !== ownHex) return first;
    const made = newMasterKey(systemEntropy);
    await keepMasterKeys(dataDir, [made, ...stored]);
    return made;
  }

  async #keepsRetired(): Promise<boolean> {
    const stored = await storedMasterKeys(this.#settings.dataDir);
    return stored.length > 1 && stored[0] === this.#sealingHex;
  }

  get #sealingHex(): string {
    const { key } = present(this.box.keys[0], "a master key that encrypts");
    return Buffer.from(key).toString("hex");
  }

  /**
   * Removes retired keys from the key file. Returns where the encrypting key must be kept from now on: in `MASTER_KEY`
   * or in the file `master.key`.
   */
  async #letGo(): Promise<string> {
    const { dataDir } = this.#settings;
    const ownHex = this.#sealingHex;
    const stored = await storedMasterKeys(dataDir);
    if (!stored.includes(ownHex)) return "MASTER_KEY";
    if (stored.length > 1) await keepMasterKeys(dataDir, [ownHex]);
    return "master.key";
  }
}

/** Throws if the venue would encrypt with a key other than the given MASTER_KEY. */
function checkGiven(given: string, [own]: readonly MasterKey[]): void {
  if (Buffer.from(given, "hex").equals(own?.key ?? new Uint8Array())) return;
  throw new Error(
    "MASTER_KEY is not this venue's key: pass the key in use, or rotate to this one with 'rialto master-key rotate'",
  );
}

async function bytesOf(keys: Promise<readonly string[]>): Promise<Uint8Array[]> {
  return (await keys).map((key) => Buffer.from(key, "hex"));
}

/** Whether the database already has something encrypted with a master key. */
async function hasSealed(
  store: SealedStore,
  termsOf: () => Promise<EpochTerms | null>,
): Promise<boolean> {
  const [first] = await store.versions();
  if (first?.check !== null) return true;
  return (await store.rowsOf(1, null, 1)).length > 0 || (await termsOf()) !== null;
}

/**
 * Records the first key version of a database without versions. The key must decrypt the existing secrets and must
 * be the one of the existing epochs.
 */
async function adoptFirst(
  store: SealedStore,
  key: Uint8Array,
  termsOf: () => Promise<EpochTerms | null>,
): Promise<void> {
  const [first] = await store.versions();
  if (first?.check !== null) return;
  const box = new SecretBox([{ version: 1, key }], systemEntropy);
  const nonceCheck = nonceKeyCheck(nonceKeyOf(Buffer.from(key).toString("hex")));
  const terms = await termsOf();
  const isTheirs = terms === null || terms.nonceKeyCheck === nonceCheck;
  const rows = await store.rowsOf(1, null, namedRowsMax);
  const sample = rows.find(({ sealed }) => sealed !== null);
  if (!isTheirs || (sample !== undefined && !opens(box, sample))) {
    throw new Error(
      "MASTER_KEY, or master.key in DATA_DIR, is not the key that encrypts this venue's secrets",
    );
  }
  await store.adopt(masterKeyCheck(key));
}

function opens(box: SecretBox, { sealed, owner, version }: SealedRow): boolean {
  try {
    return sealed !== null && box.open(sealed, owner, version) !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * The stored nonce key. If there is none, stores one: a random key if there are no epochs yet, otherwise the key
 * derived from the master key, with which the existing epochs were sealed.
 */
async function nonceKeyIn(
  store: SealedStore,
  box: SecretBox,
  termsOf: () => Promise<EpochTerms | null>,
): Promise<Uint8Array> {
  let row = await store.secret(nonceSecretName);
  if (row === null) {
    const { key } = present(box.keys[0], "a master key that encrypts");
    const isFirst = (await termsOf()) === null;
    const nonceKey = isFirst
      ? systemEntropy.bytes(nonceKeyBytes)
      : nonceKeyOf(Buffer.from(key).toString("hex"));
    const text = Buffer.from(nonceKey).toString("hex");
    const sealed = box.seal(text, venueOwner(nonceSecretName));
    await store.addSecret(nonceSecretName, sealed, box.version);
    row = present(await store.secret(nonceSecretName), "the nonce key that was just stored");
  }
  const opened = box.open(present(row.sealed, "the nonce key"), row.owner, row.version);
  return Buffer.from(opened, "hex");
}
