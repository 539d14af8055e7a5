-- What a skipped batch was to bring custody is told among the claims, as that of a failed one is.

drop index settlement_batches_live;
create index settlement_batches_live on settlement_batches (opened_ms) where state in (1, 2, 3, 4, 6, 7);
