import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { columnsOf, LoanColumns } from './loan-columns.ts';
import { packLoans } from './loan-table.ts';
import { aLoan, anyLoan } from './test-support.ts';

test('columns give back the loans that were put in, in their order', () => {
  fc.assert(
    fc.property(fc.array(anyLoan, { maxLength: 50 }), (loans) => {
      const columns = new LoanColumns(2);
      for (const loan of loans) columns.add(loan);
      deepEqual([...columns], loans);
      deepEqual(packLoans(columns), packLoans(loans));
    }),
  );
});

test('columns keep type and count of a line, and grow past their first room', () => {
  const loans = Array.from({ length: 5000 }, (_, index) =>
    aLoan({ balance: index, ...(index % 7 ? {} : { type: 'ARM', count: 3 }) }),
  );
  const columns = new LoanColumns();
  for (const loan of loans) columns.add(loan);
  deepEqual([...columns], loans);
  equal(columns.special.size, 715);
});

test('changed special loans leave the columns that they come from as they were', () => {
  const columns = columnsOf([aLoan(), aLoan({ interestOnlyMonths: 6 })]);
  const changed = columns.withSpecial((loan) => ({ ...loan, interestOnlyMonths: 12 }));
  deepEqual([...changed], [aLoan(), aLoan({ interestOnlyMonths: 12 })]);
  deepEqual([...columns], [aLoan(), aLoan({ interestOnlyMonths: 6 })]);
});

test('later loans have columns that agree with their objects, and share none that either can write to', () => {
  fc.assert(
    fc.property(fc.array(anyLoan, { minLength: 1, maxLength: 20 }), fc.nat(40), (loans, months) => {
      const columns = columnsOf(loans);
      const before = [...columns.column('ratePercent')];
      const balance = Float64Array.from(loans, (loan) => loan.balance / 2);
      const later = columns.later(months, balance, (loan) => ({
        ...loan,
        balance: loan.balance / 2,
        ratePercent: 7,
        remainingMonths: 9,
      }));
      deepEqual(packLoans(later), packLoans([...later]));
      const [first] = later;
      equal(first.ageMonths, columns.special.has(0) ? loans[0].ageMonths : loans[0].ageMonths + months);
      later.add(aLoan());
      deepEqual([...later].at(-1), aLoan());
      deepEqual([...columns.column('ratePercent')], before);
    }),
  );
});

test('a loan that cannot be projected is named by its place and field', () => {
  throws(() => packLoans([aLoan(), aLoan({ ageMonths: 1.5 })]), /loan 1: ageMonths is 1.5, expected whole months/);
  throws(() => packLoans([aLoan({ balance: Number.NaN })]), /loan 0: balance is NaN/);
});
