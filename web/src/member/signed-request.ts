// Requests to the Binance-style routes, signed with the session's key. They offer what the native routes do not:
// conditional orders, amends, lists, leverage and the account's margins.

import { checkSession, session } from "./session.ts";
import { signedBy } from "./signing-key.ts";
import { type Parameters, request, VenueFault } from "./venue-api.ts";

/** The venue takes a request for so long after its timestamp. */
const windowMs = "10000";
/** The venue's error for a timestamp outside that window: this computer's clock is wrong, or has been set. */
const outsideWindow = -1021;

/** How far the venue's clock is ahead of this computer's, in ms; null until asked. */
let aheadMs: Promise<number> | null = null;

async function readClock(): Promise<number> {
  const sentMs = Date.now();
  const { serverTime } = await request<{ serverTime: number }>("GET", "/compat/fapi/v1/time");
  return serverTime - Math.round((sentMs + Date.now()) / 2);
}

function clockAhead(): Promise<number> {
  aheadMs ??= readClock().catch((fault: unknown) => {
    aheadMs = null;
    throw fault;
  });
  return aheadMs;
}

async function send<T>(method: string, path: string, parameters: Parameters): Promise<T> {
  const { value } = session;
  if (value === null) throw new VenueFault(401, "Log in first.");
  const timestamp = String(Date.now() + (await clockAhead()));
  const query = new URLSearchParams({ ...parameters, timestamp, recvWindow: windowMs }).toString();
  const signature = await signedBy(value.apiKey, query);
  if (signature === null) {
    throw new VenueFault(401, "This tab has lost the key of its session. Log out and in again.");
  }
  const signed = `${path}?${query}&signature=${encodeURIComponent(signature)}`;
  const answer = await request<T>(method, signed, { apiKey: value.apiKey });
  checkSession(value);
  return answer;
}

/** Sends a signed request as the user. If only the timestamp was wrong, reads the venue's clock and sends it again. */
export async function requestSigned<T>(
  method: string,
  path: string,
  parameters: Parameters = {},
): Promise<T> {
  try {
    return await send<T>(method, path, parameters);
  } catch (fault) {
    if (!(fault instanceof VenueFault && fault.code === outsideWindow)) throw fault;
    aheadMs = null;
    return send<T>(method, path, parameters);
  }
}
