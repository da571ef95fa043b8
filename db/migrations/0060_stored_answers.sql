-- A stored answer is kept as it was sent, with its fields in their order.
alter table idempotency_keys alter column body type json;
