// What a campaign needs of the machines that it strikes: processes on loopback (loopback), or a cluster in network
// namespaces (cluster).

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { CampaignTraffic } from "./traffic/campaign-traffic.ts";

export interface FailoverWorld<Kind extends string> {
  readonly traffic: CampaignTraffic;
  readonly acknowledgements: Acknowledgements;
  /** The present primary. */
  readonly database: PostgresConnectionOptions;
  /** Strikes, and resolves when everything runs again. */
  strike(kind: Kind, random: SeededRandom): Promise<void>;
  /** What all processes have logged last, for the report of a failed run. */
  complaints(): Promise<string>;
  close(): Promise<void>;
}
