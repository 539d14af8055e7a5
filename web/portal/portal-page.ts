// What every page of the portal has, however it was made.

/** A row of a table: a setting, an error, a clause. */
export interface Row {
  readonly title: string;
  readonly words: string;
}

/** A heading of a page. */
export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  /** The beginning of what stands under it, for the search. */
  readonly words: string;
  /** What the tables under it list. */
  readonly rows?: readonly Row[];
}

export interface PortalPage {
  readonly address: string;
  readonly title: string;
  /** One sentence about it. */
  readonly says: string;
  readonly headings: readonly Heading[];
  /** What tables above the first heading list. */
  readonly rows?: readonly Row[];
  /** The article without its title. */
  readonly html: string;
}
