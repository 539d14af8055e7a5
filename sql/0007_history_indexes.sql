-- Indexes as the history queries read: always one market at a time, in the order of ids. Times need no
-- index of their own: ids and times ascend together, so a time is turned into an id by bisection, and
-- an order pays for nothing but the indexes it had before.

-- The tape of one market. A trade id is unique in the venue, and so within its market.
alter table fills drop constraint fills_pkey;
alter table fills add primary key (market, trade_id);

-- The order's id comes last so that the fills of one order are picked without visiting the others' rows.
drop index fills_taker;
drop index fills_maker;
create index fills_taker on fills (taker_account, market, trade_id, taker_order_id);
create index fills_maker on fills (maker_account, market, trade_id, maker_order_id);

drop index orders_account;
create index orders_account on orders (account, market, order_id);

-- Money that moved between wallets or came in (kinds credited and transferred): rare among the
-- journal's rows, and the only ones that are asked for by account.
create index journal_transfers on journal (account, ts_us) where kind in (2, 3);

-- The first trade of a market at or after a time; one past the newest if all are earlier, null for a
-- market without trades.
create function first_fill_since(p_market smallint, p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
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
$$;

-- The first order accepted at or after a time; one past the newest if all are earlier, null if there
-- are no orders.
create function first_order_since(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
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
$$;
