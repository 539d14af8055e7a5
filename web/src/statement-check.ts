// The check of a liabilities statement, with a member's leaves or without: verified with the browser's SHA-256, and its
// amounts as text. Independent of page and network.

import {
  type LiabilitiesVerdict,
  verifyLiabilities,
} from "../../src/services/epochs/liability-verifier.ts";
import { isFields } from "../../src/services/epochs/proof-verifier.ts";
import { bare, textOf } from "./decimal-text.ts";
import { base64ToBytes } from "./member/key-file.ts";
import { sha256 } from "./sha256.ts";

/** What the statement says about an asset, formatted. A dash stands for what it leaves open. */
export interface StatedRow {
  readonly asset: string;
  readonly owed: string;
  readonly shortfall: string;
  readonly holdings: string;
  readonly inFlight: string;
  readonly surplus: string;
}

export interface CheckedStatement {
  readonly verdict: LiabilitiesVerdict;
  /** Whether the document has a member's leaves. */
  readonly isOwn: boolean;
  /** Empty unless valid, because only then are these the recorded amounts. */
  readonly rows: readonly StatedRow[];
  /** How long the check took, in ms. */
  readonly tookMs: number;
}

interface StatedAsset {
  readonly asset: string;
  readonly decimals: number;
  readonly total: string;
  readonly shortfall: string;
  readonly holdings: string | null;
  readonly in_flight: string | null;
  readonly surplus: string | null;
}

/** Purpose of a public key in the ledger network's hash rule. */
const publicKeyPurpose = [0, 0, 0, 12];

/** The fingerprint of a public key in base64, as hexadecimal digits. */
async function fingerprintOf(publicKey: string): Promise<string> {
  const hash = await sha256(new Uint8Array([...publicKeyPurpose, ...base64ToBytes(publicKey)]));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Checks a document of `/v1/liabilities`, or of `/v1/liabilities/me` for the owner of a public key in base64. */
export async function checkedStatement(
  document: unknown,
  publicKey: string | null,
): Promise<CheckedStatement> {
  const startMs = performance.now();
  const fingerprint = publicKey === null ? {} : { fingerprint: await fingerprintOf(publicKey) };
  const verdict = await verifyLiabilities(document, { sha256, ...fingerprint });
  const tookMs = performance.now() - startMs;
  const given = isFields(document) ? document : {};
  const { statement, key } = given as { readonly statement: string; readonly key?: string };
  const rows = verdict.isValid ? rowsOf(statement) : [];
  return { verdict, isOwn: key !== undefined, rows, tookMs };
}

function rowsOf(statement: string): StatedRow[] {
  const { assets } = JSON.parse(statement) as { readonly assets: readonly StatedAsset[] };
  const known = (text: string | null) => (text === null ? "–" : bare(text));
  return assets.map(({ asset, decimals, total, shortfall, holdings, in_flight, surplus }) => ({
    asset,
    owed: bare(textOf(BigInt(total), Number(decimals))),
    shortfall: bare(textOf(BigInt(shortfall), Number(decimals))),
    holdings: known(holdings),
    inFlight: known(in_flight),
    surplus: known(surplus),
  }));
}
