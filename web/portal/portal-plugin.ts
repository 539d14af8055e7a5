// Writes the portal when the bundler is done: every document and reference as a page in the bundled template,
// the same as plain text, the files they link to, the index of the search and llms.txt.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { documentPage, documentText } from "./document-page.ts";
import { framed, overviewPage } from "./page-frame.ts";
import { PortalLinks } from "./portal-links.ts";
import { fileAddressOf, textAddressOf } from "./portal-map.ts";
import type { PortalPage } from "./portal-page.ts";
import { llmsText, searchIndex } from "./portal-texts.ts";
import { bytesOf, documentPaths, textOf } from "./project-tree.ts";
import { type OpenApi, restReference } from "./rest-reference.ts";
import { type AsyncApi, streamReference } from "./stream-reference.ts";

function madePages(): PortalPage[] {
  const openApi = JSON.parse(textOf("docs/reference/openapi.json")) as OpenApi;
  const asyncApi = JSON.parse(textOf("docs/reference/asyncapi.json")) as AsyncApi;
  return [...restReference(openApi), streamReference(asyncApi)];
}

/** Everything the portal serves beside what the bundler made: what each address answers. */
function portalFiles(template: string): ReadonlyMap<string, string | Uint8Array> {
  const paths = documentPaths();
  const links = new PortalLinks(paths);
  const written = paths.map((path) => documentPage(path, textOf(path), links));
  const pages = new Map([...written, ...madePages()].map((page) => [page.address, page]));
  const overview = overviewPage(pages);
  const texts = paths.map(
    (path) => [textAddressOf(path), documentText(path, textOf(path), links)] as const,
  );
  return new Map<string, string | Uint8Array>([
    ...[overview, ...pages.values()].map(
      (page) => [`${page.address}.html`, framed(template, page, pages)] as const,
    ),
    ...texts,
    ...[...links.files].map((path) => [fileAddressOf(path), bytesOf(path)] as const),
    ["/docs/search.json", searchIndex(pages.values())],
    ["/llms.txt", llmsText(pages)],
  ]);
}

/** Turns the bundled `template` in `outDir` into the pages of the portal. */
export function portal(outDir: string, template: string): Plugin {
  return {
    name: "portal",
    closeBundle() {
      const place = join(outDir, template);
      const files = portalFiles(readFileSync(place, "utf8"));
      rmSync(place);
      for (const [address, content] of files) {
        const path = join(outDir, address);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
      }
    },
  };
}
