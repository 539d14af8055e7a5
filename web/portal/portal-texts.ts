// What programs read of the portal: the index that the page's search looks through, and llms.txt, the list of
// documents as plain text.

import { addressOf, groups, made, textAddressOf } from "./portal-map.ts";
import type { PortalPage, Row } from "./portal-page.ts";

/** One place that the search can find, in short names because the index is sent whole. */
interface Found {
  /** Address, with the heading. */
  readonly a: string;
  readonly page: string;
  readonly title: string;
  readonly words: string;
}

function rowsAt(a: string, page: string, rows: readonly Row[] = []): Found[] {
  return rows.filter(({ title }) => title !== "").map((row) => ({ a, page, ...row }));
}

/** The index of all pages, their headings and what their tables list. */
export function searchIndex(pages: Iterable<PortalPage>): string {
  const found = [...pages].flatMap(({ address, title: page, says, headings, rows }): Found[] => [
    { a: address, page, title: page, words: says },
    ...rowsAt(address, page, rows),
    ...headings.flatMap(({ id, title, words, rows: below }) => [
      { a: `${address}#${id}`, page, title, words },
      ...rowsAt(`${address}#${id}`, page, below),
    ]),
  ]);
  return JSON.stringify(found);
}

const head = `# Rialto

> A trading venue: spot and perpetual order books behind Binance-style REST APIs and streams, durable before
> acknowledged, with public proofs of everything it recorded.

The routes are described by [OpenAPI](/openapi.json), the streams by [AsyncAPI](/asyncapi.json). Every
document below is Markdown.
`;

/** The list of documents, as llmstxt.org describes it. */
export function llmsText(pages: ReadonlyMap<string, PortalPage>): string {
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
