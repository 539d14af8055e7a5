// Reads the assets of a liabilities statement for the verifier: each number in the form and within the bounds that the
// published encodings require (spec LIA-35). A sum that could overflow is refused before anything is added to it.

import {
  asFields,
  expect,
  type Fields,
  hexIn,
  integer,
  Malformed,
  text,
} from "./proof-verifier.ts";

/** Decimal places of the ledger's amounts. */
export const ledgerDecimals = 10;

/** Sums stay below this, so that no sum of two overflows the 16 bytes of a sum. */
export const sumEnd = 2n ** 127n;

const leavesMin = 64n;

/** What an asset's part of the statement says, in minor units and, from the ledger, units of 10^−10. */
export interface Asset {
  readonly name: string;
  readonly number: number;
  readonly decimals: number;
  readonly leaves: bigint;
  readonly root: Uint8Array;
  readonly total: bigint;
  readonly shortfall: bigint;
  readonly liabilities: bigint;
  readonly faucetDebt: bigint;
  /** Null while the venue does not know what the ledger has. */
  readonly ledger: Readonly<Record<"holdings" | "inFlight" | "surplus", bigint>> | null;
}

/** The assets of a statement; no two have one name or one number. */
export function assetsOf(statement: Fields): Asset[] {
  const list = statement["assets"];
  if (!Array.isArray(list)) throw new Malformed("assets is not a list");
  const assets = list.map((one) => assetOf(asFields(one, "assets")));
  for (const by of ["name", "number"] as const) {
    const distinct = new Set(assets.map((asset) => asset[by]));
    expect(distinct.size === assets.length, `two assets have the same ${by}`);
  }
  return assets;
}

function assetOf(fields: Fields): Asset {
  const name = text(fields, "asset");
  const [number, decimals] = [integer(fields, "number"), integer(fields, "decimals")];
  expect(number < 256n, `number of ${name} is above 255`);
  expect(decimals <= ledgerDecimals, `decimals of ${name} is above ${ledgerDecimals}`);
  const leaves = integer(fields, "leaves");
  const isPower = leaves >= leavesMin && (leaves & (leaves - 1n)) === 0n;
  expect(isPower, `${name} has ${leaves} leaves, not a power of two from ${leavesMin}`);
  return {
    ...{ name, number: Number(number), decimals: Number(decimals), leaves },
    root: hexIn(fields, "root", 32),
    total: sumIn(fields, "total"),
    shortfall: sumIn(fields, "shortfall"),
    liabilities: signedIn(fields, "liabilities"),
    faucetDebt: sumIn(fields, "faucet_debt"),
    ledger: ledgerOf(fields, name),
  };
}

function ledgerOf(fields: Fields, name: string): Asset["ledger"] {
  const given = ["holdings", "in_flight", "claims", "surplus"].map((each) => fields[each]);
  if (given.every((value) => value === null)) return null;
  const isWhole = given.every((value) => value !== null);
  expect(isWhole, `${name} has only some of holdings, in_flight, claims and surplus`);
  return {
    holdings: decimalIn(fields, "holdings"),
    inFlight: decimalIn(fields, "in_flight"),
    surplus: decimalIn(fields, "surplus"),
  };
}

/** Minor units from 0 below 2^127, as digits. */
export function sumIn(fields: Fields, name: string): bigint {
  const value = signedIn(fields, name);
  expect(value >= 0n, `${name} is below zero`);
  return value;
}

/** Minor units between −2^127 and 2^127, as digits. */
function signedIn(fields: Fields, name: string): bigint {
  const digits = fields[name];
  const isWhole = typeof digits === "string" && /^(0|-?[1-9]\d{0,38})$/.test(digits);
  if (!isWhole) throw new Malformed(`${name} is not a whole number as text`);
  const value = BigInt(digits);
  expect(value < sumEnd && value > -sumEnd, `${name} is 2^127 or more`);
  return value;
}

/** Decimal text with ten decimals, as units of 10^−10. */
function decimalIn(fields: Fields, name: string): bigint {
  const value = text(fields, name);
  const isDecimal = /^-?(0|[1-9]\d{0,28})\.\d{10}$/.test(value);
  if (!isDecimal) throw new Malformed(`${name} is not a number with ten decimals`);
  return BigInt(value.replace(".", ""));
}

/** An amount of 10^−decimals, without zeros at its end. */
export function amountText(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  const rest = digits.slice(cut).replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, cut)}${rest === "" ? "" : `.${rest}`}`;
}
