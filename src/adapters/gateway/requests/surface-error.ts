// Refusals of the Binance-style surfaces: HTTP status, integer code, message. Bodies have exactly `code` and `msg`; the
// compat view may add a hint. This file has the faults that both surfaces report with the same text; the error map of
// each surface has the messages for refusals of clearing.

import {
  accountsPerConnectionMax,
  heartbeatMsMax,
  heartbeatMsMin,
} from "../../../core/connection-limits.ts";
import type { AuthFault } from "../../../services/access/signed-request.ts";
import { unencodableFigure } from "../sbe/sbe-writer.ts";
import { contentTypes, type HttpCall } from "../server/http-call.ts";
import type { TransportFault } from "../server/uws-server.ts";
import type { SurfaceView } from "./surface-view.ts";

/** A valid alternative value, in a format that programs can parse. */
export type ErrorHint = Readonly<Record<string, string | number>>;

export interface SurfaceError {
  readonly status: number;
  /** Binance's error code; 0 on the native surface, whose answers have no code. */
  readonly code: number;
  readonly msg: string;
  /** Binance's code and message, for faults that Binance distinguishes and docs/spec does not. Spec CMP-10. */
  readonly onCompat?: { readonly code: number; readonly msg: string };
  /** A hint that only the compat view shows, as the field `hint`. */
  readonly hint?: ErrorHint;
  /** The error is answered as plain text in every view, as klines does. */
  readonly isText?: true;
}

/**
 * A refusal that is thrown while a request is read and checked, and caught where its route was entered (route.ts). A
 * refused request has changed nothing. This class does not extend Error: its stack would never be read, and recording
 * the stack would be costly, because clients can cause many refusals.
 */
export class Refusal {
  readonly error: SurfaceError;

  constructor(error: SurfaceError) {
    this.error = error;
  }
}

/**
 * Returns the result of `read`, or the refusal it throws, so that one element of a batch can be refused without
 * affecting the others.
 */
export function orRefusal<T>(read: () => T): T | SurfaceError {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof Refusal) return fault.error;
    throw fault;
  }
}

/** Stops reading a request: its route answers with `error`. */
export function refused(error: SurfaceError): never {
  throw new Refusal(error);
}

/** Adds a hint to `error` for callers of the compat view. */
export function hinted(error: SurfaceError, hint: ErrorHint): SurfaceError {
  return { ...error, hint };
}

/** The JSON body of a refusal: exactly `code` and `msg` in the root view, and also the hint in the compat view. */
export function errorBody(error: SurfaceError, view: SurfaceView = "root"): string {
  const { code, msg } = (view === "compat" ? error.onCompat : undefined) ?? error;
  const { hint } = error;
  const more = hint === undefined || view === "root" ? "" : `,"hint":${JSON.stringify(hint)}`;
  return `{"code":${code},"msg":${JSON.stringify(msg)}${more}}`;
}

/**
 * Path prefixes of native routes whose faults are JSON: wallet, deposits and solvency as specified, providers by LPR-3.
 */
export const jsonAreas = ["/v1/wallet/", "/v1/deposits", "/v1/solvency", "/v1/lp/"] as const;

function nativeRefusal(call: HttpCall, { status, msg }: SurfaceError, closes: boolean): void {
  const isJson = jsonAreas.some((area) => call.path.startsWith(area));
  if (isJson) call.answer(status, contentTypes.json, JSON.stringify({ error: msg }), closes);
  else call.answer(status, contentTypes.text, msg, closes);
}

/** Answers `call` with a refusal in the form of its surface; `closes` ends the connection after it. */
export function refuse(call: HttpCall, error: SurfaceError, closes = false): void {
  if (error.isText === true && call.sbe === null)
    call.answer(error.status, contentTypes.text, error.msg);
  else if (call.view === "native") nativeRefusal(call, error, closes);
  else call.answer(error.status, contentTypes.json, errorBody(error, call.view), closes);
}

/** A required parameter is missing or empty. */
export function missingParameter(name: string): SurfaceError {
  const msg = `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`;
  return { status: 400, code: -1102, msg };
}

/** The heartbeat interval of an order connection. */
export const heartbeatOutOfRange: SurfaceError = {
  status: 400,
  code: -1130,
  msg: `Parameter 'heartbeatInterval' must be a whole number of milliseconds from ${heartbeatMsMin} to ${heartbeatMsMax}.`,
};

/** An order asks to be cancelled when its connection is lost, but the connection has not declared that. */
export const notDeclared: SurfaceError = {
  status: 400,
  code: -1130,
  msg: "Parameter 'cancelOnDisconnect' needs a WebSocket connection that has logged on with cancelOnDisconnect=true.",
};

/** A mass quote has a bid that is not below all of its asks. */
export const quotesCrossed: SurfaceError = {
  status: 400,
  code: -1130,
  msg: "Parameter 'quotes' is not valid: each bid must be below every ask.",
};

/** One connection has declared for as many accounts as it may. */
export const tooManyDeclared: SurfaceError = {
  status: 400,
  code: -1034,
  msg: `Too many accounts cancel on disconnect over this connection; the limit is ${accountsPerConnectionMax}.`,
};

/** A parameter has an invalid value, including unknown symbols, sides, types and intervals. */
export function illegalParameter(name: string): SurfaceError {
  return {
    status: 400,
    code: -1100,
    msg:
      name === ""
        ? "Illegal characters found in a parameter."
        : `Illegal characters found in parameter '${name}'.`,
  };
}

/** An iceberg order that would not rest until it is cancelled. */
export const icebergNeedsGtc: SurfaceError = {
  status: 400,
  code: -1130,
  msg: "Parameter 'icebergQty' needs timeInForce GTC.",
};

/** The same for an order of a list, whose parameters have these names. */
export function listedIcebergNeedsGtc(icebergQty: string, timeInForce: string): SurfaceError {
  const msg = `Parameter '${icebergQty}' is not supported if '${timeInForce}' is not GTC.`;
  return { status: 400, code: -1160, msg };
}

/** An unknown kind of peg or of offset, alone or in a list; undefined for other parameters. */
export function badPegParameter(name: string): SurfaceError | undefined {
  const [, kind] = /peg(Price|Offset)Type$/i.exec(name) ?? [];
  if (kind === undefined) return undefined;
  return { status: 400, code: kind === "Price" ? -1210 : -1211, msg: `Invalid peg${kind}Type.` };
}

/** A mode of self-trade prevention that this surface does not have; `modes` are those that it has. */
export function badPreventionMode(modes: readonly string[]): SurfaceError {
  const names = modes.join(", ");
  const msg = `Parameter 'selfTradePreventionMode' must be one of ${names}.`;
  return { status: 400, code: -1100, msg };
}

/** A klines query that cannot be read. */
export function undeserialisedQuery(message: string): SurfaceError {
  const msg = `Failed to deserialize query string: ${message}`;
  return { status: 400, code: 0, msg, isText: true };
}

/** An order parameter that this venue does not know or does not offer. */
export function unknownParameter(name: string): SurfaceError {
  const msg = `An unknown parameter was sent: '${name.slice(0, 64)}'.`;
  return { status: 400, code: -1103, msg };
}

export const badTimeUnit: SurfaceError = {
  status: 400,
  code: -1194,
  msg: "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.",
};

/** A connection asks for SBE, Binance's binary format, where it is not offered. */
export const sbeDisabled: SurfaceError = { status: 406, code: -1155, msg: "SBE is not enabled." };

/** The client accepts only SBE on a route for whose answer the schema has no template. */
export const sbeWithoutTemplate: SurfaceError = {
  status: 406,
  code: -1155,
  msg: "SBE is not enabled for this route. Please accept application/json.",
};

/** The client accepts only SBE but does not say in which schema. */
export const badSbeHeader: SurfaceError = {
  status: 400,
  code: -1152,
  msg: "Invalid `X-MBX-SBE` header; expected `<SCHEMA_ID>:<VERSION>`.",
};

/** A figure of an answer does not fit its field in SBE. */
export const unencodable: SurfaceError = unencodableFigure;

/** The client wants a schema or a version that the venue does not serve. */
export const unknownSbeSchema: SurfaceError = {
  status: 400,
  code: -1153,
  msg: "Unsupported SBE schema ID or version specified in the `X-MBX-SBE` header.",
};

/** As above, in the URL of an order session. */
export const badSbeParameters: SurfaceError = {
  status: 400,
  code: -1153,
  msg: "Invalid SBE schema ID or version specified.",
};

/** A parameter that begins in the query and ends in the body, because the boundary between them was moved. */
export function splitParameter(name: string): SurfaceError {
  const which = name === "" ? "A parameter" : `Parameter '${name}'`;
  const msg = `${which} is cut in two; query and body must each hold whole name=value pairs.`;
  return { status: 400, code: -1100, msg };
}

/** A parameter that conflicts with the others. */
export function unneededParameter(name: string): SurfaceError {
  return { status: 400, code: -1106, msg: `Parameter '${name}' sent when not required.` };
}

export const precisionExceeded: SurfaceError = {
  status: 400,
  code: -1111,
  msg: "Precision is over the maximum defined for this asset.",
};

export const unsupportedCombination: SurfaceError = {
  status: 400,
  code: -1014,
  msg: "Unsupported order combination.",
};

/** Parameters that contradict or repeat each other, or are all missing. */
export const badCombination: SurfaceError = {
  status: 400,
  code: -1128,
  msg: "Combination of optional parameters invalid.",
};

export const unsupportedOperation: SurfaceError = {
  status: 501,
  code: -1020,
  msg: "This operation is not supported.",
};

/** A route that Binance has retired, in strict mode. */
export const retired: SurfaceError = {
  status: 410,
  code: -1020,
  msg: "This operation is retired and not supported any more.",
};

export const duplicateParameter: SurfaceError = {
  status: 400,
  code: -1101,
  msg: "Duplicate values for a parameter detected.",
};

export const tooManyParameters: SurfaceError = {
  status: 400,
  code: -1101,
  msg: "Too many parameters sent for this endpoint.",
};

/** A time range is longer than `hours`, the longest that the route searches. */
export function spanTooLong(hours: number): SurfaceError {
  const msg = `More than ${hours} hours between startTime and endTime.`;
  return { status: 400, code: -1127, msg };
}

export const badInterval: SurfaceError = { status: 400, code: -1120, msg: "Invalid interval." };

/** A period for which no market data is kept. */
export const badPeriod: SurfaceError = {
  status: 400,
  code: -1130,
  msg: "Data sent for parameter 'period' is not valid.",
};

/** A parameter that should hold a JSON list of valid elements and does not. */
export function badList(name: string): SurfaceError {
  return { status: 400, code: -1135, msg: `Invalid data sent for parameter '${name}'.` };
}

export const badRestriction: SurfaceError = {
  status: 400,
  code: -1145,
  msg: "Invalid cancelRestrictions.",
};

/** Strategy types below a minimum are reserved (Binance: below 1,000,000). */
export const badStrategyType: SurfaceError = {
  status: 400,
  code: -1134,
  msg: "strategyType was less than 1000000.",
};

/** Whether the orders of an OCO are of types that it can have, each on its side of the market (Binance's codes). */
export const ocoFaults = {
  type: { status: 400, code: -1158, msg: "Order type not supported in OCO." },
  buyLimitAbove: { status: 400, code: -1165, msg: "A limit order in a buy OCO must be below." },
  sellLimitBelow: { status: 400, code: -1166, msg: "A limit order in a sell OCO must be above." },
  bothLimits: { status: 400, code: -1168, msg: "At least one OCO order must be contingent." },
  buyStopBelow: { status: 400, code: -1196, msg: "A stop loss order in a buy OCO must be above." },
  sellStopAbove: {
    status: 400,
    code: -1197,
    msg: "A stop loss order in a sell OCO must be below.",
  },
  buyProfitAbove: {
    status: 400,
    code: -1198,
    msg: "A take profit order in a buy OCO must be below.",
  },
  sellProfitBelow: {
    status: 400,
    code: -1199,
    msg: "A take profit order in a sell OCO must be above.",
  },
} as const satisfies Readonly<Record<string, SurfaceError>>;

export const workingMustBuy: SurfaceError = {
  status: 400,
  code: -1222,
  msg: "Working order in an OPO list must be a bid.",
};

export const pendingMustSell: SurfaceError = {
  status: 400,
  code: -1223,
  msg: "Pending orders in an OPO list must be asks.",
};

export const statusMismatch: SurfaceError = {
  status: 400,
  code: -1220,
  msg: "The symbol's status does not match the requested symbolStatus.",
};

export const repeatedSymbol: SurfaceError = {
  status: 400,
  code: -1151,
  msg: "Symbol is present multiple times in the list.",
};

export const notExecuted: SurfaceError = {
  status: 503,
  code: -1008,
  msg: "Request was not executed; resend with the same client order id.",
};

/** New orders of wallet-funded accounts are refused until the ledger reports their holdings again. */
export const ledgerStale: SurfaceError = {
  status: 503,
  code: -1008,
  msg: "The ledger network is not readable now. Wallet-funded accounts cannot place orders; resend later.",
};

/** A deposit request fails because the ledger network has not answered yet or does not exist. */
export const ledgerUnreached: SurfaceError = {
  status: 503,
  code: -1008,
  msg: "The ledger network is not reached; nothing can be deposited now.",
};

/** A read fails because the database is unreachable or still starting. */
export const storeAway: SurfaceError = {
  status: 503,
  code: -1008,
  msg: "The database is not reached now. Nothing was executed; ask again.",
};

export const unexpected: SurfaceError = {
  status: 500,
  code: -1000,
  msg: "An unknown error occurred while processing the request.",
};

export const unknownListenKey: SurfaceError = {
  status: 400,
  code: -1125,
  msg: "This listenKey does not exist.",
};

export const tooManyConnections: SurfaceError = {
  status: 429,
  code: -1003,
  msg: "Too many stream connections from this address.",
};

/** The market has no reference price; no spot market has one. */
export const noReferencePrice: SurfaceError = {
  status: 400,
  code: -2043,
  msg: "This symbol doesn't have a reference price.",
};

const orderMissing = { status: 422, code: -2011, msg: "Order does not exist." } as const;

/** A cancel names an order that is not open in the account. */
export const orderUnknown: SurfaceError = {
  ...orderMissing,
  onCompat: { code: -2011, msg: "Unknown order sent." },
};

/** A query, or an amendment of a perpetual order, names an order that the account does not have. */
export const orderUnknownToQuery: SurfaceError = {
  ...orderMissing,
  onCompat: { code: -2013, msg: "Order does not exist." },
};

/** An amendment names a spot order that is not open in the account. */
export const orderUnknownToAmend: SurfaceError = {
  ...orderMissing,
  onCompat: { code: -2038, msg: "Unknown order sent." },
};

const limitedUnits = {
  weight: "request weight per 1 MINUTE",
  orders10s: "orders per 10 SECOND",
  orders1m: "orders per 1 MINUTE",
} as const;

/** A rate limit was exceeded; `limit` is the limit that was exceeded. */
export function tooManyRequests(limit: number, unit: keyof typeof limitedUnits): SurfaceError {
  const msg = `Too many requests; current limit is ${limit} ${limitedUnits[unit]}.`;
  return { status: 429, code: -1003, msg };
}

/** The path is unknown, or, with status 405, it exists only with other methods. */
export function unknownPath(path: string, method: string, status: 404 | 405 = 404): SurfaceError {
  return { status, code: -5000, msg: `Path ${path}, Method ${method} is invalid` };
}

export const authErrors: Readonly<Record<AuthFault, SurfaceError>> = {
  keyFormat: { status: 400, code: -2014, msg: "API-key format invalid." },
  signatureMissing: missingParameter("signature"),
  timestampMissing: missingParameter("timestamp"),
  recvWindowMalformed: illegalParameter("recvWindow"),
  keyUnknown: {
    status: 401,
    code: -2015,
    msg: "Invalid API-key, IP, or permissions for action.",
  },
  outsideWindow: {
    status: 401,
    code: -1021,
    msg: "Timestamp for this request is outside of the recvWindow.",
  },
  signatureWrong: {
    status: 401,
    code: -1022,
    msg: "Signature for this request is not valid.",
  },
};

/** A FIX session is opened with a key of another type than Ed25519. */
export const notEd25519: SurfaceError = {
  status: 401,
  code: -2015,
  msg: "FIX sessions take Ed25519 keys only.",
};

export const transportErrors: Readonly<Record<TransportFault, SurfaceError>> = {
  bodyTooLarge: { status: 413, code: -1101, msg: "Request body is larger than 1 MiB." },
  queryTooLong: { status: 414, code: -1101, msg: "Query string is too long." },
  bodyNotText: illegalParameter(""),
  deadline: {
    status: 408,
    code: -1007,
    msg: "Timeout waiting for response from backend server. Send status unknown; execution status unknown.",
  },
};
