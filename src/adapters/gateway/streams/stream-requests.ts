// The requests of the compat view: SUBSCRIBE, UNSUBSCRIBE, LIST_SUBSCRIPTIONS (STR-15). Each answer has the request's
// id. A bad request gets an error and the connection stays open. The limit on streams is checked against the number of
// subscriptions that would result. A refused request changes nothing.

import { streamRequest } from "../../../../schemas/streams/requests.ts";
import { streamsPerConnectionMax } from "../../../core/limits.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { StreamConnection } from "./stream-connection.ts";
import type { StreamConnections } from "./stream-connections.ts";
import { checked, isListenKey, severalListenKeys } from "./stream-list.ts";
import type { StreamName } from "./stream-name.ts";
import { topicOf } from "./stream-topics.ts";

/** A request id that an answer can repeat. If the request has any other id, the id in the answer is null. */
type RequestId = string | number | null;

/** Binance's error code for an unreadable request. */
const invalidRequest = 2;

function refusal(id: RequestId, message: string): string {
  const error = { code: invalidRequest, msg: `Invalid request: ${message}` };
  return JSON.stringify({ error, id });
}

function idOf(value: unknown): RequestId {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  const isText = typeof id === "string" && id.length <= 64;
  return isText || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface StreamRequestParts {
  readonly connections: StreamConnections;
  readonly table: MarketTable;
  /** Counts the weight of opening streams; returns false if it exceeds the address's limit. */
  mayBegin(names: readonly StreamName[]): boolean;
  /** Opens a user data stream after calling `confirm`, or calls `refuse` with the reason. */
  openUserStream(
    listenKey: string,
    outcome: { confirm(): void; refuse(message: string): void },
  ): void;
  closeUserStream(): void;
}

/** Handles a client's frame. Returns the answer to send; it is empty if the answer was already sent or comes later. */
export function answerStreamRequest(
  text: string,
  connection: StreamConnection,
  parts: StreamRequestParts,
): string {
  const { connections, table } = parts;
  const value = parsed(text);
  const id = idOf(value);
  const read = streamRequest.safeParse(value);
  if (!read.success) {
    const where = String(read.error.issues[0]?.path[0] ?? "not a JSON object");
    return refusal(id, where);
  }
  const { method, params = [] } = read.data;
  if (method === "LIST_SUBSCRIPTIONS") {
    const names = [...connection.streams.values()].map(({ requested }) => requested);
    const { listenKey } = connection;
    return JSON.stringify({ result: listenKey === null ? names : [...names, listenKey], id });
  }
  const [listenKey = null, ...moreKeys] = new Set(params.filter(isListenKey));
  const requested = params.filter((name) => !isListenKey(name));
  const isKeyAlone = listenKey !== null && requested.length === 0;
  const { names, fault } = isKeyAlone
    ? { names: [], fault: "" }
    : checked(requested, table, connection);
  if (fault !== "") return refusal(id, fault);
  if (method === "UNSUBSCRIBE") {
    for (const name of names) connections.unsubscribe(connection, name);
    if (listenKey !== null && listenKey === connection.listenKey) parts.closeUserStream();
    return JSON.stringify({ result: null, id });
  }
  if (moreKeys.length > 0) return refusal(id, severalListenKeys);
  return begin({ id, names, listenKey }, connection, parts);
}

interface Beginning {
  readonly id: RequestId;
  readonly names: readonly StreamName[];
  readonly listenKey: string | null;
}

function begin(
  { id, names, listenKey }: Beginning,
  connection: StreamConnection,
  { connections, mayBegin, openUserStream }: StreamRequestParts,
): string {
  const topics = new Set(names.map((name) => topicOf(name, connection)));
  for (const topic of connection.streams.keys()) topics.add(topic);
  if (topics.size > streamsPerConnectionMax) {
    return refusal(id, `too many streams: ${topics.size}, at most ${streamsPerConnectionMax}`);
  }
  const isNewKey = listenKey !== null && listenKey !== connection.listenKey;
  if (isNewKey && connection.listenKey !== null) return refusal(id, severalListenKeys);
  const fresh = names.filter((name) => !connection.streams.has(topicOf(name, connection)));
  if (!mayBegin(fresh)) return refusal(id, "too many requests, try again in the next minute");
  // The answer is sent before the first frame of the stream that it confirms.
  const confirm = () => {
    connection.send(JSON.stringify({ result: null, id }));
    for (const name of names) connections.subscribe(connection, name);
  };
  const refuse = (message: string) => connection.send(refusal(id, message));
  if (isNewKey) openUserStream(listenKey, { confirm, refuse });
  else confirm();
  return "";
}
