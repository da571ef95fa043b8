-- Tapes arrive as Parquet files too.
alter table tapes drop constraint tapes_format_check;
alter table tapes add constraint tapes_format_check check (format in ('csv', 'xlsx', 'parquet', 'inline'));
