import { apportion } from '../../finance/money.ts';

/** Whom a payment goes to: a holder of record, or the deal's owner for the face that nobody else holds. */
export const HOLDERS = ['OF_RECORD', 'RETAINED'] as const;
export type HolderKind = (typeof HOLDERS)[number];

/** A holder of one tranche at the end of a record date; face in cents. */
export type RecordHolder<Organization extends string = string> = {
  organization_id: Organization;
  holder: HolderKind;
  face: bigint;
};

/** What a report pays on a tranche, in cents; a write-down is negative where balance is reinstated, and a restatement has differences. */
export type PaidAmounts = { interest: bigint; principal: bigint; writedown: bigint; accreted: bigint };

const AMOUNTS = ['interest', 'principal', 'writedown', 'accreted'] as const;
export const NOTHING: PaidAmounts = { interest: 0n, principal: 0n, writedown: 0n, accreted: 0n };

/**
 * The holders of a tranche: those of record in the order of their ids, then its owner with the rest of the face, which may be nothing. The
 * order decides between equal remainders, so that the same amounts are always shared in the same way.
 */
export function withRetained<Organization extends string>(
  ofRecord: readonly Omit<RecordHolder<Organization>, 'holder'>[],
  owner: Organization,
  originalBalance: bigint,
): RecordHolder<Organization>[] {
  const held = ofRecord.reduce((sum, each) => sum + each.face, 0n);
  if (held > originalBalance) throw new Error(`the holders of record have ${held} cents of a tranche of ${originalBalance}`);
  const sorted = ofRecord.toSorted((a, b) => (a.organization_id < b.organization_id ? -1 : 1));
  return [
    ...sorted.map((each) => ({ ...each, holder: 'OF_RECORD' as const })),
    { organization_id: owner, holder: 'RETAINED', face: originalBalance - held },
  ];
}

/** Shares amounts by face, by largest remainder: the holders add up to the tranche, to the cent. Without any face the last holder, the owner, gets all. */
export function allot(amounts: PaidAmounts, holders: readonly { face: bigint }[]): PaidAmounts[] {
  const faces = holders.map((each) => each.face);
  const weights = faces.some((face) => face > 0n) ? faces : faces.map((_, index) => (index === faces.length - 1 ? 1n : 0n));
  const shares = holders.map(() => ({ ...NOTHING }));
  for (const name of AMOUNTS) {
    const [sign, total] = amounts[name] < 0n ? [-1n, -amounts[name]] : [1n, amounts[name]];
    for (const [index, part] of apportion(total, weights).entries()) (shares[index] as PaidAmounts)[name] = sign * part;
  }
  return shares;
}

export function subtract(a: PaidAmounts, b: PaidAmounts): PaidAmounts {
  return {
    interest: a.interest - b.interest,
    principal: a.principal - b.principal,
    writedown: a.writedown - b.writedown,
    accreted: a.accreted - b.accreted,
  };
}

export function add(a: PaidAmounts, b: PaidAmounts): PaidAmounts {
  return subtract(a, subtract(NOTHING, b));
}

export const isNothing = (amounts: PaidAmounts): boolean => AMOUNTS.every((name) => amounts[name] === 0n);
