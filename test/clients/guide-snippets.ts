// Runs the code blocks of docs/guides/clients.md exactly as printed. A runnable block begins with ```js name=…; it
// is written next to the compiled tests, so that its imports find the installed packages. It reads address and keys
// from the environment, as a user would set them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blocksIn } from "../guides/document-blocks.ts";
import { projectRoot } from "../support/tidy/tree.ts";

export const guidePage = join(projectRoot, "docs/guides/clients.md");
const folder = join(projectRoot, "dist/test/clients/snippets");

/** The environment variables that a user of the guide sets. */
export interface SnippetSettings {
  readonly BASE: string;
  readonly KEY?: string;
  /** The secret of an HMAC key, or the private key of an Ed25519 key as PEM text. */
  readonly SECRET?: string;
}

/** Returns the names of all runnable blocks, in the order of the guide. */
export function snippetNames(): string[] {
  return [...blocks().keys()];
}

let imports = 0;

/** Runs the block of this name as a new module and returns its exports. */
export async function runSnippet(
  name: string,
  settings: SnippetSettings,
): Promise<Readonly<Record<string, unknown>>> {
  const text = blocks().get(name);
  if (text === undefined) throw new Error(`docs/guides/clients.md has no block ${name}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  for (const variable of ["BASE", "KEY", "SECRET"]) delete process.env[variable];
  Object.assign(process.env, settings);
  imports++;
  // The query differs each time, so that the import loads a new module instead of the cached one.
  return import(`${pathToFileURL(file).href}?run=${imports}`);
}

function blocks(): Map<string, string> {
  const found = blocksIn("docs/guides/clients.md", "js");
  return new Map(found.flatMap(({ name, text }) => (name === null ? [] : [[name, text]])));
}
