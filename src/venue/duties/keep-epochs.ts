// Starts sealing the epochs of a venue that leads, and stating its liabilities after them.

import type { VenueMemory } from "../../adapters/runtime/venue-memory.ts";
import { SettlementFigures } from "../../adapters/telemetry/settlement-figures.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Config } from "../config/config.ts";
import type { WarmSeed } from "../recovery.ts";
import { EpochScheduler, type EpochSchedulerParts } from "./epochs.ts";
import { LiabilityScheduler } from "./liabilities.ts";

interface EpochGround {
  readonly config: Pick<Config, "epochMs" | "liabilitiesEpochs" | "venueName">;
  readonly clearing: ClearingClient;
  readonly seed: Pick<WarmSeed, "seq">;
  readonly memory: Pick<VenueMemory, "settlementFigures">;
  readonly parts: Omit<EpochSchedulerParts, "startSeq" | "onSealed">;
}

export function keepEpochs({ config, clearing, seed, memory, parts }: EpochGround): {
  readonly epochs: EpochScheduler;
  readonly liabilities: LiabilityScheduler;
} {
  const { epochMs, liabilitiesEpochs: every, venueName } = config;
  const { clock, log, figures } = parts;
  const settlement = new SettlementFigures(memory.settlementFigures);
  const ledgerSilentMs = () =>
    settlement.followedMs === 0 ? null : clock.nowMs() - settlement.followedMs;
  const liabilities = new LiabilityScheduler({
    ...{ every, epochMs, clearing, clock, log, figures, ledgerSilentMs },
    task: { ...parts.task, venueName },
  });
  const onSealed = (epoch: number) => liabilities.sealed(epoch);
  return {
    liabilities,
    epochs: new EpochScheduler({ ...parts, startSeq: seed.seq, onSealed }),
  };
}
