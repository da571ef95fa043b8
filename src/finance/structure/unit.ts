import { fromCents, toCents } from '../money.ts';
import type { Structure } from './structure.ts';

/*
 * Money of a run: currency units, or whole cents where the structure rounds. The unit is the money per currency unit, 1 or 100.
 */

export const unitOf = ({ payment }: Pick<Structure, 'payment'>): 1 | 100 => (payment?.rounding === 'CENT' ? 100 : 1);

/** Currency units in the unit of a run; whole cents, half up, where it counts cents. */
export const toUnit = (amount: number, unit: number): number => (unit === 1 ? amount : toCents(amount, 'HALF_UP'));
export const fromUnit = (amount: number, unit: number): number => (unit === 1 ? amount : fromCents(amount));
