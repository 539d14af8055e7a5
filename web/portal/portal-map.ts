// The documents of the project, the headings under which the portal lists them, and the targets of links. A document
// that is not listed here still has a page, which links lead to.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** A heading of the portal, and the documents under it by their path in the project. */
interface Group {
  readonly title: string;
  /** How much its pages matter to the search: 2 (design) to 8 (guides, reference). */
  readonly weight: number;
  readonly paths: readonly string[];
}

/** Generated pages. No file of the project exists at their paths. */
export const made = {
  spot: "rest/spot",
  perpetuals: "rest/perpetuals",
  native: "rest/native",
  others: "rest/others",
  streams: "streams",
} as const;

export const groups: readonly Group[] = [
  {
    title: "Get started",
    weight: 8,
    paths: [
      "README.md",
      "docs/guides/trade-with-a-key.md",
      "docs/guides/cancel-on-disconnect.md",
      "docs/guides/make-markets.md",
      "docs/guides/replay-a-market.md",
      "docs/guides/make-a-market.md",
      "docs/guides/sbe.md",
      "docs/guides/clients.md",
      "docs/guides/rewind.md",
      "docs/guides/fork-a-venue.md",
      "docs/guides/python.md",
      "docs/guides/go.md",
      "docs/guides/test-your-bot.md",
      "docs/guides/find-a-bug.md",
      "docs/guides/report-a-run.md",
      "docs/guides/trade-over-fix.md",
      "docs/guides/trade-in-the-terminal.md",
      "docs/guides/listen-to-a-venue.md",
      "docs/guides/native-walk.md",
      "docs/guides/swap.md",
      "docs/guides/be-a-liquidity-provider.md",
      "docs/guides/trust-no-one.md",
      "docs/guides/proofs.md",
      "docs/guides/check-your-balances.md",
      "docs/guides/watch-a-venue.md",
      "docs/guides/journal-export.md",
      "docs/guides/audit-a-journal.md",
      "docs/guides/faults.md",
    ],
  },
  {
    title: "Reference",
    weight: 8,
    paths: [
      made.spot,
      made.perpetuals,
      made.native,
      made.others,
      made.streams,
      "docs/guides/run-the-examples.md",
      "docs/reference/errors.md",
      "docs/reference/journal.md",
      "docs/spec/limits.md",
    ],
  },
  {
    title: "Operate",
    weight: 6,
    paths: [
      "docs/guides/run-a-venue.md",
      "docs/guides/operate.md",
      "docs/guides/run-behind-a-proxy.md",
      "docs/guides/two-machines.md",
      "docs/guides/run-a-gateway.md",
      "docs/guides/run-on-three-machines.md",
      "docs/guides/upgrade.md",
      "docs/guides/backup-and-restore.md",
      "docs/guides/risk.md",
      "docs/guides/canton.md",
      "docs/reference/config.md",
      "docs/reference/metrics.md",
    ],
  },
  {
    title: "Design",
    weight: 2,
    paths: [
      "ARCHITECTURE.md",
      "docs/spec/README.md",
      "docs/decisions/README.md",
      "docs/internals/README.md",
      "docs/internals/order-path.md",
      "docs/internals/performance.md",
      "CONTRIBUTING.md",
      "docs/STYLE.md",
      "SECURITY.md",
      "CHANGELOG.md",
    ],
  },
];

const endpointWeight = 10;
export const designWeight = 2;

/** The weight in the search of the page at an address; a page outside the groups has that of its folder. */
export function weightOf(address: string): number {
  if (address.startsWith("/docs/rest/")) return endpointWeight;
  const group = groups.find(({ paths }) => paths.some((path) => addressOf(path) === address));
  if (group !== undefined) return group.weight;
  return /^\/docs\/(guides|ops|reference|spec)\//.test(address) ? 4 : designWeight;
}

/** The address of a document as a page. */
export function addressOf(path: string): string {
  const name = path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1overview");
  return `/docs/${name.replace(/\.md$/, "").toLowerCase()}`;
}

/** The address of a document's Markdown text. */
export function textAddressOf(path: string): string {
  return `${addressOf(path)}.md`;
}

/** The address of a linked file that is not a document. */
export function fileAddressOf(path: string): string {
  return `/docs/files/${path}`;
}

const root = join(import.meta.dirname, "../..");

/** Documents that are not in `docs`. */
const otherDocuments = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "examples/rewind/README.md",
  "tools/audit/README.md",
];

/** The paths of all documents, in a fixed order. */
export function documentPaths(): string[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const paths = below
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name));
  return [...otherDocuments, ...paths.sort()];
}

/** The text of a document. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The bytes of a file. */
export function bytesOf(path: string): Uint8Array {
  return readFileSync(join(root, path));
}

/** Whether the path is a file of the project, and not a folder. */
function isFile(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
}

/** The venue's address as the documents write it. The venue that serves the page may have another address. */
const writtenVenue = /^http:\/\/127\.0\.0\.1:8080(?=\/)/;

/**
 * Resolves the links of documents within the portal. A link to a document leads to its page, and a link to another file
 * to a copy of the file. A link to the venue's address as the documents write it leads to the venue that serves the
 * page. A link to a folder is dropped.
 */
export class PortalLinks {
  readonly #documents: ReadonlySet<string>;
  /** Files that documents link to; they must be copied. */
  readonly files = new Set<string>();

  constructor(documents: Iterable<string>) {
    this.#documents = new Set(documents);
  }

  /**
   * Returns the address of the link target in the document at `path`; null if the target is neither a page nor a file.
   */
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
    if (!isFile(found)) return null;
    this.files.add(found);
    return fileAddressOf(found);
  }
}
