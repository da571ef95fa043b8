import { HEADER_DAMAGE } from './headers.ts';
import { STRUCTURE_DAMAGE } from './structure.ts';
import type { DamageKind } from './table.ts';
import { VALUE_DAMAGE } from './values.ts';

/** Every kind of damage that real tapes arrive with. */
export const DAMAGE_KINDS: readonly DamageKind[] = [...HEADER_DAMAGE, ...VALUE_DAMAGE, ...STRUCTURE_DAMAGE];

/** Kinds whose wrong values nobody could tell from right ones, and why. */
export const INVISIBLE: Readonly<Record<string, string>> = {
  'a tenth of the amounts in cents': 'a balance a hundred times another is real where balances spread, as those of cards do',
  'one negative amount in brackets': 'a credit balance is written so',
};
