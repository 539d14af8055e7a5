// What a campaign needs of the machines that it strikes: processes on loopback (loopback), or a cluster in network
// namespaces (cluster).

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import type { CampaignTraffic } from "./traffic/campaign-traffic.ts";

export interface FailoverWorld {
  readonly traffic: CampaignTraffic;
  readonly acknowledgements: Acknowledgements;
  /** The present primary. */
  readonly database: PostgresConnectionOptions;
  /** Mends what a fault has broken; resolves when everything runs again. */
  mend(): Promise<void>;
  /** What all processes have logged last, for the report of a failed run. */
  complaints(): Promise<string>;
  close(): Promise<void>;
}
