-- Whoever trades with a wallet-funded account waits for their batch too, and so do the fees of it: what a
-- sealed batch brings to accounts of custody is among its receipts.

-- A journal that is replayed from its beginning holds what every such fill brought to either side.
insert into settlement_receipts (batch_id, account, asset, amount)
select s.batch_id, side.account, side.asset, sum(side.amount)
from settlement_fills s
join settlement_batches b on b.batch_id = s.batch_id and b.state <> 1
join fills f on f.trade_id = s.trade_id
join markets k on k.market = f.market
cross join lateral (
  select case f.taker_side when 0 then f.taker_account else f.maker_account end as buyer,
         case f.taker_side when 0 then f.maker_account else f.taker_account end as seller,
         case f.taker_side when 0 then f.taker_fee else f.maker_fee end as buyer_fee,
         case f.taker_side when 0 then f.maker_fee else f.taker_fee end as seller_fee
) as who
cross join lateral (values
  (who.buyer, k.base_asset, f.qty * k.base_units_per_lot - who.buyer_fee),
  (who.seller, k.quote_asset, f.quote - who.seller_fee),
  -- The venue's account of fees.
  (1, k.base_asset, who.buyer_fee),
  (1, k.quote_asset, who.seller_fee)
) as side (account, asset, amount)
where not exists (select from settlement_members m where m.account = side.account)
group by s.batch_id, side.account, side.asset
having sum(side.amount) > 0;
