// Changes a list of events as somebody would who forges a journal: the numbers, times and lengths of what remains are
// made to fit again, so that the list has no gap.

import { assert } from "../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";

export type EventOf<Kind extends VenueEvent["kind"]> = Extract<VenueEvent, { kind: Kind }>;

/** The first event of a kind for which `isWanted` is true. Fails if there is none, because the forgery needs one. */
export function firstOf<Kind extends VenueEvent["kind"]>(
  events: readonly VenueEvent[],
  kind: Kind,
  isWanted: (event: EventOf<Kind>) => boolean = () => true,
): EventOf<Kind> {
  const found = events.find((event) => event.kind === kind && isWanted(event as EventOf<Kind>));
  assert(found !== undefined, "the run must have an event of this kind");
  return found as EventOf<Kind>;
}

/** The events with other values in one of them. */
export function changed<Event extends VenueEvent>(
  events: readonly VenueEvent[],
  { seq }: Event,
  change: Partial<Event>,
): VenueEvent[] {
  return events.map((event) =>
    event.seq === seq ? ({ ...event, ...change } as VenueEvent) : event,
  );
}

/** The events without one of them. */
export function without(events: readonly VenueEvent[], { seq }: VenueEvent): VenueEvent[] {
  return renumbered(events.filter((event) => event.seq !== seq));
}

/** The events with a copy of one of them right after it. */
export function doubled(events: readonly VenueEvent[], { seq }: VenueEvent): VenueEvent[] {
  return renumbered(events.flatMap((event) => (event.seq === seq ? [event, event] : [event])));
}

/** The events with one of them and the one before it in exchanged order. */
export function exchanged(events: readonly VenueEvent[], { seq }: VenueEvent): VenueEvent[] {
  const [before, event] = events.slice(seq - 2, seq) as [VenueEvent, VenueEvent];
  return renumbered([...events.slice(0, seq - 2), event, before, ...events.slice(seq)]);
}

/** Numbers events and trades from 1, and lets times increase. */
function renumbered(events: readonly VenueEvent[]): VenueEvent[] {
  let [tsUs, tradeId] = [0, 0];
  return events.map((event, index) => {
    tsUs = Math.max(event.tsUs, tsUs + 1);
    const fresh = { ...event, seq: index + 1, tsUs };
    return fresh.kind === EventKind.traded ? { ...fresh, tradeId: ++tradeId } : fresh;
  });
}
