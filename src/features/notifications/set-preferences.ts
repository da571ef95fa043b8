import type { AlertType, Priority } from '../../events/events.ts';
import { audit } from '../../platform/audit.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { ApiError, type FieldProblem } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { normalizeEmail } from '../../platform/net/email-address.ts';
import { ALERT_TYPES, DEFAULTS, type Digest } from './notification.ts';
import {
  type AddressRow,
  findPreferences,
  listAddresses,
  lockPreferences,
  replaceAddresses,
  upsertPreferences,
} from './queries.ts';

export type PreferencesChange = {
  emails?: readonly string[];
  digest?: Digest;
  immediate?: readonly Priority[];
  types?: Partial<Record<AlertType, boolean>>;
};

export type Preferences = {
  emails: string[];
  digest: Digest;
  immediate: Priority[];
  types: Record<string, boolean>;
  updated_at: Date | null;
  addresses: {
    email: string;
    unsubscribed: string[];
    last_sent_at: Date | null;
    last_error: { at: Date; message: string; permanent: boolean } | null;
  }[];
};

/** The preferences of an organization, or the defaults where it has set none. */
export async function readPreferences(tx: Reader, organizationId: string): Promise<Preferences> {
  const [stored, addresses] = await Promise.all([findPreferences(tx, organizationId), listAddresses(tx, organizationId)]);
  return {
    emails: addresses.map((each) => each.email),
    digest: stored?.digest ?? DEFAULTS.digest,
    immediate: stored?.immediate ?? [...DEFAULTS.immediate],
    types: Object.fromEntries(ALERT_TYPES.map((type) => [type, !stored?.types_off.includes(type)])),
    updated_at: stored?.updated_at ?? null,
    addresses: addresses.map(addressOf),
  };
}

const addressOf = (row: AddressRow): Preferences['addresses'][number] => ({
  email: row.email,
  unsubscribed: row.unsubscribed,
  last_sent_at: row.last_sent_at,
  last_error:
    row.last_error === null || row.last_error_at === null
      ? null
      : { at: row.last_error_at, message: row.last_error, permanent: row.last_error_permanent ?? false },
});

/** Changes what is given; fields and types that are left out stay as they are. */
export async function setPreferences(tx: Tx, actor: Actor, change: PreferencesChange): Promise<Preferences> {
  const { organization_id } = actor;
  const emails = change.emails && distinctEmails(change.emails);
  await lockPreferences(tx, organization_id);
  const before = await readPreferences(tx, organization_id);
  const types: Record<string, boolean> = { ...before.types, ...change.types };
  await upsertPreferences(tx, organization_id, {
    digest: change.digest ?? before.digest,
    immediate: [...new Set(change.immediate ?? before.immediate)],
    types_off: ALERT_TYPES.filter((type) => types[type] === false),
  });
  if (emails) await replaceAddresses(tx, organization_id, emails);
  const after = await readPreferences(tx, organization_id);
  audit(tx, {
    organization_id,
    actor: actor.actor_id,
    action: 'notifications.set',
    entity_type: 'organization',
    entity_id: organization_id,
    before: auditedFields(before),
    after: auditedFields(after),
  });
  return after;
}

/** The log keeps every entry for good, so it counts the addresses of people and does not name them. */
const auditedFields = ({ emails, digest, immediate, types }: Preferences): object => ({
  addresses: emails.length,
  digest,
  immediate,
  types_off: Object.keys(types).filter((type) => !types[type]),
});

/** Addresses in the form that is kept; one that is given twice counts once. */
function distinctEmails(given: readonly string[]): string[] {
  const problems: FieldProblem[] = [];
  const emails = given.flatMap((text, index) => {
    const email = normalizeEmail(text);
    if (email !== null) return [email];
    problems.push({
      field: `emails[${index}]`,
      code: 'INVALID',
      message: `saw ${JSON.stringify(text.slice(0, 100))}, expected one e-mail address such as desk@example.com: ASCII, without a name or blanks; a domain with other letters in its xn-- form`,
    });
    return [];
  });
  if (problems.length > 0) throw new ApiError('VALIDATION_FAILED', undefined, { errors: problems });
  return [...new Set(emails)];
}
