// The operator's parts on a database: keys, reads, minting. The desk is whoever answers commands.

import { rangesHold } from "../../adapters/network/address-ranges.ts";
import type { Sql } from "../../adapters/postgres/connection.ts";
import { readAccount } from "../../adapters/postgres/queries/access/accounts.ts";
import { PostgresKeyStore } from "../../adapters/postgres/queries/access/api-keys.ts";
import { PostgresCustodyDesk } from "../../adapters/postgres/queries/custody/custody-desk.ts";
import { proposeMarket } from "../../adapters/postgres/queries/journal/proposed-markets.ts";
import {
  countOpenPositions,
  readFundHour,
  readIndexState,
  readMakers,
  readMarkets,
  readOpenInterest,
  readPositions,
  readRiskTerms,
} from "../../adapters/postgres/queries/journal/risk.ts";
import { PostgresProviderRegistry } from "../../adapters/postgres/queries/swaps/provider-registry.ts";
import { PostgresSigningKeys } from "../../adapters/postgres/queries/swaps/signing-keys.ts";
import { isSoundPoint } from "../../adapters/runtime/curve-point.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Desk } from "../../ports/desk.ts";
import type { SecretBox } from "../../services/access/secret-box.ts";
import { VenueSigner } from "../../services/access/venue-signer.ts";
import { Operator } from "./operator.ts";
import { ProviderOperator } from "./provider-operator.ts";

export interface OperatorGround {
  readonly desk: Desk;
  readonly table: MarketTable;
  readonly sql: Sql;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly settle: () => Promise<unknown>;
}

export function createOperator(ground: OperatorGround): Operator {
  const { desk, table, sql, box, clock, settle } = ground;
  const store = new PostgresKeyStore(sql);
  const nowMs = () => clock.nowMs();
  const keys = { store: new PostgresSigningKeys(sql), box, entropy: systemEntropy, nowMs };
  return new Operator({
    desk,
    table,
    minting: { store, box, entropy: systemEntropy, isSoundPoint },
    reads: {
      account: (account) => readAccount(sql, account),
      positions: (account) => readPositions(sql, account),
      markets: () => readMarkets(sql),
      openPositions: (market) => countOpenPositions(sql, market),
      makers: (flag) => readMakers(sql, flag),
      riskTerms: () => readRiskTerms(sql),
      indexState: (market) => readIndexState(sql, market),
      fundHour: (market) => readFundHour(sql, market),
      openInterest: (market) => readOpenInterest(sql, market),
      keys: (page) => store.list(page),
      key: (keyId) => store.find(keyId),
      setAllowedRanges: (keyId, ranges) => store.setAllowedRanges(keyId, ranges),
    },
    propose: (market) => proposeMarket(sql, market),
    custodyDesk: new PostgresCustodyDesk(sql),
    clock,
    providers: new ProviderOperator({
      office: new PostgresProviderRegistry(sql),
      signer: new VenueSigner(keys),
      nowMs,
    }),
    settle,
    rangesHold,
  });
}
