// Writes the portal after the bundler has finished: every document and reference page in the bundled template, the
// plain texts, linked files, the search index and llms.txt.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import type { Found } from "../src/portal/search.ts";
import { documentPage, documentText } from "./document-page.ts";
import {
  addressOf,
  bytesOf,
  designWeight,
  documentPaths,
  fileAddressOf,
  groups,
  made,
  PortalLinks,
  textAddressOf,
  textOf,
  weightOf,
} from "./portal-map.ts";
import { framed, overviewPage, type PortalPage, type Row, unknownPage } from "./portal-page.ts";
import { type OpenApi, restReference, type SampleAnswers } from "./rest-reference.ts";
import { type AsyncApi, streamReference } from "./stream-reference.ts";

/** What a whole page weighs more than its headings. */
const pageWeight = 2;

/** The text of pages about the design is indexed only to this length, which keeps the index small. */
const designWordsMax = 180;

/** Returns the entries of a table's rows, which weigh half as much as a heading. */
function rowsAt(page: Omit<Found, "title" | "words">, rows: readonly Row[] = []): Found[] {
  const titled = rows.filter(({ title }) => title !== "");
  return titled.map((row) => ({ ...page, ...row, w: page.w / 2 }));
}

/** Returns the entries of a page: its headings, and the rows of its tables. */
function entriesOf({ address, title: page, says, headings, rows }: PortalPage): Found[][] {
  const w = weightOf(address);
  const at = (id: string) => ({ a: id === "" ? address : `${address}#${id}`, page, w });
  const named = headings.map(({ id, title, words }) => ({
    ...at(id),
    title,
    words: w > designWeight ? words : words.slice(0, designWordsMax),
  }));
  const listed = headings.flatMap(({ id, rows: below }) => rowsAt(at(id), below));
  return [
    [{ ...at(""), title: page, words: says, w: w + pageWeight }, ...named],
    [...rowsAt(at(""), rows), ...listed],
  ];
}

/**
 * Returns the index of all pages, their headings and table rows. Of two entries that fit equally well the search shows
 * the first, so headings come before rows: a route is found before tables that list it.
 */
function searchIndex(pages: Iterable<PortalPage>): string {
  const all = [...pages].map(entriesOf);
  return JSON.stringify([0, 1].flatMap((kind) => all.flatMap((parts) => parts[kind] ?? [])));
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

/** The recorded answers of venues without a ledger and with one, which say more about the same routes. */
function sampleAnswers(): SampleAnswers {
  const files = ["sample-answers.json", "ledger-sample-answers.json"];
  const read = files.map((file): object => JSON.parse(textOf(`schemas/http/generated/${file}`)));
  return Object.assign({}, ...read) as SampleAnswers;
}

function madePages(): PortalPage[] {
  const openApi = JSON.parse(textOf("dist/reference/openapi.json")) as OpenApi;
  const asyncApi = JSON.parse(textOf("dist/reference/asyncapi.json")) as AsyncApi;
  return [...restReference(openApi, sampleAnswers()), streamReference(asyncApi)];
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
