// HTTP server of the development ledger: routes by method and path, JSON bodies, limits of size and time, loopback
// only. Refusals are rendered as a participant's errors. Any other error is answered as an internal error, and only the
// log has its message.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { LedgerRefusal } from "../ledger-refusal.ts";
import { LostAnswer } from "../submission-pipeline.ts";

export interface JsonCall {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Values of the route's `{name}` parameters. */
  readonly names: Readonly<Record<string, string>>;
  readonly authorization: string;
  readonly body: unknown;
}

type Answer = (call: JsonCall) => Promise<unknown> | unknown;

export interface JsonRoute {
  readonly method: string;
  readonly path: string;
  readonly answer: Answer;
}

/** Defines a route such as `GET /v2/parties/{party}` with its handler. */
export function route(line: `${"GET" | "POST" | "DELETE"} /${string}`, answer: Answer): JsonRoute {
  const [method = "", path = ""] = line.split(" ");
  return { method, path, answer };
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

const loopback = "127.0.0.1";
const bodyBytesMax = 8 * 2 ** 20;
const requestTimeoutMs = 60_000;

interface CompiledRoute extends JsonRoute {
  readonly pattern: RegExp;
}

/** Starts listening on `port`; 0 picks a free one. */
export function serveJson(
  routes: readonly JsonRoute[],
  port: number,
  onFault: (error: unknown) => void,
): Promise<RunningServer> {
  const compiled = routes.map((route) => ({ ...route, pattern: patternOf(route.path) }));
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    answer(compiled, request, response).catch((error: unknown) => {
      if (!(error instanceof LostAnswer)) onFault(error);
      request.socket.destroy();
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : 0;
      resolve({ port: bound, close: () => closed(server) });
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

async function answer(
  routes: readonly CompiledRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://ledger");
    const found = routes.find(
      ({ method, pattern }) => method === request.method && pattern.test(url.pathname),
    );
    const text = await bodyOf(request);
    if (found === undefined) throw new LedgerRefusal("NOT_FOUND", `no route ${url.pathname}`);
    const groups = found.pattern.exec(url.pathname)?.groups ?? {};
    const names = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]);
    const result = await found.answer({
      path: url.pathname,
      query: url.searchParams,
      names: Object.fromEntries(names),
      authorization: request.headers.authorization ?? "",
      body: parsed(text),
    });
    send(response, 200, result ?? {});
  } catch (error) {
    if (error instanceof MalformedBody || error instanceof URIError) {
      response.writeHead(400, { "content-type": "text/plain" }).end(error.message);
      return;
    }
    if (!(error instanceof LedgerRefusal)) throw error;
    send(response, error.status, error.body());
  }
}

class MalformedBody extends Error {
  override name = "MalformedBody";
}

function parsed(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedBody("the request body is not JSON");
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new MalformedBody("the request body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}
