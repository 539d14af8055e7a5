// Where the links of a document lead in the portal: documents to their pages, the two machine-readable
// references to the routes that serve them, other files to copies of them, and the address that documents
// name as the venue's to the venue that serves the page. A folder is no link.

import { posix } from "node:path";
import { addressOf, fileAddressOf } from "./portal-map.ts";
import { isFile } from "./project-tree.ts";

const routes: Readonly<Record<string, string>> = {
  "docs/reference/openapi.json": "/openapi.json",
  "docs/reference/asyncapi.json": "/asyncapi.json",
};

/** Where the documents' venue listens; the one that serves the page may do so elsewhere. */
const writtenVenue = /^http:\/\/127\.0\.0\.1:8080(?=\/)/;

export class PortalLinks {
  readonly #documents: ReadonlySet<string>;
  /** Files that documents link to, which must be copied. */
  readonly files = new Set<string>();

  constructor(documents: Iterable<string>) {
    this.#documents = new Set(documents);
  }

  /** The address of `target` as the document at `path` names it; null where it is no page or file. */
  resolve(path: string, target: string): string | null {
    if (writtenVenue.test(target)) return target.replace(writtenVenue, "");
    if (/^[a-z]+:/.test(target) || /^[#/]/.test(target)) return target;
    const [place = "", fragment] = target.split("#");
    const found = posix.join(posix.dirname(path), place).replace(/\/$/, "");
    const address = this.#addressOf(found);
    return address === null || fragment === undefined ? address : `${address}#${fragment}`;
  }

  #addressOf(found: string): string | null {
    if (this.#documents.has(found)) return addressOf(found);
    const overview = posix.join(found, "README.md");
    if (this.#documents.has(overview)) return addressOf(overview);
    const route = routes[found];
    if (route !== undefined) return route;
    if (!isFile(found)) return null;
    this.files.add(found);
    return fileAddressOf(found);
  }
}
