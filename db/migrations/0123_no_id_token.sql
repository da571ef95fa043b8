-- No session keeps the token of its sign-in: nothing reads it.
alter table sessions drop column id_token;
