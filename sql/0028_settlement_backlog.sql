-- Batches that have not settled are few among all there ever were.

create index settlement_batches_live on settlement_batches (opened_ms) where state in (1, 2, 3, 4, 6);
