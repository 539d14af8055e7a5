// Creates, extends and ends listen keys, in the compat view only, because the root view has no user data streams.
// Requests carry only the API key, as on Binance. All of them may be repeated: a second new key is returned instead of
// the first, and to extend or end a key twice changes nothing.

import { listenKeyQuery, maybeListenKey } from "../../../../../schemas/streams/requests.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { type Caller, keyRoute, routeGroup } from "../../requests/route.ts";
import { refused, unknownListenKey } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import type { ListenKeys } from "./listen-keys.ts";

/** Makes the handler that returns a listen key: the live key of the same API key, which it extends, or a new one. */
function made(surface: MarketKind) {
  return async (keys: ListenKeys, _: HttpCall, __: unknown, { account, keyId }: Caller) =>
    JSON.stringify({ listenKey: await keys.make({ account, surface }, keyId) });
}

function extended(surface: MarketKind) {
  return async (keys: ListenKeys, _: HttpCall, params: ListenKeyParams, { account }: Caller) => {
    const isLive = await keys.extend({ account, surface }, params.listenKey);
    return isLive ? "{}" : refused(unknownListenKey);
  };
}

function ended(surface: MarketKind) {
  return async (keys: ListenKeys, _: HttpCall, params: ListenKeyParams, { account }: Caller) => {
    await keys.end({ account, surface }, params.listenKey);
    return "{}";
  };
}

interface ListenKeyParams {
  readonly listenKey?: string | undefined;
}

const { spot, perpetual } = MarketKind;

export const listenKeyRoutes = routeGroup(({ listenKeys }) => listenKeys)([
  keyRoute("POST /api/v3/userDataStream", {
    summary: "Creates a listen key: it gives access to the account's stream for an hour.",
    session: "userDataStream.start",
    onlyIn: "compat",
    isRetired: true,
    isRepeatable: true,
    answer: made(spot),
  }),
  keyRoute("PUT /api/v3/userDataStream", {
    summary: "Extends a listen key to an hour from now.",
    reads: listenKeyQuery,
    session: "userDataStream.ping",
    example: "listenKey=$(keyed POST /compat/api/v3/userDataStream | field .listenKey)",
    onlyIn: "compat",
    isRetired: true,
    isRepeatable: true,
    answer: extended(spot),
  }),
  keyRoute("DELETE /api/v3/userDataStream", {
    summary: "Ends a listen key.",
    reads: listenKeyQuery,
    session: "userDataStream.stop",
    example: "listenKey=$(keyed POST /compat/api/v3/userDataStream | field .listenKey)",
    onlyIn: "compat",
    isRetired: true,
    isRepeatable: true,
    answer: ended(spot),
  }),
  keyRoute("POST /fapi/v1/listenKey", {
    summary: "Creates a listen key: it gives access to the account's stream for an hour.",
    session: "userDataStream.start",
    onlyIn: "compat",
    isRepeatable: true,
    answer: made(perpetual),
  }),
  keyRoute("PUT /fapi/v1/listenKey", {
    summary: "Extends the account's listen keys to an hour from now.",
    reads: maybeListenKey,
    session: "userDataStream.ping",
    onlyIn: "compat",
    isRepeatable: true,
    answer: extended(perpetual),
  }),
  keyRoute("DELETE /fapi/v1/listenKey", {
    summary: "Ends the account's listen keys.",
    reads: maybeListenKey,
    session: "userDataStream.stop",
    onlyIn: "compat",
    isRepeatable: true,
    answer: ended(perpetual),
  }),
]);
