import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffTapes } from './diff-tapes.ts';
import { openRoom } from '../testing/take-tape.ts';

const HEAD = 'loan_id,original_balance,current_balance,loan_status,remaining_term\n';

async function diff(before: string, after: string) {
  await using room = await openRoom();
  const [previous, next] = [
    await room.take({ loanType: 'Personal', csv: HEAD + before }),
    await room.take({ loanType: 'Personal', csv: HEAD + after }),
  ];
  return await diffTapes({ engine: room.engine, previous: previous.files.loans as string, next: next.files.loans as string });
}

test('the roll-forward ties: opening + added − removed − principal − charged off + adjustment = closing', async () => {
  const before =
    'A,1000,900.10,Current,30\nB,1000,800,Current,30\nC,1000,700,Current,30\nD,1000,600,Current,30\nE,1000,500,Current,30\n';
  const after =
    'A,1000,850.05,Current,29\nB,1000,0,Charged Off,29\nD,1000,650,Current,30\nE,1000,500,Current,30\nF,2000,1990,Current,36\n';
  const { roll_forward: flow, ...counts } = await diff(before, after);
  assert.deepEqual(flow, {
    opening: '3500.10',
    added: '1990.00',
    removed: '700.00',
    principal: '50.05',
    charged_off: '800.00',
    adjustment: '50.00',
    closing: '3990.05',
  });
  assert.deepEqual([counts.added, counts.removed, counts.changed], [1, 1, 3]);
  const cents = (text: string) => Math.round(Number(text) * 100);
  assert.equal(
    cents(flow.opening) +
      cents(flow.added) -
      cents(flow.removed) -
      cents(flow.principal) -
      cents(flow.charged_off) +
      cents(flow.adjustment),
    cents(flow.closing),
  );
});

test('loans of a tape without ids are compared by their content, whatever their order', async () => {
  await using room = await openRoom();
  const head = 'original_balance,current_balance,interest_rate,origination_date,state\n';
  const rows = [
    '1000,900,5,2024-01-15,NY',
    '2000,1500,6,2024-02-15,TX',
    '3000,2500,7,2024-03-15,CA',
    '3000,2600,7,2024-03-15,CA',
  ];
  const [first = '', second = '', third = '', fourth = ''] = rows;
  const later = [third, fourth.replace('2600', '2400'), '4000,4000,8,2025-01-15,FL', first.replace('900', '850')];
  const [previous, next] = [
    await room.take({ loanType: 'Personal', csv: head + [first, second, third, fourth].join('\n') }),
    await room.take({ loanType: 'Personal', csv: head + later.join('\n') }),
  ];
  const paths = { previous: previous.files.loans as string, next: next.files.loans as string };
  const found = await diffTapes({ engine: room.engine, ...paths, byContentOf: 'Personal' });
  assert.deepEqual([found.added, found.removed, found.changed, found.breaks], [1, 1, 2, []]);
  assert.deepEqual(
    [found.roll_forward.principal, found.roll_forward.removed, found.roll_forward.added],
    ['250.00', '1500.00', '4000.00'],
  );
});

test('what cannot have happened to a loan is a break that names loan, field and both values', async () => {
  const before = 'A,1000,900,Current,30\nB,1000,800,Charged Off,30\nC,1000,700,Current,30\n';
  const after = 'A,1100,950,Current,31\nB,1000,800,Current,30\nC,1000,650,Current,29\n';
  const { breaks } = await diff(before, after);
  assert.deepEqual(
    breaks.map(({ loan_id, rule_id, field, previous, next }) => [loan_id, rule_id, field, previous, next]),
    [
      ['A', 'BALANCE_ROSE', 'current_balance', '900.000000', '950.000000'],
      ['A', 'ORIGINATION_FACT_CHANGED', 'original_balance', '1000.000000', '1100.000000'],
      ['A', 'REMAINING_TERM_GREW', 'remaining_term_months', '30.000000', '31.000000'],
      ['B', 'CAME_BACK', 'loan_status', 'CHARGED_OFF', 'CURRENT'],
    ],
  );
});

test('a tape against itself has no difference', async () => {
  const rows = 'A,1000,900,Current,30\nA,1000,800,Current,30\nB,1000,700,Current,30\n';
  const same = await diff(rows, rows);
  assert.deepEqual([same.added, same.removed, same.changed, same.breaks.length], [0, 0, 0, 0]);
  assert.equal(same.roll_forward.opening, same.roll_forward.closing);
});
