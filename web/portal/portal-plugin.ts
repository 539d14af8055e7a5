// Writes the portal after the bundler has finished: every document and reference page in the bundled template, the
// plain texts, linked files, the search index and llms.txt.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { documentPage, documentText } from "./document-page.ts";
import {
  addressOf,
  bytesOf,
  documentPaths,
  fileAddressOf,
  groups,
  made,
  PortalLinks,
  textAddressOf,
  textOf,
} from "./portal-map.ts";
import { framed, overviewPage, type PortalPage, type Row, unknownPage } from "./portal-page.ts";
import { type OpenApi, restReference } from "./rest-reference.ts";
import { type AsyncApi, streamReference } from "./stream-reference.ts";

/** One search entry. Names are short because the page loads the index as a whole. */
interface Found {
  /** Address, with the fragment of the heading. */
  readonly a: string;
  readonly page: string;
  readonly title: string;
  readonly words: string;
}

function rowsAt(a: string, page: string, rows: readonly Row[] = []): Found[] {
  return rows.filter(({ title }) => title !== "").map((row) => ({ a, page, ...row }));
}

/**
 * Returns the index of all pages, their headings and table rows. Of two entries that fit equally well the search shows
 * the first, so headings come before rows: a route is found before tables that list it.
 */
function searchIndex(pages: Iterable<PortalPage>): string {
  const all = [...pages];
  const named = all.flatMap(({ address, title: page, says, headings }): Found[] => [
    { a: address, page, title: page, words: says },
    ...headings.map(({ id, title, words }) => ({ a: `${address}#${id}`, page, title, words })),
  ]);
  const listed = all.flatMap(({ address, title: page, headings, rows }) => [
    ...rowsAt(address, page, rows),
    ...headings.flatMap(({ id, rows: below }) => rowsAt(`${address}#${id}`, page, below)),
  ]);
  return JSON.stringify([...named, ...listed]);
}

const head = `# Rialto

> A trading venue: spot and perpetual order books behind Binance-style REST APIs and streams, durable before
> acknowledged, with public proofs of everything it recorded.

The routes are described by [OpenAPI](/openapi.json), the streams by [AsyncAPI](/asyncapi.json). Every
document below is Markdown.
`;

/** Returns the list of documents in the format of llmstxt.org. */
function llmsText(pages: ReadonlyMap<string, PortalPage>): string {
  const isMade = new Set<string>(Object.values(made));
  const sections = groups.map(({ title, paths }) => {
    const lines = paths
      .filter((path) => !isMade.has(path))
      .map((path) => {
        const page = pages.get(addressOf(path));
        return `- [${page?.title}](${textAddressOf(path)}): ${page?.says}`;
      });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `${head}\n${sections.join("\n")}`;
}

function madePages(): PortalPage[] {
  const openApi = JSON.parse(textOf("dist/reference/openapi.json")) as OpenApi;
  const asyncApi = JSON.parse(textOf("dist/reference/asyncapi.json")) as AsyncApi;
  return [...restReference(openApi), streamReference(asyncApi)];
}

/** The files of the portal by address, without those that the bundler writes. */
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
    ["/404.html", framed(template, unknownPage, pages)],
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
