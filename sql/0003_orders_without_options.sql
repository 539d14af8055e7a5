-- Few orders have options. An order without them stores nulls, which take no room in its row, instead of zeros. Rows
-- written before keep their zeros, which mean the same.
alter table orders
  alter column flags drop not null, alter column flags drop default,
  alter column stp_mode drop not null, alter column stp_mode drop default,
  alter column quote_qty drop not null, alter column quote_qty drop default,
  alter column good_till_us drop not null, alter column good_till_us drop default,
  alter column trigger_price drop not null, alter column trigger_price drop default,
  alter column working_price drop not null, alter column working_price drop default,
  alter column trailing_bps drop not null, alter column trailing_bps drop default,
  alter column activation_price drop not null, alter column activation_price drop default,
  alter column triggered_us drop not null, alter column triggered_us drop default;
