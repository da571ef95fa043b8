import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asId } from '../../platform/ids.ts';
import { portfolioResults } from './portfolio-figures.ts';

test('a deal that a release without prices and average lives has calculated has them as null, and its amounts', () => {
  const tranche_id = asId('trn', 'trn_1');
  const position = { tranche_id, tranche: 'A-1', class: 'A', face: '100', original_balance: '100', balance: '10000' };
  const holding = { asset_type: 'Auto' as const, originator: 'Harbor', positions: [position], yields: { 'A-1': 5 } };
  const stored = { tranche_id, market_value: 10_050, interest: 500, principal: 10_000, writedown: 0 };
  const figures = [{ positions: [stored], months: [], warnings: [] }];
  const [result] = portfolioResults(['base'], [{ deal_id: asId('deal', 'deal_1'), holding, figures }]);
  const [{ price, wal, principal, yield: rate } = {}] = result?.positions ?? [];
  assert.deepEqual([price, wal, principal, rate, result?.wal, result?.principal], [null, null, 100, 5, null, 100]);
});
