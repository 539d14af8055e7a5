// Making, extending and ending listen keys, on the compat view only: the specification has no user
// data streams at root. Named by the API key alone, as Binance does.

import { listenKeyQuery, maybeListenKey } from "../../../../../schemas/streams/listen-key.ts";
import { MarketKind } from "../../../../core/markets.ts";
import type { Log } from "../../../../ports/log.ts";
import { endpointWeights } from "../../../../services/access/endpoint-weights.ts";
import { parameterReader } from "../../requests/read-parameters.ts";
import type { KeyRoute } from "../../requests/route.ts";
import {
  refuse,
  type SurfaceError,
  unexpected,
  unknownListenKey,
} from "../../requests/surface-error.ts";
import type { HttpCall, Method } from "../../server/http-call.ts";
import type { ListenKeys } from "./listen-keys.ts";

const readOne = parameterReader(listenKeyQuery);
const readMaybe = parameterReader(maybeListenKey);

type Answer = KeyRoute["answer"];

/** Answers when `work` is done; a fault of the database is the operator's, not the client's. */
function later(call: HttpCall, log: Log, work: Promise<string | SurfaceError>): void {
  work.then(
    (done) => (typeof done === "string" ? call.json(done) : refuse(call, done)),
    (fault: unknown) => {
      log.error({ fault, path: call.path }, "a listen key could not be written");
      refuse(call, unexpected);
    },
  );
}

export function listenKeyRoutes(keys: ListenKeys, log: Log): KeyRoute[] {
  const made =
    (surface: MarketKind): Answer =>
    (call, _parameters, { account, keyId }) => {
      const text = (listenKey: string) => JSON.stringify({ listenKey });
      later(call, log, keys.make({ account, surface }, keyId).then(text));
    };
  const changed =
    (surface: MarketKind, change: "extend" | "end"): Answer =>
    (call, parameters, { account }) => {
      const read = surface === MarketKind.spot ? readOne : readMaybe;
      const asked = read(call, parameters);
      if (asked === null) return;
      const work = keys[change]({ account, surface }, asked.listenKey);
      const isDone = work.then((done) => (done === false ? unknownListenKey : "{}"));
      later(call, log, isDone);
    };
  const routes = [
    ["/api/v3/userDataStream", MarketKind.spot],
    ["/fapi/v1/listenKey", MarketKind.perpetual],
  ] as const;
  return routes.flatMap(([path, surface]) => {
    const route = (method: Method & ("POST" | "PUT" | "DELETE"), answer: Answer): KeyRoute => {
      const weight = endpointWeights[`${method} ${path}`];
      return { method, path, onlyIn: "compat", security: "key", weight, answer };
    };
    return [
      route("POST", made(surface)),
      route("PUT", changed(surface, "extend")),
      route("DELETE", changed(surface, "end")),
    ];
  });
}
