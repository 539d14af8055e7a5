// Serves the terminal, the documentation and their assets. Each file is a separate route of the server, so that serving
// them does not slow down other requests. The pages load content from the venue only and connect only to it. The
// operations page is served only to clients that may read metrics.

import type * as uWS from "uWebSockets.js";
import { keptOpen } from "../server/http-call.ts";
import { pageHeaders } from "../server/page-headers.ts";
import type { BuiltFile } from "./built-files.ts";

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
    for (const [name, value] of pageHeaders) response.writeHeader(name, value);
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
/** The page that is shown where there is none. */
const unknownPage = "/404";

/** The text of the page for unknown paths; null if the venue was built without pages. */
export function unknownPageOf(files: readonly BuiltFile[]): Buffer | null {
  return files.find(({ path }) => path === unknownPage)?.bytes ?? null;
}

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

/** Answers OPTIONS of a file's path. Spec HTP-5. */
function listMethods(response: uWS.HttpResponse): void {
  response.cork(() => {
    response.writeStatus("204 No Content");
    response.writeHeader("Allow", "GET, HEAD, OPTIONS");
    response.writeHeader(...keptOpen);
    response.endWithoutBody();
  });
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
    if (file.path === unknownPage) continue;
    const take = (hasBody: boolean) => (response: uWS.HttpResponse, request: uWS.HttpRequest) => {
      if (file.path === operatorsPage && !isOperator(response, request)) refuse(response);
      else answer(response, request, file, hasBody);
    };
    app.get(file.path, take(true));
    app.head(file.path, take(false)).options(file.path, listMethods);
    const isPage = file.type.startsWith("text/html") && !file.path.endsWith("/");
    if (isPage)
      app.get(`${file.path}/`, leadTo(file.path)).head(`${file.path}/`, leadTo(file.path));
  }
}
