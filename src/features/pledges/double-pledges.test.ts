import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { vin } from './testing/vin.ts';

/**
 * The shape of the frauds that came to light in 2025: 70,000 auto loans, pledged to three lenders in tapes of 33,000, so that 29,000 of
 * them are pledged twice. A lender's tape is not a copy of the other: ids are its own, numbers are written in other ways and mistyped.
 */
const LENDERS = [
  { name: 'First Lender', ranges: [[0, 33_000]] },
  { name: 'Second Lender', ranges: [[23_000, 56_000]] },
  {
    name: 'Third Lender',
    ranges: [
      [46_000, 70_000],
      [0, 9_000],
    ],
  },
] as const;

/** A loan as a lender's tape has it; `copy` counts the lenders. */
function line(loan: number, copy: number): string {
  const kind =
    copy === 0 ? 'as it is' : (['as it is', 'lower case', 'blanks', 'typo in the VIN', 'typo in the contract'][loan % 5] ?? '');
  const number = vin(loan);
  const vehicles: Record<string, string> = {
    'lower case': number.toLowerCase(),
    blanks: ` ${number.slice(0, 3)} ${number.slice(3)} `,
    'typo in the VIN': `${number.slice(0, 16)}${(Number(number.slice(16)) + 1 + copy) % 10}`,
  };
  const contracts: Record<string, string> = { blanks: `HC ${loan}`, 'typo in the contract': `HC${loan}-${copy}` };
  const original = 15_000 + (loan % 20_000);
  const month = String((loan % 12) + 1).padStart(2, '0');
  return [
    copy === 0 ? `HARBOR-${loan}` : `${'XYZ'[copy]}${900_000 + loan}`,
    contracts[kind] ?? `HC${loan}`,
    vehicles[kind] ?? number,
    `2024-${month}-15`,
    `2030-${month}-15`,
    original.toFixed(2),
    (original - 1_000 - copy).toFixed(2),
    '72',
    '60',
    '7.25',
    '700',
    'TX',
  ].join(',');
}

const HEADER =
  'Loan ID,Contract Number,VIN,Contract Date,Maturity,Original Amount Financed,Current Balance,Original Term,Remaining Term,Contract Rate,FICO,Obligor State';

const loansOf = (place: number): number[] =>
  (LENDERS[place]?.ranges ?? []).flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index));

test('of 70,000 loans pledged to three lenders the 29,000 that are pledged twice are found, and no other', async () => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const pools: { as: Holder; pool_id: string }[] = [];
  for (const [place, { name }] of LENDERS.entries()) {
    const as = await gateway.key('originator', name);
    const bytes = `${[HEADER, ...loansOf(place).map((loan) => line(loan, place))].join('\n')}\n`;
    const formed = await formPool(gateway, as, [await approvedDeal(gateway, as, operator, { bytes })]);
    assert.equal(formed.status, 201, JSON.stringify(formed.body));
    assert.equal(formed.body.data.loan_count, 33_000);
    pools.push({ as, pool_id: formed.body.data.pool_id });
  }
  const found = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ conflict_id: string; holder_id: string; loan_id: string; met: string[] }>(
      'select conflict_id, holder_id, loan_id, met from pledge_conflict_loans',
    ),
  );
  const numberOf = (loanId: string, place: number): number =>
    place === 0 ? Number(loanId.slice('HARBOR-'.length)) : Number(loanId.slice(1)) - 900_000;
  const pairs = [
    [0, 1, 23_000, 33_000],
    [1, 2, 46_000, 56_000],
    [0, 2, 0, 9_000],
  ] as const;
  assert.equal(found.length, 2 * 29_000);
  for (const [one, other, from, to] of pairs) {
    const conflictIds = (place: number) =>
      new Set(found.filter((row) => row.holder_id === pools[place]?.pool_id).map((row) => row.conflict_id));
    const [conflictId, ...more] = [...conflictIds(one)].filter((id) => conflictIds(other).has(id));
    assert.equal(more.length, 0);
    for (const place of [one, other]) {
      const rows = found.filter((row) => row.conflict_id === conflictId && row.holder_id === pools[place]?.pool_id);
      const loans = rows.map((row) => numberOf(row.loan_id, place)).toSorted((a, b) => a - b);
      assert.deepEqual(
        loans,
        Array.from({ length: to - from }, (_, index) => from + index),
      );
      for (const { loan_id, met } of rows) {
        const kind = numberOf(loan_id, place) % 5;
        // Two copies with typos share the number that is right in both.
        const expected = kind === 3 ? ['contract_number'] : kind === 4 ? ['vin'] : ['contract_number', 'vin'];
        assert.deepEqual(met, expected, loan_id);
      }
    }
  }
  for (const [place, { as, pool_id }] of pools.entries()) {
    const own = await gateway.call('GET', '/v1/api/originator/pledge-conflicts', { as });
    const counts = pairs.filter(([one, other]) => one === place || other === place).map(([, , from, to]) => to - from);
    assert.deepEqual(
      own.body.data.map((each: { count: number }) => each.count).toSorted((a: number, b: number) => a - b),
      counts.toSorted((a, b) => a - b),
    );
    const said = JSON.stringify(own.body);
    for (const stranger of pools.filter((each) => each.pool_id !== pool_id))
      for (const name of [stranger.pool_id, stranger.as.organization_id]) assert.ok(!said.includes(name), name);
  }
});
