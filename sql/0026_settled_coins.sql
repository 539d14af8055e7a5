-- What the fills of a sealed batch bring to its members: held in clearing until the batch is confirmed.

-- Minor units, fees off already. A row goes when clearing has freed it.
create table settlement_receipts (
  batch_id text not null references settlement_batches,
  account integer not null,
  asset smallint not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The release it is part of; null before.
  release_id bigint,
  primary key (batch_id, account, asset)
);
create index settlement_receipts_release on settlement_receipts (release_id);

-- Asked of clearing and perhaps done: the journal behind `seq_before` says which.
create table settlement_releases (
  release_id bigint generated always as identity primary key,
  account integer not null,
  asset smallint not null,
  amount bigint not null,
  seq_before bigint not null,
  unique (account, asset)
);

-- A journal that is replayed from its beginning holds what every fill of a member brought.
insert into settlement_receipts (batch_id, account, asset, amount)
select s.batch_id, m.account, side.asset, sum(side.amount)
from settlement_fills s
join settlement_batches b on b.batch_id = s.batch_id and b.state <> 1
join fills f on f.trade_id = s.trade_id
join markets k on k.market = f.market
cross join lateral (values
  (case f.taker_side when 0 then f.taker_account else f.maker_account end, k.base_asset,
   f.qty * k.base_units_per_lot - case f.taker_side when 0 then f.taker_fee else f.maker_fee end),
  (case f.taker_side when 0 then f.maker_account else f.taker_account end, k.quote_asset,
   f.quote - case f.taker_side when 0 then f.maker_fee else f.taker_fee end)
) as side (account, asset, amount)
join settlement_members m on m.account = side.account
group by s.batch_id, m.account, side.asset
having sum(side.amount) > 0;

create index journal_settled_coins on journal (seq) where kind = 42;
