// The layout shared by all portal pages: the bundled template with title, link lists and article filled in, and helpers
// for the HTML of articles.

import { addressOf, groups } from "./portal-map.ts";

const forms: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Returns `text` escaped for an element or a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => forms[sign] ?? sign);
}

/** Returns a block of code that can be scrolled by keyboard. */
export function codeBlock(text: string): string {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
}

/** Returns `table` in a frame that can be scrolled by keyboard. */
export function scrolled(table: string): string {
  return `<div class="table" tabindex="0">${table}</div>\n`;
}

const contentsMax = 24;

type Pages = ReadonlyMap<string, PortalPage>;

function linkTo(page: PortalPage, current: string): string {
  const here = page.address === current ? ' aria-current="page"' : "";
  return `<li><a href="${page.address}"${here}>${escaped(page.title)}</a></li>`;
}

function placesOf(pages: Pages, current: string): string {
  return groups
    .map(({ title, paths }) => {
      const links = paths.map((path) => {
        const page = pages.get(addressOf(path));
        if (page === undefined) throw new Error(`the portal has no page for ${path}`);
        return linkTo(page, current);
      });
      return `<h2>${escaped(title)}</h2><ul>${links.join("")}</ul>`;
    })
    .join("\n");
}

function contentsOf({ headings }: PortalPage): string {
  const links = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`);
  // A page with more headings than `contentsMax` begins with its own list of contents.
  if (links.length < 2 || links.length > contentsMax) return "";
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join("")}</ul></nav>`;
}

/** The whole page as HTML. */
export function framed(template: string, page: PortalPage, pages: Pages): string {
  const parts: Readonly<Record<string, string>> = {
    title: escaped(page.title),
    says: escaped(page.says),
    places: placesOf(pages, page.address),
    contents: contentsOf(page),
    article: page.html,
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`the portal's template names an unknown part ${name}`);
    return part;
  });
}

/** The page at `/docs`: every group with its pages and their summaries. */
export function overviewPage(pages: Pages): PortalPage {
  const sections = groups.map(({ title, paths }) => {
    const items = paths.map((path) => {
      const page = pages.get(addressOf(path));
      return `<li><a href="${page?.address}">${escaped(page?.title ?? "")}</a> ${escaped(page?.says ?? "")}</li>`;
    });
    return `<h2 id="${title.toLowerCase().replaceAll(" ", "-")}">${title}</h2>\n<ul class="overview">${items.join("\n")}</ul>\n`;
  });
  const says = "How to trade on Rialto, how to run a venue, and what it guarantees.";
  return {
    address: "/docs",
    title: "Documentation",
    says,
    headings: [],
    html: `<p>${says} The same documents are available as plain text: <a href="/llms.txt">llms.txt</a>.</p>\n${sections.join("")}`,
  };
}

/** What a browser shows at an address of the venue that has no page. */
export const unknownPage: PortalPage = {
  address: "/404",
  title: "Page not found",
  says: "This venue has no page at this address.",
  headings: [],
  html: `<p>This venue has no page at this address. Search the documentation above, or go to:</p>
<ul><li><a href="/">the terminal</a></li><li><a href="/docs">the documentation</a></li><li><a href="/ops">the operations page</a></li></ul>
`,
};

/** A row of a table in a document, such as a setting, an error or a clause. */
export interface Row {
  readonly title: string;
  readonly words: string;
}

/** A heading of a page. */
export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  /** The beginning of the text under the heading, for the search. */
  readonly words: string;
  /** The rows of the tables under the heading. */
  readonly rows?: readonly Row[];
}

export interface PortalPage {
  readonly address: string;
  readonly title: string;
  /** One sentence that summarises the page. */
  readonly says: string;
  readonly headings: readonly Heading[];
  /** The rows of tables above the first heading. */
  readonly rows?: readonly Row[];
  /** The article without its title. */
  readonly html: string;
}
