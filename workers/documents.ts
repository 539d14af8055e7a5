// Writes the documents that describe routes and streams to a given folder, for the pages that show them. A venue with
// development tools serves the same texts. Unchanged files are not rewritten.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../src/adapters/gateway/requests/openapi.ts";
import { documentText, routesOf } from "../src/adapters/gateway/routes.ts";
import { asyncApiDocument } from "../src/adapters/gateway/streams/asyncapi.ts";

const [, , folder = ""] = process.argv;

function hasText(path: string, text: string): boolean {
  try {
    return readFileSync(path, "utf8") === text;
  } catch {
    return false;
  }
}

const documents = { openapi: openApiDocument(routesOf(true)), asyncapi: asyncApiDocument() };

mkdirSync(folder, { recursive: true });
for (const [name, document] of Object.entries(documents)) {
  const path = join(folder, `${name}.json`);
  const text = documentText(document);
  if (!hasText(path, text)) writeFileSync(path, text);
}
