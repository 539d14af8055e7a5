// Which documents the portal shows, where, and under what heading. Whatever is not named here and is reached
// by a link is still a page; only the list beside the text is short.

/** A heading of the portal, and the documents under it by their path in the project. */
export interface Group {
  readonly title: string;
  readonly paths: readonly string[];
}

/** Pages that are made and not written; their paths are no files. */
export const made = {
  spot: "rest/spot",
  perpetuals: "rest/perpetuals",
  native: "rest/native",
  others: "rest/others",
  streams: "streams",
} as const;

export const groups: readonly Group[] = [
  {
    title: "Begin",
    paths: [
      "README.md",
      "docs/guides/trade-with-a-key.md",
      "docs/guides/clients.md",
      "docs/guides/listen-to-a-venue.md",
      "docs/guides/native-walk.md",
      "docs/guides/swap.md",
      "docs/guides/be-a-liquidity-provider.md",
      "docs/guides/proofs.md",
      "docs/guides/journal-export.md",
    ],
  },
  {
    title: "Reference",
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
      "docs/glossary.md",
    ],
  },
  {
    title: "Operate",
    paths: [
      "docs/guides/run-a-venue.md",
      "docs/guides/operate.md",
      "docs/guides/run-behind-a-proxy.md",
      "docs/guides/canton.md",
      "docs/reference/config.md",
      "docs/reference/metrics.md",
    ],
  },
  {
    title: "Understand",
    paths: [
      "ARCHITECTURE.md",
      "docs/spec/README.md",
      "docs/decisions/README.md",
      "docs/internals/performance.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "CHANGELOG.md",
    ],
  },
];

/** Where a document of the project is served as a page. */
export function addressOf(path: string): string {
  const name = path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1overview");
  return `/docs/${name.replace(/\.md$/, "").toLowerCase()}`;
}

/** Where its text is served as it was written. */
export function textAddressOf(path: string): string {
  return `${addressOf(path)}.md`;
}

/** Where a file that is no document is served, for those who follow a link to it. */
export function fileAddressOf(path: string): string {
  return `/docs/files/${path}`;
}
