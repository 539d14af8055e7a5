-- Price and quantity are written with the state of an order, at most once per interval, and no longer with its options:
-- an amended order needs one row, not two. A venue of the version before that still leads goes on to send them with the
-- options, and none with the state. So does it with order_changes, which nobody reads any more: the index of an order's
-- terms finds the same entries.

-- Writes the rows of a group that change existing rows, or may.
create or replace function write_projections(
  p_order_states bigint[], p_candles bigint[], p_accounts bigint[], p_keys bigint[], p_markets bigint[],
  p_balances bigint[], p_positions bigint[], p_order_details bigint[]
) returns void
language plpgsql as $$
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
$$;
