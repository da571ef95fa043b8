-- The version of the API in which the holder of a key is answered, unless a request names another: that of its first call.
alter table keys add column api_version text;
-- Keys from before there were versions keep what they were answered with then.
update keys set api_version = '2026-11-22';
