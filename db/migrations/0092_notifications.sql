-- What each organization wants to get by e-mail. An organization without a row gets nothing.
create table notification_preferences (
  organization_id text not null references organizations (organization_id),
  digest text not null check (digest in ('DAILY', 'NONE')),
  -- Priorities whose alerts are sent at once.
  immediate text[] not null,
  -- Types of alerts that are not sent; those that a later version adds are.
  types_off text[] not null,
  -- The business date of the last digest.
  digested_on date,
  updated_at timestamptz not null,
  constraint notification_preferences_pkey primary key (organization_id)
);
call sluice_protect('notification_preferences');

create table notification_addresses (
  address_id text not null,
  organization_id text not null references organizations (organization_id),
  email text not null,
  position int not null,
  -- Types of alerts that this address has unsubscribed from, and `digest`.
  unsubscribed text[] not null default '{}',
  last_sent_at timestamptz,
  -- Why the last e-mail to it was not accepted; null when it was.
  last_error text,
  last_error_at timestamptz,
  last_error_permanent boolean,
  created_at timestamptz not null,
  constraint notification_addresses_pkey primary key (address_id),
  constraint notification_addresses_once unique (organization_id, email)
);
call sluice_protect('notification_addresses');

-- Alerts that are to be sent: a narrow row in the transaction of the alert, which workers expand to an e-mail per address.
create table alerts_to_mail (
  organization_id text not null,
  kind text not null check (kind in ('ALERT', 'DIGEST')),
  alert_id text not null,
  created_at timestamptz not null,
  constraint alerts_to_mail_pkey primary key (organization_id, kind, alert_id)
);
create index alerts_to_mail_at_once on alerts_to_mail (alert_id) where kind = 'ALERT';
create index alerts_to_mail_created on alerts_to_mail (created_at);
call sluice_protect('alerts_to_mail');

-- E-mails that wait to be sent. They go with their address.
create table emails (
  email_id text not null,
  organization_id text not null,
  address_id text not null references notification_addresses (address_id) on delete cascade,
  kind text not null check (kind in ('ALERT', 'DIGEST')),
  -- The alert, or those that the digest lists.
  alert_ids text[] not null,
  -- How many alerts the digest is about.
  total int not null,
  created_at timestamptz not null,
  -- Of the platform's clock; the lease is of the database's.
  due_at timestamptz not null,
  -- Attempts with a result, and claims since the last of them and before.
  attempts int not null default 0,
  claims int not null default 0,
  claim_id uuid,
  lease_until timestamptz,
  constraint emails_pkey primary key (email_id)
);
create index emails_due on emails (organization_id, due_at, email_id);
create index emails_address on emails (address_id);
create index emails_created on emails (created_at);
call sluice_protect('emails');
