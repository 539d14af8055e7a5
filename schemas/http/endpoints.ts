// What every route takes, by "<METHOD> <path>" as documented: the very schemas that read requests,
// with one sentence for people. The OpenAPI document and the generator of malformed requests come
// from this table, and a test holds it to the routes that are mounted.

import { noParameters } from "./common.ts";
import type { Endpoint } from "./endpoint.ts";
import { fapiEndpoints } from "./fapi-endpoints.ts";
import { sapiEndpoints } from "./sapi-endpoints.ts";
import { spotEndpoints } from "./spot-endpoints.ts";

const start = "Asked by ccxt while it loads markets: nothing of the kind here.";

/** Every endpoint of the Binance-style surfaces and the document that describes them. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...spotEndpoints,
  ...fapiEndpoints,
  ...sapiEndpoints,
  "GET /dapi/v1/exchangeInfo": { parameters: noParameters, says: start },
  "GET /openapi.json": { parameters: noParameters, says: "This document." },
  "GET /asyncapi.json": {
    parameters: noParameters,
    says: "The same for what is streamed, as AsyncAPI.",
  },
};
