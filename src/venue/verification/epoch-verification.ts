// `replay --verify` for epochs: recomputes every row, leaf, tile, header and link to the previous epoch from the
// journal. Needs the nonce key, from which the nonces of the leaves are derived.

import { PostgresAudit } from "../../adapters/postgres/audit-reader.ts";
import type { PostgresConnectionOptions } from "../../adapters/postgres/connection.ts";
import type { MarketTable } from "../../core/markets.ts";
import { auditEpochs, type EpochAuditReport } from "../../services/epochs/epoch-audit.ts";
import { LeafHasher } from "../../services/epochs/leaf-hasher.ts";
import { nonceKeyCheck } from "../../services/epochs/nonce-key.ts";

export interface EpochVerification extends EpochAuditReport {
  readonly tookMs: number;
  readonly differences: readonly string[];
}

export interface EpochVerificationOptions {
  readonly connection: PostgresConnectionOptions;
  readonly table: MarketTable;
  /** 32 bytes. */
  readonly nonceKey: Uint8Array;
  /** Seq after which the journal begins; 0 without it. */
  readonly afterSeq?: number;
  readonly untilSeq: number;
  /** True if no venue is running and sealing epochs. */
  readonly isAtRest: boolean;
  readonly onProgress: (seq: number) => void;
}

/** Audits everything sealed up to a seq; returns all differences. */
export async function verifyEpochs(options: EpochVerificationOptions): Promise<EpochVerification> {
  const { connection, table, nonceKey, afterSeq = 0, untilSeq, isAtRest, onProgress } = options;
  const startedMs = performance.now();
  const differences: string[] = [];
  const source = new PostgresAudit(connection);
  try {
    const terms = await source.terms();
    if (terms !== null && terms.nonceKeyCheck !== nonceKeyCheck(nonceKey)) {
      const message =
        "the epochs were made with another nonce key: their leaves cannot be recomputed";
      const none = { epochs: 0, entries: 0, headEpoch: null, headRoot: null };
      return { ...none, tookMs: 0, differences: [message] };
    }
    const report = await auditEpochs(source, new LeafHasher(table, nonceKey), {
      table,
      afterSeq,
      untilSeq,
      isAtRest,
      differs: (message) => differences.push(message),
      onProgress,
    });
    return { ...report, tookMs: Math.round(performance.now() - startedMs), differences };
  } finally {
    await source.close();
  }
}
