// Proves on two venue processes that the leadership changes hands without losing or repeating anything that was
// acknowledged: the leader is killed, paused and woken, and told to hand over.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresLeadership } from "../../src/adapters/postgres/leadership-store.ts";
import { until } from "../epochs/epoch-waits.ts";
import { TwoVenues } from "../support/cluster/two-venues.ts";
import { withHeldJournal } from "../support/journal/held-journal.ts";

let venues: TwoVenues;
let sql: Sql;

before(async () => {
  venues = await TwoVenues.start();
  sql = openPostgres(venues.pair.address, "queries");
  await venues.trade();
});
after(async () => {
  await sql?.end({ timeout: 1 });
  await venues?.close();
});

/** Checks that every acknowledged order is in the journal's projections exactly once. */
async function assertNothingLost(): Promise<void> {
  const told = venues.acknowledged.map(({ clientId }) => clientId);
  const ids = `{${told.join(",")}}`;
  const rows = await sql<{ client_id: string; count: string }[]>`
    select client_id, count(*) from orders where client_id = any (${ids}::text[]) group by client_id`;
  const found = new Map(rows.map(({ client_id, count }) => [client_id, Number(count)]));
  assert.deepEqual(
    told.filter((id) => found.get(id) !== 1),
    [],
  );
  const [journal] = await sql<{ gaps: string }[]>`
    select max(seq) - count(*) as gaps from journal`;
  assert.equal(Number(journal?.gaps), 0);
}

/** Starts the former leader, and waits until the leader names it, and no other, as its follower. */
async function restartAsFollower(): Promise<void> {
  const [{ now } = { now: "" }] = await sql<
    { now: string }[]
  >`select clock_timestamp()::text as now`;
  venues.follower.start();
  await venues.follower.untilRole("follower");
  await until("the leader names its follower", async () => {
    const seen = await sql<{ is_new: boolean }[]>`
      select seen_at > ${now}::timestamptz as is_new from followers, leadership
      where seen_at > now() - interval '5 seconds' and follower <> holder`;
    return (seen.length === 1 && seen[0]?.is_new) || null;
  });
  await untilRenewed();
}

test("LDR-5 LDR-6 after the leader is killed, the follower leads within seconds and nothing acknowledged is lost", async (t) => {
  const atMs = performance.now();
  venues.leader.process?.signal("SIGKILL");
  await venues.untilChanged();
  t.diagnostic(`outage ${Math.round(await venues.outage(atMs))} ms`);
  await assertNothingLost();
  await restartAsFollower();
});

test("LDR-7 a handover moves the leadership to the follower, and the former leader ends with its exit code", async (t) => {
  const former = venues.leader.process;
  const atMs = performance.now();
  const answer = await venues.leader.call("handover");
  assert.deepEqual([answer.isOk, answer.error], [true, ""]);
  await venues.untilChanged();
  t.diagnostic(`outage ${Math.round(await venues.outage(atMs))} ms`);
  assert.equal(await former?.ended, 4);
  assert.match(former?.complained ?? "", /handed over to a follower: this venue ends/);
  await assertNothingLost();
  await restartAsFollower();
});

async function leadership(): Promise<{ handed_to: string | null; renewals: number }> {
  const [row] = await sql<{ handed_to: string | null; renewals: string }[]>`
    select handed_to, renewals from leadership`;
  return { handed_to: row?.handed_to ?? null, renewals: Number(row?.renewals) };
}

/** Waits until the leader has read twice who follows. */
async function untilRenewed(): Promise<void> {
  const { renewals } = await leadership();
  await until("two renewals", async () => (await leadership()).renewals >= renewals + 2 || null);
}

/** Hands over to the follower, or to `named`; the former leader stays for two seconds. */
async function handOver(named: string | null = null): Promise<void> {
  const former = venues.leader.process;
  const ended = former?.ended.then((code) => ({ code, atMs: performance.now() }));
  const sentMs = performance.now();
  const answer = await venues.leader.call("handover");
  assert.deepEqual([answer.isOk, answer.error], [true, ""]);
  // Both at once: the former leader stays for a short time only, as does the name of its successor.
  const [lease, again] = await Promise.all([leadership(), venues.leader.call("handover")]);
  if (named !== null) assert.equal(lease.handed_to, named);
  assert.match(again.error, /has handed over already/);
  await venues.untilChanged();
  const end = await ended;
  assert.equal(end?.code, 4);
  assert.ok((end?.atMs ?? 0) - sentMs > 2_000, "the former leader must stay");
  await assertNothingLost();
  await restartAsFollower();
}

test("LDR-7 a venue that has just begun to lead hands over to its follower, not to itself", async () => {
  await handOver();
  await handOver();
});

test("LDR-7 if the follower that was named does not lead, another one does when the lease is over", async () => {
  const ghost = new PostgresLeadership({ ...venues.pair.address, leader: "ghost" });
  const named = { name: "ghost", address: "http://ghost", leaseMs: 1_000 };
  const { leader } = venues;
  let isSeen = false;
  // It reports until it is named or another one leads, as a follower does: however long the handover takes.
  const following = async () => {
    while (venues.leader === leader && (await leadership()).handed_to !== named.name) {
      // A report that is not answered in time is repeated.
      const report = ghost.follow(named, Number.MAX_SAFE_INTEGER, false);
      isSeen = await report.then(
        () => true,
        () => isSeen,
      );
      await sleep(200);
    }
  };
  const followed = following();
  await until("a report of the ghost", async () => isSeen || null);
  await untilRenewed();
  await handOver(named.name);
  await followed;
  await ghost.close();
});

/** Waits until an order waits for the journal, which is locked. */
async function untilJournalWaits(): Promise<void> {
  await until("an order that waits for the journal", async () => {
    const rows = await sql`
      select from pg_stat_activity
      where application_name like 'rialto-journal%' and wait_event_type = 'Lock'`;
    return rows.length > 0 || null;
  });
}

test("LDR-7 a leader whose follower is gone meanwhile ends too, and gives up its lease", async () => {
  const former = venues.leader.process;
  const gone = venues.follower;
  await withHeldJournal({ options: venues.pair.address }, async (release) => {
    await untilJournalWaits();
    // The handover waits until all rows are written, and meanwhile the leader learns that nobody follows any more.
    const answered = venues.leader.call("handover");
    await sleep(200);
    // Calls are taken in their order: once this one is answered, the handover has begun.
    await venues.leader.call("ping");
    gone.process?.signal("SIGKILL");
    await gone.process?.ended;
    await untilRenewed();
    await release();
    assert.match((await answered).error, /the follower has gone meanwhile/);
  });
  assert.equal(await former?.ended, 4);
  gone.start();
  await venues.untilChanged();
  await assertNothingLost();
  await restartAsFollower();
});

test("LDR-7 a leader whose handover fails in the database ends too, so that a follower leads", async () => {
  const former = venues.leader.process;
  // Whoever hands over is not answered, as if the database went away at that moment.
  await sql.unsafe(`
    create function refuse_handover() returns trigger language plpgsql as $$
      begin raise exception 'away' using errcode = '57P01'; end $$;
    create trigger refuse_handover before update on leadership for each row
      when (new.handed_to is not null) execute function refuse_handover()`);
  const answer = await venues.leader.call("handover");
  assert.equal(answer.isOk, false);
  await venues.untilChanged();
  assert.equal(await former?.ended, 4);
  await sql.unsafe("drop function refuse_handover cascade");
  await assertNothingLost();
  await restartAsFollower();
});

test("LDR-5 a leader that wakes after a pause acknowledges nothing and ends", async (t) => {
  const zombie = venues.leader;
  const atMs = performance.now();
  zombie.process?.signal("SIGSTOP");
  await venues.untilChanged();
  t.diagnostic(`outage ${Math.round(await venues.outage(atMs))} ms`);
  zombie.process?.signal("SIGCONT");
  assert.equal(await zombie.process?.ended, 4);
  await assertNothingLost();
  await restartAsFollower();
});
