import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { text } from '../../platform/http/schemas.ts';

export const TAG = 'Keys and organizations';

export const ROLES = ['originator', 'investor', 'both', 'operator'] as const;

/** The body of an act of the operator. */
export const Reason = named('Reason', { reason: Type.Optional(text(1_000, 'Why; kept in the audit log.')) });
