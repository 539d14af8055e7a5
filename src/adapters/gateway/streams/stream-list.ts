// Parses the URL of a connection: view, frame format and streams. In the root view, a single invalid name, too many
// names or no name at all make the whole list bad: the upgrade is accepted, and the connection is then closed with a
// reason, which every client can show. The compat view ignores invalid names if at least one is valid, and accepts a
// URL without names, as Binance does. Spec STR-1, STR-3, STR-5, STR-38.

import { streamsPerConnectionMax } from "../../../core/limits.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { SurfaceError } from "../requests/surface-error.ts";
import { compatPrefix, type SurfaceView } from "../requests/surface-view.ts";
import { wantedOfConnection } from "../requests/wanted-form.ts";
import type { SbeForm } from "../sbe/sbe-answer.ts";
import { type NameScope, readStreamName, type StreamName } from "./stream-name.ts";

export interface StreamList {
  readonly view: SurfaceView;
  readonly isWrapped: boolean;
  /** True if times are in microseconds instead of milliseconds. */
  readonly usesMicroseconds: boolean;
  /** True if the URL is a futures root: a path below /public, /market or /private. */
  readonly isFutures: boolean;
  /** True if streams that Binance has retired are refused. */
  readonly isStrict: boolean;
  /** True if the URL is the root of market data in SBE. */
  readonly isSbe: boolean;
  /** The form of answers and user data in SBE, in an order session; null for JSON. */
  readonly sbe: SbeForm | null;
  readonly names: readonly StreamName[];
  /** The key of a user data stream that the URL contains instead of a stream name. */
  readonly listenKey: string | null;
  /**
   * Number of the last frame of the user data stream that the client received; null if the client does not resume the
   * stream.
   */
  readonly resumeFrom: number | null;
  /** The error with which the connection is refused. */
  readonly refused?: SurfaceError;
  /** The reason why the list is bad; empty if the list is valid. */
  readonly fault: string;
  /** Settings of an order session: whether its answers include the rate limits. */
  readonly session?: { readonly showsLimits: boolean };
}

/** Root of market data in SBE. It is a path of its own, because SBE streams have names of JSON streams. */
export const sbePrefix = `${compatPrefix}/sbe`;

/** A listen key has the form of an API key: 64 letters and digits. */
const listenKeyForm = /^[A-Za-z0-9]{64}$/;
const futuresRoots = /^\/(?:public|market|private)(?=\/)/;
const resumeForm = /^\d{1,15}$/;
const parkedForm = /^\d{1,9}$/;

/** Reason for refusing a second listen key. */
export const severalListenKeys = "a connection can have only one listenKey";

/** Returns whether a name has the form of a listen key. No stream name has this form. */
export function isListenKey(name: string): boolean {
  return listenKeyForm.test(name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a parameter in a raw query, or undefined. */
function queryValue(query: string, name: string): string | undefined {
  for (const pair of query.split("&")) {
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  }
  return undefined;
}

/** Names in a list separated by slashes, literal or escaped. */
function namesIn(text: string): string[] {
  return text
    .split(/\/|%2[fF]/)
    .map(decoded)
    .filter((name) => name !== "");
}

interface StreamRoot {
  readonly root: string;
  readonly isCompat: boolean;
  readonly isSbe: boolean;
}

/** The prefix of a path, before the roots of futures. */
function rootOf(path: string): StreamRoot {
  if (path.startsWith(`${sbePrefix}/`)) return { root: sbePrefix, isCompat: true, isSbe: true };
  const isCompat = path.startsWith(`${compatPrefix}/`);
  return { root: isCompat ? compatPrefix : "", isCompat, isSbe: false };
}

/** Reads the path and query of an upgrade request; `refusesRetired` is COMPAT_STRICT, which concerns only compat. */
export function readStreamList(
  path: string,
  query: string,
  table: MarketTable,
  refusesRetired = false,
): StreamList {
  const { root, isCompat, isSbe } = rootOf(path);
  const isStrict = isCompat && refusesRetired;
  const view: SurfaceView = isCompat ? "compat" : "root";
  const whole = path.slice(root.length);
  const isFutures = isCompat && futuresRoots.test(whole);
  const own = isFutures ? whole.replace(futuresRoots, "") : whole;
  const isWrapped = own.startsWith("/stream");
  const listText = isWrapped ? (queryValue(query, "streams") ?? "") : own.slice("/ws".length);
  const requested = namesIn(listText);
  // Only spot in the compat view offers a choice of time units. Elsewhere the parameter is ignored, like any unknown
  // parameter.
  const isChosen = isCompat && !isFutures && !isSbe;
  const wanted = isChosen ? wantedOfConnection(query, false) : {};
  const format = { usesMicroseconds: false, isSbe, sbe: null, ...wanted };
  const form = { isWrapped, isFutures, isStrict, ...format };
  const head = { view, ...form, listenKey: null, resumeFrom: null };
  if (!isCompat) return { ...head, ...checked(requested, table, head) };
  const keys = requested.filter((name) => listenKeyForm.test(name));
  const listenKey = keys[0] ?? queryValue(query, "listenKey") ?? null;
  // Clients that subscribe by frames open the paths /ws/0, /ws/1 …; these numbers are not stream names.
  const names = requested.filter((name) => !listenKeyForm.test(name) && !parkedForm.test(name));
  const list =
    names.length === 0 ? { names: [], fault: "" } : checked(names, table, { ...head, skips: true });
  const resume = queryValue(query, "resume");
  const resumeFrom = resume === undefined ? null : Number(resume);
  const fault = keyFault(keys.length, resume);
  return { ...head, listenKey, resumeFrom, ...list, ...(fault === "" ? {} : { fault }) };
}

/** The fault of a user data stream request; empty if the request is valid. */
function keyFault(keys: number, resume: string | undefined): string {
  if (keys > 1) return severalListenKeys;
  return resume === undefined || resumeForm.test(resume) ? "" : "resume must be the seq of a frame";
}

/** The connection for which a list is parsed, and how to treat invalid names. */
export interface ListScope extends NameScope {
  /** True if invalid names are ignored when other names are valid; false if an invalid name makes the list bad. */
  readonly skips?: boolean;
}

/** The streams of a list, or the reason why the list is bad. */
export function checked(
  requested: readonly string[],
  table: MarketTable,
  scope: ListScope,
): Pick<StreamList, "names" | "fault"> {
  const none = { names: [] };
  if (requested.length === 0) return { ...none, fault: "no streams named" };
  if (requested.length > streamsPerConnectionMax) {
    const fault = `too many streams: ${requested.length}, at most ${streamsPerConnectionMax}`;
    return { ...none, fault };
  }
  const names: StreamName[] = [];
  let fault = "";
  for (const text of requested) {
    const name = readStreamName(text, table, scope);
    if (name !== undefined) names.push(name);
    else if (fault === "") fault = `unknown stream: ${text}`;
  }
  const isBad = fault !== "" && !(scope.skips === true && names.length > 0);
  return isBad ? { ...none, fault } : { names, fault: "" };
}
