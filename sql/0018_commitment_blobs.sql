-- The blob of an epoch's commitment shows the contract to a node that is no stakeholder of it. Epochs
-- confirmed before have none.

alter table epoch_anchors add column created_event_blob bytea;
