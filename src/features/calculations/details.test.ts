import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Deps } from '../../platform/deps.ts';
import type { CalculationResult } from '../../finance/structure/calculate.ts';
import { cashFlowRows, csvOf, readFlows, readTrace, type ScenarioFlows } from './details.ts';
import type { CalculationWithResult } from './queries.ts';

const poolRow = { period: 1, date: '2027-01-15', opening: 100, closing: 90 };
const trancheRow = { period: 1, date: '2027-01-15', opening: 70, closing: 60, factor: 0.85714286 };
/** Flows with the fields that the rows are chosen by; the others do not matter here. */
const flows = (...tranches: string[]): ScenarioFlows =>
  ({
    scenario: 'base',
    collateral: [poolRow],
    tranches: Object.fromEntries(tranches.map((name, index) => [name, [{ ...trancheRow, opening: 70 + index }]])),
  }) as unknown as ScenarioFlows;

test('rows are those of one tranche, of the collateral, or of all tranches one after the other', () => {
  const both = flows('A-1', 'B');
  assert.deepEqual(cashFlowRows(both, 'B'), [{ tranche: 'B', ...trancheRow, opening: 71 }]);
  assert.deepEqual(cashFlowRows(both, 'collateral'), [{ tranche: 'collateral', ...poolRow }]);
  assert.deepEqual(
    cashFlowRows(both, undefined).map((row) => [row.tranche, row.opening]),
    [
      ['A-1', 70],
      ['B', 71],
    ],
  );
  assert.deepEqual(cashFlowRows(flows(), undefined), []);
});

test('a tranche that is called collateral is the tranche', () => {
  assert.deepEqual(cashFlowRows(flows('collateral'), 'collateral'), [{ tranche: 'collateral', ...trancheRow }]);
});

test('a tranche that is not there is absent, whatever an object inherits', () => {
  for (const name of ['C', '', 'a-1', 'toString', 'constructor', 'hasOwnProperty']) {
    assert.throws(() => cashFlowRows(flows('A-1'), name), { code: 'NOT_FOUND' }, name);
  }
});

test('CSV has money with two decimals, factors with eight, whole periods, and nothing where there is nothing', () => {
  const rows = [
    { tranche: 'A-1', period: 12, date: '2027-01-15', opening: 1_234_567.8, closing: 0, factor: 0.5 },
    { tranche: 'A, "1"', period: 13, date: '2027-02-15', opening: -0.1, closing: 1e9, factor: 1 },
  ];
  assert.equal(
    csvOf(rows),
    'tranche,period,date,opening,closing,factor\r\n' +
      'A-1,12,2027-01-15,1234567.80,0.00,0.50000000\r\n' +
      '"A, ""1""",13,2027-02-15,-0.10,1000000000.00,1.00000000\r\n',
  );
  assert.equal(csvOf([]), '');
});

test('a row without a column of the first leaves it empty', () => {
  const rows = [
    { tranche: 'A', period: 1, date: '2027-01-15', opening: 1, closing: 1, factor: 1 },
    { tranche: 'A', period: 2, date: '2027-02-15', opening: 1, closing: 1 },
  ];
  assert.equal(csvOf(rows).split('\r\n')[2], 'A,2,2027-02-15,1.00,1.00,');
});

test('a column that only a later tranche has is there, and coupons keep their decimals', () => {
  const rows = [
    { tranche: 'A', period: 1, date: '2027-01-15', opening: 1, closing: 1, factor: 1 },
    { tranche: 'F', period: 1, date: '2027-01-15', opening: 1, closing: 1, factor: 1, coupon: 4.875, carry_over: 0.5 },
  ];
  assert.deepEqual(csvOf(rows).split('\r\n').slice(0, 3), [
    'tranche,period,date,opening,closing,factor,coupon,carry_over',
    'A,1,2027-01-15,1.00,1.00,1.00000000,,',
    'F,1,2027-01-15,1.00,1.00,1.00000000,4.87500000,0.50',
  ]);
});

test('the details of a scenario are read by its place in the result', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-details-'));
  try {
    for (const [index, scenario] of ['base', 'stress'].entries()) {
      writeFileSync(join(folder, `${index}.json`), JSON.stringify({ scenario }));
      writeFileSync(join(folder, `${index}.trace.json`), JSON.stringify([{ period: index + 1 }]));
    }
    const paths: string[] = [];
    const localPath = async (key: string): Promise<string | null> => {
      paths.push(key);
      return key.startsWith('kept/') ? join(folder, key.slice('kept/'.length)) : null;
    };
    const deps = { store: { localPath } } as unknown as Deps;
    const result = { results: [{ scenario: 'base' }, { scenario: 'stress' }] } as unknown as CalculationResult;
    const completed = { status: 'COMPLETED', result, details_key: 'kept', calculation_id: 'calc_1' } as CalculationWithResult;
    assert.deepEqual(await readFlows(deps, completed, undefined), { scenario: 'base' });
    assert.deepEqual(await readFlows(deps, completed, 'stress'), { scenario: 'stress' });
    assert.deepEqual(await readTrace(deps, completed, undefined), [{ period: 1 }]);
    assert.deepEqual(await readTrace(deps, completed, 'stress'), [{ period: 2 }]);
    assert.deepEqual(paths, ['kept/0.json', 'kept/1.json', 'kept/0.trace.json', 'kept/1.trace.json']);
    for (const name of ['', 'Base', 'toString', '0'])
      await assert.rejects(readFlows(deps, completed, name), { code: 'NOT_FOUND' });
    for (const status of ['PENDING', 'RUNNING', 'FAILED'] as const) {
      const early = { ...completed, status };
      await assert.rejects(readFlows(deps, early, undefined), { code: 'CONFLICT', extra: { current_status: status } });
    }
    await assert.rejects(readTrace(deps, { ...completed, result: null }, undefined), { code: 'CONFLICT' });
    await assert.rejects(readTrace(deps, { ...completed, details_key: null }, undefined), { code: 'CONFLICT' });
    await assert.rejects(
      readFlows(deps, { ...completed, details_key: 'lost' }, undefined),
      /details of calc_1 are not in the store/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
