// Renders a document of the project as a page: Markdown through marked, links resolved to portal addresses, and the
// heading ids that links within the project use.

import { Marked, Renderer, type Token, type Tokens } from "marked";
import { addressOf, type PortalLinks } from "./portal-map.ts";
import {
  codeBlock,
  escaped,
  type Heading,
  type PortalPage,
  type Row,
  scrolled,
} from "./portal-page.ts";

/** Length of summaries, and of the text of table rows in the search. */
const wordsMax = 180;
/** Length of a section's text in the search. */
const sectionMax = 1_500;

/** Returns the plain text of the tokens and of everything below them. */
function plain(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) => {
      if (token.type === "html") return "";
      if (token.type === "table") return "";
      const { tokens: below, text = "" } = token as { tokens?: Token[]; text?: string };
      return below === undefined ? text : plain(below);
    })
    .join("");
}

/** Returns the id that code hosting sites give a heading, so that links written for those sites work here too. */
function nameOf(title: string, taken: Map<string, number>): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-");
  const times = taken.get(name) ?? 0;
  taken.set(name, times + 1);
  return times === 0 ? name : `${name}-${times}`;
}

interface Section {
  readonly heading: Tokens.Heading;
  readonly shown: Heading;
}

/** Returns the rows of all tables among the tokens. The title of a row is its first cell. */
function rowsOf(tokens: readonly Token[]): Row[] {
  const tables = tokens.filter(({ type }) => type === "table") as Tokens.Table[];
  return tables.flatMap(({ rows }) =>
    rows.map((cells) => {
      const [title = "", ...rest] = cells.map((cell) => plain(cell.tokens));
      return { title, words: rest.join(" · ").slice(0, wordsMax) };
    }),
  );
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const taken = new Map<string, number>();
  return tokens.flatMap((token, at) => {
    if (token.type !== "heading") return [];
    const heading = token as Tokens.Heading;
    const title = plain(heading.tokens);
    const rest = tokens.slice(at + 1);
    const end = rest.findIndex(({ type }) => type === "heading");
    const under = rest.slice(0, end < 0 ? rest.length : end);
    const prose = under.filter(({ type }) => type === "paragraph" || type === "list");
    const words = prose
      .map((part) => plain([part]))
      .join(" ")
      .slice(0, sectionMax);
    const { depth } = heading;
    const shown = { id: nameOf(title, taken), depth, title, words, rows: rowsOf(under) };
    return [{ heading, shown }];
  });
}

class DocumentRenderer extends Renderer {
  readonly #path: string;
  readonly #links: PortalLinks;
  readonly #ids: ReadonlyMap<Tokens.Heading, string>;

  constructor(path: string, links: PortalLinks, sections: readonly Section[]) {
    super();
    this.#path = path;
    this.#links = links;
    this.#ids = new Map(sections.map(({ heading, shown }) => [heading, shown.id]));
  }

  override heading(token: Tokens.Heading): string {
    if (token.depth === 1) return "";
    const id = this.#ids.get(token) ?? "";
    const words = this.parser.parseInline(token.tokens);
    return `<h${token.depth} id="${id}"><a href="#${id}">${words}</a></h${token.depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const words = this.parser.parseInline(tokens);
    const address = this.#links.resolve(this.#path, href);
    if (address === null) return words;
    const isElsewhere = /^[a-z]+:/.test(address);
    return `<a href="${escaped(address)}"${isElsewhere ? ' rel="noopener noreferrer"' : ""}>${words}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const address = this.#links.resolve(this.#path, href) ?? "";
    return `<img src="${escaped(address)}" alt="${escaped(text)}" loading="lazy">`;
  }

  override code({ text }: Tokens.Code): string {
    return codeBlock(text);
  }

  /** A table whose rows a narrow screen shows as lists: each value beside the name of its column. Spec DOC-21. */
  override table({ header, rows }: Tokens.Table): string {
    const names = header.map(({ tokens }) => escaped(plain(tokens)));
    const body = rows.map((cells) => {
      const values = cells.map((cell, at) => {
        const name = names[at] ?? "";
        return `<td role="cell" data-name="${name}">${this.parser.parseInline(cell.tokens)}</td>`;
      });
      return `<tr role="row">${values.join("")}</tr>\n`;
    });
    const head = `<tr>${header.map((cell) => this.tablecell(cell)).join("")}</tr>`;
    return scrolled(
      `<table class="listed" role="table"><thead>${head}</thead><tbody>\n${body.join("")}</tbody></table>`,
    );
  }

  override tablecell(token: Tokens.TableCell): string {
    // A screen reader would announce an empty heading cell.
    return super.tablecell(token.text === "" ? { ...token, header: false } : token);
  }
}

/** Returns the first sentence. A text without an end of a sentence is shortened to fit a list. */
function saysOf(section: string): string {
  const words = section.slice(0, wordsMax);
  const sentence = /^[\s\S]*?\.(?=\s|$)/.exec(words)?.[0];
  return (sentence ?? (words.length < wordsMax ? words : `${words.trim()}…`)).replace(/\s+/g, " ");
}

/** The page of the document at `path`. */
export function documentPage(path: string, text: string, links: PortalLinks): PortalPage {
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const sections = sectionsOf(tokens);
  const renderer = new DocumentRenderer(path, links, sections);
  const [first] = sections;
  // A document without an introduction is summarised by its first section.
  const words = sections.find(({ shown }) => shown.words !== "")?.shown.words ?? "";
  return {
    address: addressOf(path),
    title: first?.shown.title ?? path,
    says: saysOf(words),
    rows: first?.shown.rows ?? [],
    headings: sections.slice(1).map(({ shown }) => shown),
    html: marked.parser(tokens, { renderer }),
  };
}

/** The Markdown of the document, with links resolved to portal addresses. */
export function documentText(path: string, text: string, links: PortalLinks): string {
  return text.replace(/\]\(([^)\s]+)\)/g, (whole, target: string) => {
    const address = links.resolve(path, target);
    return address === null ? whole : `](${address})`;
  });
}
