table accounts with (fillfactor=80)
  account integer not null
  type smallint not null
  flags integer not null
  opened_us bigint not null
table api_keys
  key_id integer not null
  account integer not null
  api_key text not null
  label text
  key_type smallint not null
  public_key bytea
  sealed_secret bytea
  seal_version smallint not null
  allowed_ranges text[] not null default '{}'::text[]
  created_us bigint not null
  is_registered boolean not null default false
  tier smallint not null default 0
  permissions smallint not null default 0
  revoked_us bigint
  session_id integer
  used_ms bigint
table assets
  asset smallint not null
  code text not null
  decimals smallint not null
table balances with (fillfactor=50)
  account integer not null
  wallet smallint not null
  asset smallint not null
  total bigint not null
  reserved bigint not null
table candles with (fillfactor=50)
  market smallint not null
  interval_ms integer not null
  open_time_ms bigint not null
  open bigint not null
  high bigint not null
  low bigint not null
  close bigint not null
  volume bigint not null
  quote numeric(38,0) not null
  trade_count bigint not null
  taker_buy_volume bigint not null
  taker_buy_quote numeric(38,0) not null
table custody_audit
  audit_id bigint not null
  at_ms bigint not null
  action text not null
  subject text not null
  detail text not null
table custody_cursor
  only_row boolean not null default true
  ledger_offset bigint
  journal_seq bigint not null
table custody_places
  asset smallint not null
  admin text not null
  instrument text not null
  registry text not null
  custody text not null
  quoted_ms bigint not null
table custody_terms
  asset smallint not null
  deposit_min bigint not null
  withdrawal_min bigint not null
  withdrawal_fee bigint not null
table deposit_returns
  deposit_id bigint not null
  asset smallint not null
  units numeric(38,0) not null
  destination text not null
  created_ms bigint not null
  state smallint not null default 1
  round integer not null default 1
  attempts integer not null default 0
  dedup_offset bigint
  deadline_ms bigint
  submission_id text
  inputs text
  is_unknown boolean not null default false
  due_ms bigint not null default 0
  update_id text
  ledger_offset bigint
  reason text
table deposits
  deposit_id bigint not null
  contract_id text not null
  update_id text not null
  ledger_offset bigint not null
  recorded_ms bigint not null
  sender text not null
  asset smallint not null
  units numeric(38,0) not null
  amount bigint not null
  reference text
  account integer
  state smallint not null
  seq_before bigint
  seq bigint
table epoch_anchors
  epoch bigint not null
  command_id text not null
  dedup_offset bigint not null
  attempts integer not null
  network text not null
  root bytea not null
  update_id text
  ledger_offset bigint
  contract_id text
  record_time timestamp with time zone
  created_event_blob bytea
table epoch_chain
  only_row boolean not null default true
  venue text not null
  epoch_ms bigint not null
  first_epoch bigint not null
  nonce_key_check text not null
table epoch_tiles
  epoch bigint not null
  level smallint not null
  tile integer not null
  hashes bytea not null storage e
table epochs
  epoch bigint not null
  start_ms bigint not null
  end_ms bigint not null
  first_seq bigint not null
  last_seq bigint not null
  first_trade bigint not null
  journal_count bigint not null
  fill_count bigint not null
  merkle_root bytea not null
  prev_root bytea not null
  root bytea not null
  sealed_at timestamp with time zone not null default now()
table fills
  trade_id bigint not null
  ts_us bigint not null
  price bigint not null
  qty bigint not null
  quote bigint not null
  taker_order_id bigint not null
  maker_order_id bigint not null
  taker_fee bigint not null
  maker_fee bigint not null
  taker_pnl bigint not null
  maker_pnl bigint not null
  taker_account integer not null
  maker_account integer not null
  market smallint not null
  taker_side smallint not null
table followers with (fillfactor=50)
  follower text not null
  address text not null
  seq bigint not null
  seen_at timestamp with time zone not null default now()
  has_bus boolean not null default false
table fork_origin
  only_row boolean not null default true
  parent text not null
  seq bigint not null
  ts_us bigint not null
  ancestors text not null
  forked_at timestamp with time zone not null default now()
table journal
  seq bigint not null
  ts_us bigint not null
  account integer not null
  kind smallint not null
  body bytea not null storage e
table journal_head with (fillfactor=10, autovacuum_vacuum_threshold=5000)
  only_row boolean not null default true
  writer_epoch bigint not null
  last_seq bigint not null
table leadership with (fillfactor=10, autovacuum_vacuum_threshold=5000)
  only_row boolean not null default true
  holder text not null
  writer_epoch bigint not null
  address text not null
  lease_ms integer not null
  renewals bigint not null default 0
  renewed_at timestamp with time zone not null default now()
  handed_to text
  settled_seq bigint not null default 0
  base_seq bigint not null default 0
  base_hash bytea not null default '\x'::bytea
  chain_seq bigint not null default 0
  chain_hash bytea not null default '\x'::bytea
table liability_statements
  epoch bigint not null
  stated_seq bigint not null
  statement text not null
  digest bytea not null
  entry_seq bigint
  made_us bigint not null
table liability_tiles
  epoch bigint not null
  asset smallint not null
  level smallint not null
  tile integer not null
  first_tag bytea
  nodes bytea not null storage e
table liquidity_provider_keys
  key_id text not null
  provider text not null
  public_key text not null
  created_ms bigint not null
  retired_ms bigint
table liquidity_provider_nonces
  key_id text not null
  nonce text not null
  seen_ms bigint not null
table liquidity_providers
  provider text not null
  number bigint not null
  name text not null
  url text not null
  party text not null
  pairs text not null
  state smallint not null default 1
  reason text
  created_ms bigint not null
  decided_ms bigint
  score integer not null default 1000
  asked bigint not null default 0
  quoted bigint not null default 0
  passed bigint not null default 0
  late bigint not null default 0
  invalid bigint not null default 0
  failed bigint not null default 0
  settled bigint not null default 0
  declined bigint not null default 0
  unlocked bigint not null default 0
  answer_ms bigint not null default 0
  health text
  health_ms bigint
table listen_keys
  hash text not null
  account integer not null
  key_id integer not null
  surface smallint not null
  created_ms bigint not null
  expires_ms bigint not null
  sealed_key bytea
  seal_version integer
table margin_tiers
  market smallint not null
  tier smallint not null
  notional_max bigint
  maintenance_ppm integer not null
  leverage_max smallint not null
table market_samples
  market smallint not null
  at_ms bigint not null
  open_lots bigint not null
  mark bigint not null
  index bigint not null
  long_accounts integer not null
  short_accounts integer not null
  long_lots bigint not null
  short_lots bigint not null
  top_long_accounts integer not null
  top_short_accounts integer not null
  top_long_lots bigint not null
  top_short_lots bigint not null
table markets
  market smallint not null
  symbol text not null
  alias text not null
  kind smallint not null
  base_code text not null
  quote_code text not null
  base_asset smallint
  quote_asset smallint not null
  tick_decimals smallint not null
  lot_decimals smallint not null
  units_per_tick_lot integer not null
  base_units_per_lot bigint not null
  price_ticks_max bigint not null
  qty_lots_max bigint not null
  min_notional bigint not null
  maker_fee_bps smallint not null
  taker_fee_bps smallint not null
  leverage_max smallint not null
  market_band_bps smallint not null default 500
  limit_band_factor smallint not null default 5
  funding_hours smallint
  funding_interest_ppm integer
  funding_clamp_ppm integer
  index_market smallint
  initial_status smallint not null
  status smallint not null
  was_added boolean not null default false
  tick_lots_per_unit integer not null default 1
table master_keys
  version smallint not null
  key_check text
  created_at timestamp with time zone not null default now()
table order_changes
  order_id bigint not null
  seq bigint not null
table orders with (fillfactor=80)
  order_id bigint not null
  created_us bigint not null
  updated_us bigint not null
  price bigint not null
  qty bigint not null
  filled_qty bigint not null
  filled_quote bigint not null
  account integer not null
  market smallint not null
  side smallint not null
  type smallint not null
  time_in_force smallint not null
  status smallint not null
  client_id text
  flags smallint
  stp_mode smallint
  quote_qty bigint
  good_till_us bigint
  trigger_price bigint
  working_price smallint
  trailing_bps integer
  activation_price bigint
  triggered_us bigint
  list_id bigint
  iceberg_qty bigint
table positions with (fillfactor=50)
  account integer not null
  market smallint not null
  leverage smallint not null
  qty bigint not null
  entry_value bigint not null
  realised_pnl bigint not null
table schema_migrations
  version integer not null
  name text not null
  checksum text not null
  applied_at timestamp with time zone not null default now()
table settlement_allocations
  contract_id text not null
  batch_id text not null
  admin text not null
  holdings text[] not null
table settlement_audit
  audit_id bigint not null
  batch_id text not null
  at_ms bigint not null
  status text not null
  reason text not null
table settlement_batches
  batch_id text not null
  party_a text not null
  party_b text not null
  state smallint not null
  opened_ms bigint not null
  fill_count integer not null default 0
  net_hash text
  due_ms bigint not null
  attempts integer not null default 0
  round integer not null default 1
  dedup_offset bigint
  deadline_ms bigint
  submission_id text
  is_unknown boolean not null default false
  update_id text
  confirmed_offset bigint
  reason text
  phase smallint not null default 1
  setbacks integer not null default 0
  token text
table settlement_credits
  credit_id bigint not null
  account integer not null
  asset smallint not null
  amount bigint not null
  seq_before bigint not null
  is_done boolean not null default false
table settlement_cursor
  only_row boolean not null default true
  trade_id bigint not null
  ledger_offset bigint not null
  mirrored_ms bigint
table settlement_fills
  trade_id bigint not null
  batch_id text not null
table settlement_holdings
  contract_id text not null
  party text not null
  asset smallint not null
  amount numeric(38,0) not null
  is_locked boolean not null
  batch_id text
table settlement_legs
  batch_id text not null
  asset smallint not null
  sender text not null
  receiver text not null
  amount numeric(38,0) not null
table settlement_members
  account integer not null
  party text not null
  auth_cid text
  is_frozen boolean not null default false
  was_active boolean not null default false
table settlement_receipts
  batch_id text not null
  account integer not null
  asset smallint not null
  amount numeric(38,0) not null
  release_id bigint
table settlement_releases
  release_id bigint not null
  account integer not null
  asset smallint not null
  amount bigint not null
  seq_before bigint not null
table snapshot_parts
  seq bigint not null
  part integer not null
  bytes bytea not null storage e
table snapshots
  seq bigint not null
  state_hash text not null
  format_version smallint not null
  byte_count bigint not null
  created_at timestamp with time zone not null default now()
table swap_contracts
  contract_id text not null
  swap_id text not null
  body text not null
  created_offset bigint not null
  is_archived boolean not null default false
table swap_cursor
  only_row boolean not null default true
  last_move bigint not null
  ledger_offset bigint
table swap_moves
  move_no bigint not null
  swap_no bigint not null
  account integer not null
  market smallint not null
  side smallint not null
  from_state smallint not null
  to_state smallint not null
  reason smallint not null
  price_ticks bigint not null
  lots bigint not null
  details text not null
  at_ms bigint not null
  seq bigint
table swap_notices
  notice_id bigint not null
  provider text not null
  swap_id uuid not null
  kind smallint not null
  body text not null
  created_ms bigint not null
  due_ms bigint not null default 0
  attempts integer not null default 0
  delivered_ms bigint
  given_up_ms bigint
  reason text
table swap_quotes
  quote_no bigint not null
  swap_no bigint not null
  provider text not null
  provider_party text not null
  quote_id text not null
  price_ticks bigint not null
  lots bigint not null
  valid_until_ms bigint not null
  received_ms bigint not null
table swaps
  swap_no bigint not null
  swap_id text not null
  account integer not null
  party text not null
  party_key text not null
  market smallint not null
  side smallint not null
  asked_lots bigint
  asked_quote bigint
  state smallint not null
  reason smallint not null default 0
  created_ms bigint not null
  window_ends_ms bigint not null
  due_ms bigint not null
  quote_no bigint
  provider text
  provider_party text
  quote_id text
  price_ticks bigint
  lots bigint
  is_wallet boolean not null default false
  accepted_ms bigint
  allocate_before_ms bigint not null default 0
  settle_before_ms bigint not null default 0
  prepare_for smallint not null default 0
  prepared text
  prepare_fault text
  signature text
  phase smallint
  dedup_offset bigint
  submission_id text
  is_unknown boolean not null default false
  attempts integer not null default 0
  refusals integer not null default 0
  look_ms bigint not null default 0
  is_abort_asked boolean not null default false
  update_id text
  ledger_offset bigint
  sign_before_ms bigint not null default 0
  inputs text
  is_lock_failed boolean not null default false
  taken_signature text
table traffic_charges
  start_ms bigint not null
  lane smallint not null
  bytes bigint not null
  submissions integer not null
table traffic_lanes
  lane smallint not null
  last_bytes bigint not null
table traffic_state
  only_row boolean not null default true
  ledger_offset bigint
  base_remaining double precision not null
  base_ms bigint not null
  is_measured boolean not null
  extra_purchased bigint
  extra_consumed bigint
  read_ms bigint not null
table venue_secrets
  name text not null
  sealed bytea not null
  seal_version smallint not null
table venue_signing_keys
  number bigint not null
  key_id text not null
  public_key text not null
  created_ms bigint not null
  signs_from_ms bigint not null
  retires_ms bigint
table wallet_challenges
  nonce_hash text not null
  public_key text not null
  party_hint text not null
  message text not null
  expires_ms bigint not null
table wallet_sessions
  session_id integer not null
  token_hash text not null
  account integer not null
  expires_ms bigint not null
  device text not null default ''::text
  address text not null default ''::text
table wallet_users
  fingerprint text not null
  account integer not null
  party_hint text not null
  public_key text not null
  created_us bigint not null
table withdrawals
  withdrawal_id bigint not null
  account integer not null
  idempotency_key text not null
  asset smallint not null
  amount bigint not null
  fee bigint not null
  destination text not null
  created_ms bigint not null
  seq bigint
  state smallint not null default 0
  round integer not null default 1
  attempts integer not null default 0
  dedup_offset bigint
  deadline_ms bigint
  submission_id text
  inputs text
  is_unknown boolean not null default false
  due_ms bigint not null default 0
  update_id text
  ledger_offset bigint
  reason text

sequence api_key_ids integer
sequence custody_audit_audit_id_seq bigint
sequence deposits_deposit_id_seq bigint
sequence liquidity_provider_numbers bigint
sequence settlement_audit_audit_id_seq bigint
sequence settlement_credits_credit_id_seq bigint
sequence settlement_releases_release_id_seq bigint
sequence swap_notices_notice_id_seq bigint
sequence swap_quotes_quote_no_seq bigint
sequence swaps_swap_no_seq bigint
sequence venue_signing_keys_number_seq bigint
sequence withdrawals_withdrawal_id_seq bigint

constraint accounts_pkey on accounts PRIMARY KEY (account)
constraint api_keys_api_key_key on api_keys UNIQUE (api_key)
constraint api_keys_check on api_keys CHECK (((key_type = 1) = (public_key IS NOT NULL)))
constraint api_keys_check1 on api_keys CHECK (((key_type = 0) = (sealed_secret IS NOT NULL)))
constraint api_keys_key_type_check on api_keys CHECK ((key_type = ANY (ARRAY[0, 1])))
constraint api_keys_pkey on api_keys PRIMARY KEY (key_id)
constraint api_keys_seal_version_fkey on api_keys FOREIGN KEY (seal_version) REFERENCES master_keys(version)
constraint assets_asset_check on assets CHECK (((asset >= 0) AND (asset <= 7)))
constraint assets_code_check on assets CHECK ((code ~ '^[A-Z0-9]{2,10}$'::text))
constraint assets_code_key on assets UNIQUE (code)
constraint assets_decimals_check on assets CHECK (((decimals >= 0) AND (decimals <= 8)))
constraint assets_pkey on assets PRIMARY KEY (asset)
constraint balances_pkey on balances PRIMARY KEY (account, wallet, asset)
constraint candles_pkey on candles PRIMARY KEY (market, interval_ms, open_time_ms)
constraint custody_audit_pkey on custody_audit PRIMARY KEY (audit_id)
constraint custody_cursor_only_row_check on custody_cursor CHECK (only_row)
constraint custody_cursor_pkey on custody_cursor PRIMARY KEY (only_row)
constraint custody_places_asset_fkey on custody_places FOREIGN KEY (asset) REFERENCES assets(asset)
constraint custody_places_pkey on custody_places PRIMARY KEY (asset)
constraint custody_terms_asset_fkey on custody_terms FOREIGN KEY (asset) REFERENCES assets(asset)
constraint custody_terms_check on custody_terms CHECK ((withdrawal_min > withdrawal_fee))
constraint custody_terms_deposit_min_check on custody_terms CHECK ((deposit_min > 0))
constraint custody_terms_pkey on custody_terms PRIMARY KEY (asset)
constraint custody_terms_withdrawal_fee_check on custody_terms CHECK ((withdrawal_fee >= 0))
constraint deposit_returns_asset_fkey on deposit_returns FOREIGN KEY (asset) REFERENCES assets(asset)
constraint deposit_returns_deposit_id_fkey on deposit_returns FOREIGN KEY (deposit_id) REFERENCES deposits(deposit_id)
constraint deposit_returns_pkey on deposit_returns PRIMARY KEY (deposit_id)
constraint deposit_returns_update_id_key on deposit_returns UNIQUE (update_id)
constraint deposits_contract_id_key on deposits UNIQUE (contract_id)
constraint deposits_pkey on deposits PRIMARY KEY (deposit_id)
constraint epoch_anchors_pkey on epoch_anchors PRIMARY KEY (epoch)
constraint epoch_chain_only_row_check on epoch_chain CHECK (only_row)
constraint epoch_chain_pkey on epoch_chain PRIMARY KEY (only_row)
constraint epoch_tiles_pkey on epoch_tiles PRIMARY KEY (epoch, level, tile)
constraint epochs_pkey on epochs PRIMARY KEY (epoch)
constraint fills_pkey on fills PRIMARY KEY (market, trade_id)
constraint followers_pkey on followers PRIMARY KEY (follower)
constraint fork_origin_only_row_check on fork_origin CHECK (only_row)
constraint fork_origin_pkey on fork_origin PRIMARY KEY (only_row)
constraint fork_origin_seq_check on fork_origin CHECK ((seq > 0))
constraint journal_pkey on journal PRIMARY KEY (seq)
constraint journal_head_only_row_check on journal_head CHECK (only_row)
constraint journal_head_pkey on journal_head PRIMARY KEY (only_row)
constraint leadership_lease_ms_check on leadership CHECK ((lease_ms > 0))
constraint leadership_only_row_check on leadership CHECK (only_row)
constraint leadership_pkey on leadership PRIMARY KEY (only_row)
constraint liability_statements_pkey on liability_statements PRIMARY KEY (epoch)
constraint liability_tiles_pkey on liability_tiles PRIMARY KEY (epoch, asset, level, tile)
constraint liquidity_provider_keys_pkey on liquidity_provider_keys PRIMARY KEY (key_id)
constraint liquidity_provider_keys_provider_fkey on liquidity_provider_keys FOREIGN KEY (provider) REFERENCES liquidity_providers(provider) ON DELETE CASCADE
constraint liquidity_provider_nonces_pkey on liquidity_provider_nonces PRIMARY KEY (key_id, nonce)
constraint liquidity_providers_number_key on liquidity_providers UNIQUE (number)
constraint liquidity_providers_pkey on liquidity_providers PRIMARY KEY (provider)
constraint liquidity_providers_score_check on liquidity_providers CHECK (((score >= 0) AND (score <= 1000)))
constraint liquidity_providers_state_check on liquidity_providers CHECK (((state >= provider_state('pending'::text)) AND (state <= provider_state('refused'::text))))
constraint listen_keys_pkey on listen_keys PRIMARY KEY (hash)
constraint listen_keys_seal_check on listen_keys CHECK (((sealed_key IS NULL) = (seal_version IS NULL)))
constraint listen_keys_surface_check on listen_keys CHECK ((surface = ANY (ARRAY[0, 1])))
constraint margin_tiers_market_fkey on margin_tiers FOREIGN KEY (market) REFERENCES markets(market)
constraint margin_tiers_pkey on margin_tiers PRIMARY KEY (market, tier)
constraint market_samples_pkey on market_samples PRIMARY KEY (market, at_ms)
constraint markets_alias_key on markets UNIQUE (alias)
constraint markets_base_asset_fkey on markets FOREIGN KEY (base_asset) REFERENCES assets(asset)
constraint markets_base_units_per_lot_check on markets CHECK ((base_units_per_lot >= 0))
constraint markets_check on markets CHECK (((base_asset IS NOT NULL) OR (kind = 1) OR (initial_status = 2)))
constraint markets_check1 on markets CHECK (((kind = 1) = (funding_hours IS NOT NULL)))
constraint markets_check2 on markets CHECK (((kind = 1) = (funding_interest_ppm IS NOT NULL)))
constraint markets_check3 on markets CHECK (((kind = 1) = (funding_clamp_ppm IS NOT NULL)))
constraint markets_check4 on markets CHECK (((tick_lots_per_unit > 0) AND ((tick_lots_per_unit = 1) OR (units_per_tick_lot = 1))))
constraint markets_check5 on markets CHECK (((kind = 1) OR (tick_lots_per_unit = 1)))
constraint markets_index_market_fkey on markets FOREIGN KEY (index_market) REFERENCES markets(market)
constraint markets_initial_status_check on markets CHECK (((initial_status >= 0) AND (initial_status <= 2)))
constraint markets_kind_check on markets CHECK ((kind = ANY (ARRAY[0, 1])))
constraint markets_leverage_max_check on markets CHECK (((leverage_max >= 1) AND (leverage_max <= 100)))
constraint markets_lot_decimals_check on markets CHECK (((lot_decimals >= 0) AND (lot_decimals <= 8)))
constraint markets_maker_fee_bps_check on markets CHECK (((maker_fee_bps >= 0) AND (maker_fee_bps <= 1000)))
constraint markets_market_check on markets CHECK (((market >= 0) AND (market <= 15)))
constraint markets_min_notional_check on markets CHECK ((min_notional >= 0))
constraint markets_pkey on markets PRIMARY KEY (market)
constraint markets_price_ticks_max_check on markets CHECK ((price_ticks_max > 0))
constraint markets_qty_lots_max_check on markets CHECK ((qty_lots_max > 0))
constraint markets_quote_asset_fkey on markets FOREIGN KEY (quote_asset) REFERENCES assets(asset)
constraint markets_status_check on markets CHECK (((status >= 0) AND (status <= 3)))
constraint markets_symbol_key on markets UNIQUE (symbol)
constraint markets_taker_fee_bps_check on markets CHECK (((taker_fee_bps >= 0) AND (taker_fee_bps <= 1000)))
constraint markets_tick_decimals_check on markets CHECK (((tick_decimals >= 0) AND (tick_decimals <= 8)))
constraint markets_units_per_tick_lot_check on markets CHECK ((units_per_tick_lot > 0))
constraint master_keys_key_check_key on master_keys UNIQUE (key_check)
constraint master_keys_pkey on master_keys PRIMARY KEY (version)
constraint master_keys_version_check on master_keys CHECK ((version > 0))
constraint order_changes_pkey on order_changes PRIMARY KEY (order_id, seq)
constraint orders_pkey on orders PRIMARY KEY (order_id)
constraint positions_pkey on positions PRIMARY KEY (account, market)
constraint schema_migrations_pkey on schema_migrations PRIMARY KEY (version)
constraint settlement_allocations_pkey on settlement_allocations PRIMARY KEY (contract_id)
constraint settlement_audit_pkey on settlement_audit PRIMARY KEY (audit_id)
constraint settlement_batches_pkey on settlement_batches PRIMARY KEY (batch_id)
constraint settlement_batches_update_id_key on settlement_batches UNIQUE (update_id)
constraint settlement_credits_pkey on settlement_credits PRIMARY KEY (credit_id)
constraint settlement_cursor_only_row_check on settlement_cursor CHECK (only_row)
constraint settlement_cursor_pkey on settlement_cursor PRIMARY KEY (only_row)
constraint settlement_fills_batch_id_fkey on settlement_fills FOREIGN KEY (batch_id) REFERENCES settlement_batches(batch_id)
constraint settlement_fills_pkey on settlement_fills PRIMARY KEY (trade_id)
constraint settlement_holdings_pkey on settlement_holdings PRIMARY KEY (contract_id)
constraint settlement_legs_batch_id_fkey on settlement_legs FOREIGN KEY (batch_id) REFERENCES settlement_batches(batch_id)
constraint settlement_legs_pkey on settlement_legs PRIMARY KEY (batch_id, asset)
constraint settlement_members_party_key on settlement_members UNIQUE (party)
constraint settlement_members_pkey on settlement_members PRIMARY KEY (account)
constraint settlement_receipts_amount_check on settlement_receipts CHECK ((amount > (0)::numeric))
constraint settlement_receipts_batch_id_fkey on settlement_receipts FOREIGN KEY (batch_id) REFERENCES settlement_batches(batch_id)
constraint settlement_receipts_pkey on settlement_receipts PRIMARY KEY (batch_id, account, asset)
constraint settlement_releases_account_asset_key on settlement_releases UNIQUE (account, asset)
constraint settlement_releases_pkey on settlement_releases PRIMARY KEY (release_id)
constraint snapshot_parts_pkey on snapshot_parts PRIMARY KEY (seq, part)
constraint snapshot_parts_seq_fkey on snapshot_parts FOREIGN KEY (seq) REFERENCES snapshots(seq) ON DELETE CASCADE
constraint snapshots_pkey on snapshots PRIMARY KEY (seq)
constraint swap_contracts_pkey on swap_contracts PRIMARY KEY (contract_id)
constraint swap_cursor_only_row_check on swap_cursor CHECK (only_row)
constraint swap_cursor_pkey on swap_cursor PRIMARY KEY (only_row)
constraint swap_moves_pkey on swap_moves PRIMARY KEY (move_no)
constraint swap_moves_swap_no_fkey on swap_moves FOREIGN KEY (swap_no) REFERENCES swaps(swap_no)
constraint swap_notices_kind_check on swap_notices CHECK ((kind = ANY (ARRAY[1, 2])))
constraint swap_notices_pkey on swap_notices PRIMARY KEY (notice_id)
constraint swap_quotes_pkey on swap_quotes PRIMARY KEY (quote_no)
constraint swap_quotes_swap_no_fkey on swap_quotes FOREIGN KEY (swap_no) REFERENCES swaps(swap_no)
constraint swap_quotes_swap_no_provider_key on swap_quotes UNIQUE (swap_no, provider)
constraint swaps_pkey on swaps PRIMARY KEY (swap_no)
constraint swaps_swap_id_key on swaps UNIQUE (swap_id)
constraint swaps_update_id_key on swaps UNIQUE (update_id)
constraint traffic_charges_pkey on traffic_charges PRIMARY KEY (start_ms, lane)
constraint traffic_lanes_pkey on traffic_lanes PRIMARY KEY (lane)
constraint traffic_state_only_row_check on traffic_state CHECK (only_row)
constraint traffic_state_pkey on traffic_state PRIMARY KEY (only_row)
constraint venue_secrets_pkey on venue_secrets PRIMARY KEY (name)
constraint venue_secrets_seal_version_fkey on venue_secrets FOREIGN KEY (seal_version) REFERENCES master_keys(version)
constraint venue_signing_keys_key_id_key on venue_signing_keys UNIQUE (key_id)
constraint venue_signing_keys_pkey on venue_signing_keys PRIMARY KEY (number)
constraint wallet_challenges_pkey on wallet_challenges PRIMARY KEY (nonce_hash)
constraint wallet_sessions_pkey on wallet_sessions PRIMARY KEY (session_id)
constraint wallet_sessions_token_hash_key on wallet_sessions UNIQUE (token_hash)
constraint wallet_users_account_key on wallet_users UNIQUE (account)
constraint wallet_users_pkey on wallet_users PRIMARY KEY (fingerprint)
constraint withdrawals_pkey on withdrawals PRIMARY KEY (withdrawal_id)
constraint withdrawals_update_id_key on withdrawals UNIQUE (update_id)

CREATE UNIQUE INDEX accounts_pkey ON public.accounts USING btree (account)
CREATE INDEX api_keys_account ON public.api_keys USING btree (account)
CREATE UNIQUE INDEX api_keys_api_key_key ON public.api_keys USING btree (api_key)
CREATE UNIQUE INDEX api_keys_pkey ON public.api_keys USING btree (key_id)
CREATE INDEX api_keys_seal_version ON public.api_keys USING btree (seal_version, key_id)
CREATE UNIQUE INDEX assets_code_key ON public.assets USING btree (code)
CREATE UNIQUE INDEX assets_pkey ON public.assets USING btree (asset)
CREATE UNIQUE INDEX balances_pkey ON public.balances USING btree (account, wallet, asset)
CREATE UNIQUE INDEX candles_pkey ON public.candles USING btree (market, interval_ms, open_time_ms)
CREATE UNIQUE INDEX custody_audit_pkey ON public.custody_audit USING btree (audit_id)
CREATE UNIQUE INDEX custody_cursor_pkey ON public.custody_cursor USING btree (only_row)
CREATE UNIQUE INDEX custody_places_pkey ON public.custody_places USING btree (asset)
CREATE UNIQUE INDEX custody_terms_pkey ON public.custody_terms USING btree (asset)
CREATE INDEX deposit_returns_due ON public.deposit_returns USING btree (due_ms) WHERE (state = ANY (ARRAY[payment_stage('requested'::text), payment_stage('underWay'::text), payment_stage('paid'::text), payment_stage('givenUp'::text)]))
CREATE UNIQUE INDEX deposit_returns_pkey ON public.deposit_returns USING btree (deposit_id)
CREATE UNIQUE INDEX deposit_returns_update_id_key ON public.deposit_returns USING btree (update_id)
CREATE INDEX deposits_account ON public.deposits USING btree (account, deposit_id)
CREATE UNIQUE INDEX deposits_contract_id_key ON public.deposits USING btree (contract_id)
CREATE INDEX deposits_kept ON public.deposits USING btree (deposit_id) WHERE (state <> ALL (ARRAY[deposit_state('pending'::text), deposit_state('credited'::text)]))
CREATE INDEX deposits_offset ON public.deposits USING btree (ledger_offset)
CREATE INDEX deposits_open ON public.deposits USING btree (deposit_id) WHERE (state = deposit_state('pending'::text))
CREATE UNIQUE INDEX deposits_pkey ON public.deposits USING btree (deposit_id)
CREATE INDEX deposits_seq ON public.deposits USING btree (seq) WHERE (seq IS NOT NULL)
CREATE INDEX epoch_anchors_confirmed ON public.epoch_anchors USING btree (epoch) WHERE (update_id IS NOT NULL)
CREATE UNIQUE INDEX epoch_anchors_pkey ON public.epoch_anchors USING btree (epoch)
CREATE UNIQUE INDEX epoch_chain_pkey ON public.epoch_chain USING btree (only_row)
CREATE UNIQUE INDEX epoch_tiles_pkey ON public.epoch_tiles USING btree (epoch, level, tile)
CREATE INDEX epochs_entries ON public.epochs USING btree (last_seq) WHERE (journal_count > 0)
CREATE UNIQUE INDEX epochs_pkey ON public.epochs USING btree (epoch)
CREATE INDEX epochs_trades ON public.epochs USING btree (first_trade) WHERE (fill_count > 0)
CREATE INDEX fills_maker ON public.fills USING btree (maker_account, market, trade_id, maker_order_id)
CREATE UNIQUE INDEX fills_pkey ON public.fills USING btree (market, trade_id)
CREATE INDEX fills_taker ON public.fills USING btree (taker_account, market, trade_id, taker_order_id)
CREATE UNIQUE INDEX followers_pkey ON public.followers USING btree (follower)
CREATE UNIQUE INDEX fork_origin_pkey ON public.fork_origin USING btree (only_row)
CREATE INDEX journal_claims ON public.journal USING btree (account, ts_us) WHERE (kind = 31)
CREATE INDEX journal_family_received ON public.journal USING btree (SUBSTRING(body FROM 33 FOR 4), ts_us) WHERE (kind = 59)
CREATE INDEX journal_family_sent ON public.journal USING btree (account, ts_us) WHERE (kind = 59)
CREATE INDEX journal_fund_hours ON public.journal USING btree (get_byte(body, 40), seq) WHERE (kind = 49)
CREATE INDEX journal_funding_payments ON public.journal USING btree (account, ts_us) WHERE (kind = 27)
CREATE INDEX journal_fundings ON public.journal USING btree (get_byte(body, 44), ts_us) WHERE (kind = 26)
CREATE UNIQUE INDEX journal_head_pkey ON public.journal_head USING btree (only_row)
CREATE INDEX journal_index_states ON public.journal USING btree (get_byte(body, 48), seq) WHERE (kind = 47)
CREATE INDEX journal_insurance ON public.journal USING btree (account, ts_us) WHERE (kind = ANY (ARRAY[33, 34]))
CREATE INDEX journal_keys ON public.journal USING btree (account, seq) WHERE (kind = 28)
CREATE INDEX journal_order_lists ON public.journal USING btree (account, ts_us) WHERE (kind = 60)
CREATE INDEX journal_order_terms ON public.journal USING btree (SUBSTRING(body FROM 25 FOR 8), seq) WHERE (kind = ANY (ARRAY[20, 21, 22]))
CREATE UNIQUE INDEX journal_pkey ON public.journal USING btree (seq)
CREATE INDEX journal_positions_taken ON public.journal USING btree ((((get_byte(body, 56) + (get_byte(body, 57) * 256)) + (get_byte(body, 58) * 65536))), ts_us) WHERE (kind = 34)
CREATE INDEX journal_prevented_makers ON public.journal USING btree (SUBSTRING(body FROM 33 FOR 8), seq) WHERE (kind = 48)
CREATE INDEX journal_prevented_takers ON public.journal USING btree (SUBSTRING(body FROM 25 FOR 8), seq) WHERE (kind = 48)
CREATE INDEX journal_quotes ON public.journal USING btree (account, get_byte(body, 52), seq) WHERE ((kind = 64) AND (get_byte(body, 55) = 0))
CREATE INDEX journal_risk_terms ON public.journal USING btree (seq) WHERE (kind = 46)
CREATE INDEX journal_settled_coins ON public.journal USING btree (seq) WHERE (kind = 42)
CREATE INDEX journal_sub_accounts ON public.journal USING btree (SUBSTRING(body FROM 25 FOR 4), seq) WHERE (kind = 58)
CREATE INDEX journal_swaps ON public.journal USING btree (seq) WHERE (kind = 43)
CREATE INDEX journal_transfers ON public.journal USING btree (account, ts_us) WHERE (kind = ANY (ARRAY[2, 3, 41]))
CREATE INDEX journal_withdrawals ON public.journal USING btree (seq) WHERE (kind = 39)
CREATE UNIQUE INDEX leadership_pkey ON public.leadership USING btree (only_row)
CREATE UNIQUE INDEX liability_statements_pkey ON public.liability_statements USING btree (epoch)
CREATE UNIQUE INDEX liability_tiles_pkey ON public.liability_tiles USING btree (epoch, asset, level, tile)
CREATE INDEX liability_tiles_tags ON public.liability_tiles USING btree (epoch, asset, first_tag) WHERE (level = 0)
CREATE UNIQUE INDEX liquidity_provider_keys_pkey ON public.liquidity_provider_keys USING btree (key_id)
CREATE INDEX liquidity_provider_keys_provider ON public.liquidity_provider_keys USING btree (provider, created_ms)
CREATE UNIQUE INDEX liquidity_provider_nonces_pkey ON public.liquidity_provider_nonces USING btree (key_id, nonce)
CREATE INDEX liquidity_provider_nonces_seen ON public.liquidity_provider_nonces USING btree (seen_ms)
CREATE UNIQUE INDEX liquidity_providers_number_key ON public.liquidity_providers USING btree (number)
CREATE UNIQUE INDEX liquidity_providers_party ON public.liquidity_providers USING btree (party) WHERE (state = ANY (ARRAY[provider_state('approved'::text), provider_state('suspended'::text)]))
CREATE UNIQUE INDEX liquidity_providers_pkey ON public.liquidity_providers USING btree (provider)
CREATE INDEX liquidity_providers_state ON public.liquidity_providers USING btree (state, number)
CREATE UNIQUE INDEX liquidity_providers_url ON public.liquidity_providers USING btree (url) WHERE (state = ANY (ARRAY[provider_state('approved'::text), provider_state('suspended'::text)]))
CREATE INDEX listen_keys_account ON public.listen_keys USING btree (account, surface, created_ms)
CREATE UNIQUE INDEX listen_keys_pkey ON public.listen_keys USING btree (hash)
CREATE UNIQUE INDEX margin_tiers_pkey ON public.margin_tiers USING btree (market, tier)
CREATE UNIQUE INDEX market_samples_pkey ON public.market_samples USING btree (market, at_ms)
CREATE UNIQUE INDEX markets_alias_key ON public.markets USING btree (alias)
CREATE UNIQUE INDEX markets_pkey ON public.markets USING btree (market)
CREATE UNIQUE INDEX markets_symbol_key ON public.markets USING btree (symbol)
CREATE UNIQUE INDEX master_keys_key_check_key ON public.master_keys USING btree (key_check)
CREATE UNIQUE INDEX master_keys_pkey ON public.master_keys USING btree (version)
CREATE UNIQUE INDEX order_changes_pkey ON public.order_changes USING btree (order_id, seq)
CREATE INDEX orders_account ON public.orders USING btree (account, market, order_id)
CREATE INDEX orders_client_id ON public.orders USING btree (account, client_id) WHERE (client_id IS NOT NULL)
CREATE INDEX orders_closing ON public.orders USING btree (account, market, order_id) WHERE (client_id ~~ 'autoclose-%'::text)
CREATE INDEX orders_conditional ON public.orders USING btree (account, market, order_id) WHERE (type >= 3)
CREATE UNIQUE INDEX orders_pkey ON public.orders USING btree (order_id)
CREATE UNIQUE INDEX positions_pkey ON public.positions USING btree (account, market)
CREATE UNIQUE INDEX schema_migrations_pkey ON public.schema_migrations USING btree (version)
CREATE INDEX settlement_allocations_batch ON public.settlement_allocations USING btree (batch_id)
CREATE UNIQUE INDEX settlement_allocations_pkey ON public.settlement_allocations USING btree (contract_id)
CREATE UNIQUE INDEX settlement_audit_pkey ON public.settlement_audit USING btree (audit_id)
CREATE INDEX settlement_batches_confirmed ON public.settlement_batches USING btree (confirmed_offset) WHERE (state = batch_state('confirmed'::text))
CREATE INDEX settlement_batches_due ON public.settlement_batches USING btree (due_ms) WHERE (state = ANY (ARRAY[batch_state('ready'::text), batch_state('processing'::text), batch_state('retry'::text)]))
CREATE INDEX settlement_batches_failed ON public.settlement_batches USING btree (batch_id) WHERE (state = batch_state('failed'::text))
CREATE INDEX settlement_batches_live ON public.settlement_batches USING btree (opened_ms) WHERE (state <> batch_state('confirmed'::text))
CREATE INDEX settlement_batches_of_a ON public.settlement_batches USING btree (party_a) WHERE (state = batch_state('confirmed'::text))
CREATE INDEX settlement_batches_of_b ON public.settlement_batches USING btree (party_b) WHERE (state = batch_state('confirmed'::text))
CREATE UNIQUE INDEX settlement_batches_open ON public.settlement_batches USING btree (party_a, party_b) WHERE (state = batch_state('open'::text))
CREATE UNIQUE INDEX settlement_batches_pkey ON public.settlement_batches USING btree (batch_id)
CREATE UNIQUE INDEX settlement_batches_update_id_key ON public.settlement_batches USING btree (update_id)
CREATE INDEX settlement_credits_account ON public.settlement_credits USING btree (account, asset)
CREATE INDEX settlement_credits_open ON public.settlement_credits USING btree (credit_id) WHERE (NOT is_done)
CREATE UNIQUE INDEX settlement_credits_pkey ON public.settlement_credits USING btree (credit_id)
CREATE UNIQUE INDEX settlement_cursor_pkey ON public.settlement_cursor USING btree (only_row)
CREATE INDEX settlement_fills_batch ON public.settlement_fills USING btree (batch_id)
CREATE UNIQUE INDEX settlement_fills_pkey ON public.settlement_fills USING btree (trade_id)
CREATE INDEX settlement_holdings_batch ON public.settlement_holdings USING btree (batch_id) WHERE (batch_id IS NOT NULL)
CREATE INDEX settlement_holdings_party ON public.settlement_holdings USING btree (party, asset, amount)
CREATE UNIQUE INDEX settlement_holdings_pkey ON public.settlement_holdings USING btree (contract_id)
CREATE UNIQUE INDEX settlement_legs_pkey ON public.settlement_legs USING btree (batch_id, asset)
CREATE UNIQUE INDEX settlement_members_party_key ON public.settlement_members USING btree (party)
CREATE UNIQUE INDEX settlement_members_pkey ON public.settlement_members USING btree (account)
CREATE UNIQUE INDEX settlement_receipts_pkey ON public.settlement_receipts USING btree (batch_id, account, asset)
CREATE INDEX settlement_receipts_release ON public.settlement_receipts USING btree (release_id)
CREATE UNIQUE INDEX settlement_releases_account_asset_key ON public.settlement_releases USING btree (account, asset)
CREATE UNIQUE INDEX settlement_releases_pkey ON public.settlement_releases USING btree (release_id)
CREATE UNIQUE INDEX snapshot_parts_pkey ON public.snapshot_parts USING btree (seq, part)
CREATE UNIQUE INDEX snapshots_pkey ON public.snapshots USING btree (seq)
CREATE UNIQUE INDEX swap_contracts_pkey ON public.swap_contracts USING btree (contract_id)
CREATE INDEX swap_contracts_swap ON public.swap_contracts USING btree (swap_id)
CREATE UNIQUE INDEX swap_cursor_pkey ON public.swap_cursor USING btree (only_row)
CREATE INDEX swap_moves_open ON public.swap_moves USING btree (move_no) WHERE (seq IS NULL)
CREATE UNIQUE INDEX swap_moves_pkey ON public.swap_moves USING btree (move_no)
CREATE INDEX swap_moves_swap ON public.swap_moves USING btree (swap_no, move_no)
CREATE INDEX swap_moves_unkept ON public.swap_moves USING btree (account, at_ms) WHERE ((from_state = ANY (ARRAY[swap_state('accepted'::text), swap_state('traderAllocated'::text), swap_state('allocated'::text)])) AND (reason = ANY (ARRAY[swap_reason('traderCancelled'::text), swap_reason('traderLate'::text), swap_reason('traderWithdrew'::text)])))
CREATE INDEX swap_notices_due ON public.swap_notices USING btree (due_ms, notice_id) WHERE ((delivered_ms IS NULL) AND (given_up_ms IS NULL))
CREATE UNIQUE INDEX swap_notices_pkey ON public.swap_notices USING btree (notice_id)
CREATE INDEX swap_notices_swap ON public.swap_notices USING btree (swap_id)
CREATE UNIQUE INDEX swap_quotes_pkey ON public.swap_quotes USING btree (quote_no)
CREATE UNIQUE INDEX swap_quotes_swap_no_provider_key ON public.swap_quotes USING btree (swap_no, provider)
CREATE INDEX swaps_account ON public.swaps USING btree (account, swap_no)
CREATE INDEX swaps_open ON public.swaps USING btree (swap_no) WHERE (state < swap_state('settled'::text))
CREATE UNIQUE INDEX swaps_pkey ON public.swaps USING btree (swap_no)
CREATE INDEX swaps_provider ON public.swaps USING btree (provider, swap_no) WHERE (provider IS NOT NULL)
CREATE UNIQUE INDEX swaps_swap_id_key ON public.swaps USING btree (swap_id)
CREATE UNIQUE INDEX swaps_update_id_key ON public.swaps USING btree (update_id)
CREATE UNIQUE INDEX traffic_charges_pkey ON public.traffic_charges USING btree (start_ms, lane)
CREATE UNIQUE INDEX traffic_lanes_pkey ON public.traffic_lanes USING btree (lane)
CREATE UNIQUE INDEX traffic_state_pkey ON public.traffic_state USING btree (only_row)
CREATE UNIQUE INDEX venue_secrets_pkey ON public.venue_secrets USING btree (name)
CREATE UNIQUE INDEX venue_signing_keys_key_id_key ON public.venue_signing_keys USING btree (key_id)
CREATE UNIQUE INDEX venue_signing_keys_pkey ON public.venue_signing_keys USING btree (number)
CREATE INDEX wallet_challenges_expiry ON public.wallet_challenges USING btree (expires_ms)
CREATE UNIQUE INDEX wallet_challenges_pkey ON public.wallet_challenges USING btree (nonce_hash)
CREATE INDEX wallet_sessions_expiry ON public.wallet_sessions USING btree (expires_ms)
CREATE UNIQUE INDEX wallet_sessions_pkey ON public.wallet_sessions USING btree (session_id)
CREATE UNIQUE INDEX wallet_sessions_token_hash_key ON public.wallet_sessions USING btree (token_hash)
CREATE UNIQUE INDEX wallet_users_account_key ON public.wallet_users USING btree (account)
CREATE UNIQUE INDEX wallet_users_pkey ON public.wallet_users USING btree (fingerprint)
CREATE INDEX withdrawals_account ON public.withdrawals USING btree (account, withdrawal_id)
CREATE INDEX withdrawals_due ON public.withdrawals USING btree (due_ms) WHERE (state = ANY (ARRAY[payment_stage('requested'::text), payment_stage('underWay'::text), payment_stage('paid'::text), payment_stage('givenUp'::text)]))
CREATE INDEX withdrawals_key ON public.withdrawals USING btree (account, idempotency_key)
CREATE INDEX withdrawals_offset ON public.withdrawals USING btree (ledger_offset) WHERE (ledger_offset IS NOT NULL)
CREATE UNIQUE INDEX withdrawals_pkey ON public.withdrawals USING btree (withdrawal_id)
CREATE INDEX withdrawals_seq ON public.withdrawals USING btree (seq) WHERE (seq IS NOT NULL)
CREATE UNIQUE INDEX withdrawals_update_id_key ON public.withdrawals USING btree (update_id)

CREATE TRIGGER epoch_tiles_append_only_rows BEFORE DELETE OR UPDATE ON public.epoch_tiles FOR EACH ROW EXECUTE FUNCTION refuse_epoch_change()
CREATE TRIGGER epoch_tiles_append_only_table BEFORE TRUNCATE ON public.epoch_tiles FOR EACH STATEMENT EXECUTE FUNCTION refuse_epoch_change()
CREATE TRIGGER epochs_append_only_rows BEFORE DELETE OR UPDATE ON public.epochs FOR EACH ROW EXECUTE FUNCTION refuse_epoch_change()
CREATE TRIGGER epochs_append_only_table BEFORE TRUNCATE ON public.epochs FOR EACH STATEMENT EXECUTE FUNCTION refuse_epoch_change()
CREATE TRIGGER journal_append_only_rows BEFORE DELETE OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_journal_change()
CREATE TRIGGER journal_append_only_table BEFORE TRUNCATE ON public.journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change()
CREATE TRIGGER liability_statements_append_only_rows BEFORE DELETE OR UPDATE ON public.liability_statements FOR EACH ROW WHEN ((old.entry_seq IS NOT NULL)) EXECUTE FUNCTION refuse_epoch_change()
CREATE TRIGGER liability_statements_append_only_table BEFORE TRUNCATE ON public.liability_statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_epoch_change()

CREATE OR REPLACE FUNCTION public.batch_state(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'open' then 1 when 'ready' then 2 when 'processing' then 3 when 'retry' then 4
                   when 'confirmed' then 5 when 'failed' then 6 end
$function$
CREATE OR REPLACE FUNCTION public.begin_group(p_writer_epoch bigint, p_backend integer, p_first_seq bigint, p_count integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- The venue's lock belongs to a session. A client that silently reconnected does not hold it.
  if p_backend <> pg_backend_pid() then
    raise exception 'this session does not hold the venue''s lock' using errcode = 'RL003';
  end if;

  -- A group without events is legal: projections that are due while nothing happens.
  update journal_head set last_seq = p_first_seq + p_count - 1
  where only_row and writer_epoch = p_writer_epoch and last_seq = p_first_seq - 1;
  if not found then
    perform refuse_group(p_writer_epoch, p_first_seq);
  end if;
end
$function$
CREATE OR REPLACE FUNCTION public.claim_leadership(p_name text, p_address text, p_lease_ms integer, p_holder text, p_renewals bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  v_epoch bigint;
  v_writer text;
begin
  perform from leadership where holder = p_holder and renewals = p_renewals for update;
  if not found then
    return null;
  end if;
  -- Their end is not awaited here: a commit of theirs is either over before the next update, or refused by it.
  perform pg_terminate_backend(pid) from pg_stat_activity
  where p_holder <> '' and datname = current_database() and application_name like 'rialto-% ' || p_holder
    and pid <> pg_backend_pid();
  -- The number of the venue's advisory lock: whoever still holds it writes the journal without a lease.
  select format('%s, backend %s', a.application_name, a.pid) into v_writer
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = 1380532556
    and l.database = (select oid from pg_database where datname = current_database())
    and (p_holder = '' or a.application_name not like 'rialto-% ' || p_holder);
  if found then
    raise exception 'a venue without a lease writes the journal (%)', v_writer using errcode = 'RL004';
  end if;
  update journal_head set writer_epoch = writer_epoch + 1 returning writer_epoch into v_epoch;
  update leadership set holder = p_name, writer_epoch = v_epoch, address = p_address, lease_ms = p_lease_ms,
    handed_to = null, renewals = renewals + 1, renewed_at = clock_timestamp(), chain_hash = '';
  return v_epoch;
end
$function$
CREATE OR REPLACE FUNCTION public.deposit_state(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'pending' then 1 when 'credited' then 2 end
$function$
CREATE OR REPLACE FUNCTION public.end_leader_sessions(p_holder text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_deadline timestamptz := clock_timestamp() + interval '2 seconds';
  v_tell boolean := p_holder <> '';
begin
  while p_holder <> '' and clock_timestamp() < v_deadline loop
    perform pg_stat_clear_snapshot();
    perform case when v_tell then pg_terminate_backend(pid) end from pg_stat_activity
    where datname = current_database() and application_name like 'rialto-% ' || p_holder
      and pid <> pg_backend_pid();
    exit when not found;
    v_tell := false;
    perform pg_sleep(0.002);
  end loop;
end
$function$
CREATE OR REPLACE FUNCTION public.first_event_since(p_us bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT COST 1000
AS $function$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
  select seq into v_low from journal order by seq limit 1;
  select seq + 1 into v_high from journal order by seq desc limit 1;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select ts_us into v_us from journal where seq = v_middle;
    if v_us < p_us then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$function$
CREATE OR REPLACE FUNCTION public.first_fill_since(p_market smallint, p_us bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT COST 1000
AS $function$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_id bigint;
  v_us bigint;
begin
  select trade_id into v_low from fills where market = p_market order by trade_id limit 1;
  select trade_id + 1 into v_high from fills where market = p_market order by trade_id desc limit 1;
  -- The answer is never below v_low nor above v_high.
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select trade_id, ts_us into v_id, v_us from fills
    where market = p_market and trade_id >= v_middle order by trade_id limit 1;
    if v_us < p_us then
      v_low := v_id + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$function$
CREATE OR REPLACE FUNCTION public.first_order_since(p_us bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT COST 1000
AS $function$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_id bigint;
  v_us bigint;
begin
  select order_id into v_low from orders order by order_id limit 1;
  select order_id + 1 into v_high from orders order by order_id desc limit 1;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select order_id, created_us into v_id, v_us from orders
    where order_id >= v_middle order by order_id limit 1;
    if v_us < p_us then
      v_low := v_id + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$function$
CREATE OR REPLACE FUNCTION public.payment_stage(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'requested' then 1 when 'underWay' then 2 when 'paid' then 5 when 'givenUp' then 6 end
$function$
CREATE OR REPLACE FUNCTION public.provider_state(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'pending' then 1 when 'approved' then 2 when 'suspended' then 3 when 'refused' then 4 end
$function$
CREATE OR REPLACE FUNCTION public.refuse_epoch_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only: % refused', tg_table_name, tg_op using errcode = 'RL009';
end
$function$
CREATE OR REPLACE FUNCTION public.refuse_group(p_writer_epoch bigint, p_first_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_head journal_head;
begin
  select * into v_head from journal_head;
  if v_head.writer_epoch <> p_writer_epoch then
    raise exception 'writer epoch % was deposed by %', p_writer_epoch, v_head.writer_epoch
      using errcode = 'RL001';
  end if;
  raise exception 'a group from seq % does not follow the last seq %', p_first_seq, v_head.last_seq
    using errcode = 'RL002';
end
$function$
CREATE OR REPLACE FUNCTION public.refuse_journal_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the journal is append-only: % refused', tg_op using errcode = 'RL009';
end
$function$
CREATE OR REPLACE FUNCTION public.seq_at(p_us bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT COST 1000
AS $function$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_us bigint;
begin
  select coalesce((select seq from fork_origin), 0) + 1 into v_low;
  select last_seq into v_high from journal_head;
  while v_low < v_high loop
    v_middle := v_low + (v_high - v_low) / 2;
    select ts_us into v_us from journal where seq = v_middle;
    if v_us < p_us then
      v_low := v_middle + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  select ts_us into v_us from journal where seq = v_low;
  return case when v_us = p_us then v_low end;
end
$function$
CREATE OR REPLACE FUNCTION public.swap_reason(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'traderCancelled' then 3 when 'traderLate' then 4 when 'traderWithdrew' then 11 end
$function$
CREATE OR REPLACE FUNCTION public.swap_state(name text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case name when 'accepted' then 3 when 'traderAllocated' then 4 when 'allocated' then 5
                   when 'settled' then 8 end
$function$
CREATE OR REPLACE FUNCTION public.write_projections(p_order_states bigint[], p_candles bigint[], p_accounts bigint[], p_keys bigint[], p_markets bigint[], p_balances bigint[], p_positions bigint[], p_order_details bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if p_candles is not null then
    insert into candles as c (market, interval_ms, open_time_ms, open, high, low, close, volume,
                              quote, trade_count, taker_buy_volume, taker_buy_quote)
    select p_candles[1][i], p_candles[2][i], p_candles[3][i], p_candles[4][i], p_candles[5][i],
           p_candles[6][i], p_candles[7][i], p_candles[8][i], p_candles[9][i], p_candles[10][i],
           p_candles[11][i], p_candles[12][i]
    from generate_series(1, array_length(p_candles, 2)) as i
    on conflict (market, interval_ms, open_time_ms) do update set
      high = greatest(c.high, excluded.high),
      low = least(c.low, excluded.low),
      close = excluded.close,
      volume = c.volume + excluded.volume,
      quote = c.quote + excluded.quote,
      trade_count = c.trade_count + excluded.trade_count,
      taker_buy_volume = c.taker_buy_volume + excluded.taker_buy_volume,
      taker_buy_quote = c.taker_buy_quote + excluded.taker_buy_quote;
  end if;

  if p_order_details is not null then
    update orders set price = coalesce(p_order_details[2][i], price),
                      qty = coalesce(p_order_details[3][i], qty),
                      flags = p_order_details[4][i], stp_mode = p_order_details[5][i],
                      quote_qty = p_order_details[6][i], good_till_us = p_order_details[7][i],
                      trigger_price = p_order_details[8][i],
                      working_price = p_order_details[9][i],
                      trailing_bps = p_order_details[10][i],
                      activation_price = p_order_details[11][i],
                      triggered_us = p_order_details[12][i],
                      list_id = p_order_details[13][i],
                      iceberg_qty = p_order_details[14][i]
    from generate_series(1, array_length(p_order_details, 2)) as i
    where order_id = p_order_details[1][i];
  end if;

  if p_order_states is not null then
    update orders set filled_qty = p_order_states[2][i], filled_quote = p_order_states[3][i],
                      status = p_order_states[4][i], updated_us = p_order_states[5][i],
                      price = coalesce(p_order_states[6][i], price),
                      qty = coalesce(p_order_states[7][i], qty)
    from generate_series(1, array_length(p_order_states, 2)) as i
    where order_id = p_order_states[1][i];
  end if;

  if p_balances is not null then
    insert into balances (account, wallet, asset, total, reserved)
    select p_balances[1][i], p_balances[2][i], p_balances[3][i], p_balances[4][i],
           p_balances[5][i]
    from generate_series(1, array_length(p_balances, 2)) as i
    on conflict (account, wallet, asset) do update set
      total = excluded.total, reserved = excluded.reserved;
  end if;

  if p_positions is not null then
    insert into positions (account, market, qty, entry_value, realised_pnl, leverage)
    select p_positions[1][i], p_positions[2][i], p_positions[3][i], p_positions[4][i],
           p_positions[5][i], p_positions[6][i]
    from generate_series(1, array_length(p_positions, 2)) as i
    on conflict (account, market) do update set
      qty = excluded.qty, entry_value = excluded.entry_value,
      realised_pnl = excluded.realised_pnl, leverage = excluded.leverage;
  end if;

  if p_accounts is not null then
    insert into accounts (account, type, flags, opened_us)
    select p_accounts[1][i], p_accounts[2][i], p_accounts[3][i], p_accounts[4][i]
    from generate_series(1, array_length(p_accounts, 2)) as i
    on conflict (account) do update set type = excluded.type, flags = excluded.flags;
  end if;

  if p_keys is not null then
    update api_keys set tier = p_keys[2][i], permissions = p_keys[3][i], revoked_us = p_keys[4][i],
                        is_registered = true
    from generate_series(1, array_length(p_keys, 2)) as i
    where key_id = p_keys[1][i];
  end if;

  if p_markets is not null then
    update markets set status = p_markets[2][i]
    from generate_series(1, array_length(p_markets, 2)) as i
    where market = p_markets[1][i];
  end if;
end
$function$

grant insert, select, update on accounts to rialto_venue
grant insert, select, update on api_keys to rialto_venue
grant select on assets to rialto_venue
grant insert, select, update on balances to rialto_venue
grant insert, select, update on candles to rialto_venue
grant select on custody_cursor to rialto_venue
grant select on custody_places to rialto_venue
grant select on custody_terms to rialto_venue
grant select on deposit_returns to rialto_venue
grant select on deposits to rialto_venue
grant insert, select, update on epoch_anchors to rialto_venue
grant insert, select on epoch_chain to rialto_venue
grant insert, select on epoch_tiles to rialto_venue
grant insert, select on epochs to rialto_venue
grant insert, select on fills to rialto_venue
grant delete, insert, select, update on followers to rialto_venue
grant select on fork_origin to rialto_venue
grant insert, select on journal to rialto_venue
grant select, update on journal_head to rialto_venue
grant select, update on leadership to rialto_venue
grant delete, insert, select, update on liability_statements to rialto_venue
grant delete, insert, select, update on liability_tiles to rialto_venue
grant delete, insert, select, update on liquidity_provider_keys to rialto_venue
grant delete, insert, select, update on liquidity_provider_nonces to rialto_venue
grant delete, insert, select, update on liquidity_providers to rialto_venue
grant delete, insert, select, update on listen_keys to rialto_venue
grant delete, insert, select on margin_tiers to rialto_venue
grant delete, insert, select on market_samples to rialto_venue
grant delete, insert, select, update on markets to rialto_venue
grant insert, select on order_changes to rialto_venue
grant insert, select, update on orders to rialto_venue
grant insert, select, update on positions to rialto_venue
grant select on schema_migrations to rialto_venue
grant select on settlement_batches to rialto_venue
grant select on settlement_cursor to rialto_venue
grant select on settlement_fills to rialto_venue
grant select on settlement_holdings to rialto_venue
grant select on settlement_members to rialto_venue
grant delete, insert, select, update on snapshot_parts to rialto_venue
grant delete, insert, select, update on snapshots to rialto_venue
grant delete, insert, select, update on swap_contracts to rialto_venue
grant delete, insert, select, update on swap_cursor to rialto_venue
grant delete, insert, select, update on swap_moves to rialto_venue
grant delete, insert, select, update on swap_notices to rialto_venue
grant delete, insert, select, update on swap_quotes to rialto_venue
grant delete, insert, select, update on swaps to rialto_venue
grant select on traffic_charges to rialto_venue
grant select on traffic_lanes to rialto_venue
grant select on traffic_state to rialto_venue
grant insert, select on venue_secrets to rialto_venue
grant delete, insert, select, update on venue_signing_keys to rialto_venue
grant delete, insert, select on wallet_challenges to rialto_venue
grant delete, insert, select on wallet_sessions to rialto_venue
grant delete, insert, select on wallet_users to rialto_venue
grant delete, insert, select, update on withdrawals to rialto_venue
