// Types of what the command line uses of the package.

import type { Truth as KnownTruth, Venue } from "./venue.js";

/** What a venue knows about an account, by its calls. */
export function truthOf(venue: Pick<Venue, "call">, account: number): Promise<KnownTruth>;
