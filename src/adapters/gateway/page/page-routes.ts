// Serves the terminal, the documentation and their assets. Each file is a separate route of the server, so that serving
// them does not slow down other requests. The pages load content from the venue only and connect only to it. The
// operations page is served only to clients that may read metrics.

import type * as uWS from "uWebSockets.js";
import { keptOpen } from "../server/http-call.ts";
import type { BuiltFile } from "./built-files.ts";

/** Content security policy: no content from other origins, no inline scripts or styles, no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const safety: ReadonlyArray<readonly [name: string, value: string]> = [
  ["Content-Security-Policy", policy],
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
];

function isKnown(request: uWS.HttpRequest, { etag }: BuiltFile): boolean {
  const tags = request.getHeader("if-none-match").split(",");
  return tags.some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

function takesBrotli(request: uWS.HttpRequest): boolean {
  const forms = request.getHeader("accept-encoding").split(",");
  return forms.some((form) => /^\s*br\s*(;\s*q=(1|0\.\d*[1-9]\d*))?\s*$/.test(form));
}

function answer(
  response: uWS.HttpResponse,
  request: uWS.HttpRequest,
  file: BuiltFile,
  hasBody: boolean,
): void {
  const known = isKnown(request, file);
  const compressed = takesBrotli(request) ? file.brotli : null;
  const bytes = compressed ?? file.bytes;
  response.cork(() => {
    response.writeStatus(known ? "304 Not Modified" : "200 OK");
    response.writeHeader("Content-Type", file.type);
    response.writeHeader("ETag", file.etag);
    response.writeHeader("Cache-Control", file.caching);
    response.writeHeader("Vary", "Accept-Encoding");
    for (const [name, value] of safety) response.writeHeader(name, value);
    response.writeHeader(...keptOpen);
    if (compressed !== null) response.writeHeader("Content-Encoding", "br");
    if (hasBody && !known) {
      response.end(bytes);
      return;
    }
    // An answer to HEAD has a length but no body. endWithoutBody() completes it; otherwise the server would treat the
    // request as unanswered.
    if (!known) response.writeHeader("Content-Length", `${bytes.byteLength}`);
    response.endWithoutBody();
  });
}

/** Returns whether a request comes from an operator's network. */
export type FromOperator = (response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean;

const operatorsPage = "/ops";

/** Handler that redirects a path with a trailing slash to the page's path, which has none. */
function leadTo(path: string): (response: uWS.HttpResponse) => void {
  return (response) => {
    response.cork(() => {
      response.writeStatus("308 Permanent Redirect");
      response.writeHeader("Location", path);
      response.writeHeader(...keptOpen);
      response.end();
    });
  };
}

function refuse(response: uWS.HttpResponse): void {
  response.cork(() => {
    response.writeStatus("403 Forbidden");
    response.writeHeader("Content-Type", "text/plain; charset=utf-8");
    response.writeHeader(...keptOpen);
    response.end("the operations page is available only from trusted networks");
  });
}

/** Mounts the files on a server, before it listens. */
export function servePages(
  app: uWS.TemplatedApp,
  files: readonly BuiltFile[],
  isOperator: FromOperator,
): void {
  for (const file of files) {
    const take = (hasBody: boolean) => (response: uWS.HttpResponse, request: uWS.HttpRequest) => {
      if (file.path === operatorsPage && !isOperator(response, request)) refuse(response);
      else answer(response, request, file, hasBody);
    };
    app.get(file.path, take(true));
    app.head(file.path, take(false));
    const isPage = file.type.startsWith("text/html") && !file.path.endsWith("/");
    if (isPage)
      app.get(`${file.path}/`, leadTo(file.path)).head(`${file.path}/`, leadTo(file.path));
  }
}
