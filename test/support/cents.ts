/** Whole cents of an amount of the wire, so that sums of them are exact. */
export const cents = (amount: number): number => Math.round(amount * 100);
