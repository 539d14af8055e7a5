-- Keys keep the minute in which each was last used, in milliseconds UTC; null for none since this column was added. Fronts
-- write it at most once a minute, so after a crash a minute may be missing. Nothing is decided by it.
alter table api_keys add column used_ms bigint;
