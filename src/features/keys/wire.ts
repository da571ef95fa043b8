import Type from 'typebox';
import { text } from '../../platform/http/schemas.ts';

export const TAG = 'Keys and organizations';

export const ROLES = ['originator', 'investor', 'both', 'operator'] as const;

/** The body of an act of the operator. */
export const Reason = Type.Object({ reason: Type.Optional(text(1_000, 'Why; kept in the audit log.')) });
