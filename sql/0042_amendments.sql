-- Amendments of an order are read from the journal itself: its amends (kind 21) with what else gave it new
-- terms (20 triggered, 22 reduced), by the eight bytes that hold its id, in their order.
create index journal_order_terms on journal (substring(body from 25 for 8), seq) where kind in (20, 21, 22);

-- The first event at or after a time; one past the newest if all are earlier, null for an empty journal.
create function first_event_since(p_us bigint) returns bigint
language plpgsql stable strict parallel safe cost 1000 as $$
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
$$;
