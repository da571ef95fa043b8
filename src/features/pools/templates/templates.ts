import { dateParts } from '../../../finance/dates.ts';
import type { Structure } from '../../../finance/structure/structure.ts';
import { PRIME_AUTO, PRIME_AUTO_YSOC, SEQUENTIAL_AUTO, SUBPRIME_AUTO } from './auto.ts';
import { CONSUMER } from './consumer.ts';
import { EQUIPMENT } from './equipment.ts';
import { JUMBO, NON_QM } from './mortgage.ts';
import { STUDENT } from './student.ts';
import type { StructureTemplate } from './template.ts';

export const TEMPLATES: readonly StructureTemplate[] = [
  SEQUENTIAL_AUTO,
  PRIME_AUTO,
  PRIME_AUTO_YSOC,
  SUBPRIME_AUTO,
  CONSUMER,
  NON_QM,
  JUMBO,
  STUDENT,
  EQUIPMENT,
];

export const findTemplate = (id: string): StructureTemplate | null => TEMPLATES.find(({ template }) => template === id) ?? null;

/** Notes are sold in thousands. */
const DENOMINATION = 1_000;
/** In a pool of this size the smallest class of every template is some denominations. */
export const LEAST_BALANCE = 1_000_000;
export const DEFAULT_BALANCE = 100_000_000;

/** The structure of a template over a pool of this balance: classes in whole thousands, never more than their share. */
export function scaleTemplate({ structure }: StructureTemplate, balance: number, firstPaymentDate?: string): Structure {
  const share = (percent: number, unit: number) => Math.floor(Number(((balance * percent) / 100 / unit).toPrecision(12))) * unit;
  const { payment, tranches, accounts, ...rest } = structuredClone(structure);
  return {
    payment: {
      ...payment,
      ...(firstPaymentDate === undefined
        ? {}
        : { first_payment_date: firstPaymentDate, payment_day: dateParts(firstPaymentDate).day }),
    },
    tranches: tranches.map((tranche) =>
      tranche.balance
        ? { ...tranche, balance: share(tranche.balance, DENOMINATION), denomination: DENOMINATION, increment: DENOMINATION }
        : tranche,
    ),
    ...(accounts
      ? {
          accounts: accounts.map((account) => ({
            ...account,
            // In cents: a reserve is as large as its target from the start.
            initial: Math.round(balance * (account.initial ?? 0)) / 100,
          })),
        }
      : {}),
    ...rest,
  };
}
