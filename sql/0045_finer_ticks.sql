-- A tick and a lot of a perpetual may together be worth less than the quote's last place: then so many of them
-- make one minor unit (src/core/tick-lot.ts). One of the two figures is 1.

alter table markets add column tick_lots_per_unit integer not null default 1
  check (tick_lots_per_unit > 0 and (tick_lots_per_unit = 1 or units_per_tick_lot = 1)),
  add check (kind = 1 or tick_lots_per_unit = 1);

-- A hundredth is seven per cent of this coin's price. Prices of a journal are ticks of the market as it was, so
-- only a venue that has written nothing yet gets the finer one.
update markets
set tick_decimals = 4, units_per_tick_lot = 1, tick_lots_per_unit = 10
where symbol = 'CC-PERP' and (select last_seq from journal_head) = 0;
