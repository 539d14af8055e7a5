// The clients under test, each with the surfaces it uses, the guide's code block that creates it, and the session it
// runs. Root and compat are two views of one venue; each entry lists the views that its client is tested with.

import type { ClientDialect } from "./binance-routes.ts";
import * as dialects from "./dialects.ts";
import type { PerpRoute } from "./perp-round-trip.ts";
import type { SpotRoute } from "./spot-round-trip.ts";

export type View = "root" | "compat";

interface SubjectParts {
  /** The package's name, as in package.json. */
  readonly client: string;
  /** Names of the guide's code blocks that create the client with an HMAC key and with an Ed25519 key. */
  readonly hmac: string;
  readonly ed25519: string;
  readonly views: readonly View[];
  /** The client's error class by code, if it has classes for codes. */
  readonly errorClasses?: Readonly<Record<number, string>>;
}

export type Subject = SubjectParts &
  (
    | { readonly trip: "spot" | "ccxt-spot"; readonly dialect: ClientDialect<SpotRoute> }
    | { readonly trip: "perp" | "ccxt-usdm"; readonly dialect: ClientDialect<PerpRoute> }
  );

const both: readonly View[] = ["root", "compat"];

export const subjects: Readonly<Record<string, Subject>> = {
  "ccxt-spot": {
    client: "ccxt",
    hmac: "ccxt-spot",
    ed25519: "ccxt-spot",
    views: both,
    trip: "ccxt-spot",
    dialect: dialects.ccxtSpot,
    errorClasses: dialects.ccxtErrorClasses,
  },
  "binance-spot": {
    client: "binance",
    hmac: "binance-spot",
    ed25519: "binance-spot",
    views: both,
    trip: "spot",
    dialect: dialects.binanceSpot,
  },
  connector: {
    client: "@binance/connector",
    hmac: "connector-hmac",
    ed25519: "connector-ed25519",
    views: both,
    trip: "spot",
    dialect: dialects.connectorSpot,
  },
  "typed-spot": {
    client: "@binance/spot",
    hmac: "typed-spot-hmac",
    ed25519: "typed-spot-ed25519",
    views: both,
    trip: "spot",
    dialect: dialects.typedSpot,
    errorClasses: dialects.typedErrorClasses,
  },
  "api-node-spot": {
    client: "binance-api-node",
    hmac: "api-node-hmac",
    ed25519: "api-node-ed25519",
    views: both,
    trip: "spot",
    dialect: dialects.apiNodeSpot,
  },
  "ccxt-usdm": {
    client: "ccxt",
    hmac: "ccxt-usdm",
    ed25519: "ccxt-usdm",
    views: ["compat"],
    trip: "ccxt-usdm",
    dialect: dialects.ccxtPerp,
    errorClasses: dialects.ccxtErrorClasses,
  },
  "binance-usdm": {
    client: "binance",
    hmac: "binance-usdm",
    ed25519: "binance-usdm",
    views: both,
    trip: "perp",
    dialect: dialects.binancePerp,
  },
  "typed-usdm": {
    client: "@binance/derivatives-trading-usds-futures",
    hmac: "typed-usdm-hmac",
    ed25519: "typed-usdm-ed25519",
    views: both,
    trip: "perp",
    dialect: dialects.typedPerp,
    errorClasses: dialects.typedErrorClasses,
  },
  "api-node-usdm": {
    client: "binance-api-node",
    hmac: "api-node-hmac",
    ed25519: "api-node-ed25519",
    views: both,
    trip: "perp",
    dialect: dialects.apiNodePerp,
  },
};
