// Baseline for signed answers: a bare uWebSockets.js server that checks an HMAC-SHA256 over the query of a POST and
// answers with as many bytes as an order's acknowledgement. The server parses nothing, keeps no state and stores
// nothing. The venue's throughput is reported as a share of this server's throughput.
//
//   POST /api/v3/order   signed with `secret`; answers 150 bytes
//   GET  /signed         signed with the secret of the caller's API key; answers `body`
//   GET  /public         not signed; answers `body`

import * as uWS from "uWebSockets.js";
import { createHmac } from "node:crypto";

export interface EchoOptions {
  /** HMAC secret of every POST. */
  readonly secret: string;
  /** API keys with their secrets, for signed GETs: each request needs a key lookup, as on any venue. */
  readonly keys?: readonly (readonly [key: string, secret: string])[];
  /** Body of the answers to GET /signed and GET /public. */
  readonly body: string;
}

const acknowledgement = JSON.stringify({
  symbol: "CC-USDC",
  orderId: 1234567,
  orderListId: -1,
  clientOrderId: "o-00000000000001234567",
  transactTime: 1790000001000,
  status: "NEW",
  side: "BUY",
  fills: [],
});

const signatureField = "&signature=";

/** Starts the server on a free loopback port, which the function returns. */
export function startEcho({ secret, body, keys = [] }: EchoOptions): Promise<number> {
  const app = uWS.App();
  const secrets = new Map(keys);
  app.post("/api/v3/order", (response, request) => {
    answer(response, isSigned(request.getQuery(), secret) ? acknowledgement : null);
  });
  app.get("/signed", (response, request) => {
    const own = secrets.get(request.getHeader("x-mbx-apikey"));
    const isBelieved = own !== undefined && isSigned(request.getQuery(), own);
    answer(response, isBelieved ? body : null);
  });
  app.get("/public", (response) => answer(response, body));
  return listen(app);
}

/** Starts listening on a free loopback port, which the function returns. */
export function listen(app: uWS.TemplatedApp): Promise<number> {
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket) resolve(uWS.us_socket_local_port(socket));
      else reject(new Error("the echo server found no port"));
    });
  });
}

/** True if the query ends in a signature field whose value is the HMAC-SHA256 of all text before the field. */
export function isSigned(query: string, secret: string): boolean {
  const at = query.lastIndexOf(signatureField);
  if (at < 0) return false;
  const expected = createHmac("sha256", secret).update(query.slice(0, at)).digest("hex");
  return expected === query.slice(at + signatureField.length);
}

function answer(response: uWS.HttpResponse, body: string | null): void {
  response.cork(() => {
    if (body === null) response.writeStatus("401 Unauthorized");
    response.writeHeader("content-type", "application/json").end(body ?? "{}");
  });
}
