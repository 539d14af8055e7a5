-- A listen key is told again to the API key it was made with, so it rests sealed under the master key
-- beside its hash. Keys from before have no seal: they live out their hour and are not told again.

alter table listen_keys
  add column sealed_key bytea,
  add column seal_version integer,
  add constraint listen_keys_seal_check check ((sealed_key is null) = (seal_version is null));
