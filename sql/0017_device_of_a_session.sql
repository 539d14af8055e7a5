-- Sessions keep from where their log-in came, for their owner to recognise: the device in words of a fixed list, empty if
-- it is not known, and the address as the venue saw it, empty for sessions opened before. Nothing is decided by them.
alter table wallet_sessions add column device text not null default '';
alter table wallet_sessions add column address text not null default '';
