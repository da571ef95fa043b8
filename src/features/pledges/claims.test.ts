import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';

type Row = Record<string, string>;
type Change = (row: Row, index: number) => void;

/** Deals and pools of one originator. */
function sellerOf(gateway: Gateway, as: Holder, operator: Holder) {
  const deal = (rows: number, change?: Change): Promise<string> =>
    approvedDeal(gateway, as, operator, { bytes: autoTape(rows, change) });
  return {
    as,
    deal,
    form: async (deals: string[], more: Record<string, unknown> = {}): Promise<Answer> => {
      for (;;) {
        const answer = await formPool(gateway, as, deals, more);
        // All processes may be at work: the client tries again.
        if (answer.body.code !== 'COMPUTE_BUSY') return answer;
      }
    },
    cancel: (poolId: string): Promise<Answer> => gateway.call('DELETE', `/v1/api/originator/pools/${poolId}`, { as }),
    pool: async (poolId: string) => (await gateway.call('GET', `/v1/api/originator/pools/${poolId}`, { as })).body.data,
  };
}

test('a loan is in one live pool', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  let sellers = 0;
  const seller = async () => {
    sellers += 1;
    return sellerOf(gateway, await gateway.key('originator', `Seller ${sellers}`), operator);
  };

  await t.test('whichever deal it came in: the same tape again is refused with its loans and their pool', async () => {
    const ours = await seller();
    const [first, second] = [await ours.deal(120), await ours.deal(120)];
    const { pool_id } = (await ours.form([first])).body.data;
    const refused = await ours.form([second]);
    assert.deepEqual(
      [...codeOf(refused), refused.body.total, refused.body.pool_ids],
      [409, 'LOAN_ALREADY_POOLED', 120, [pool_id]],
    );
    const { loans } = refused.body;
    assert.equal(loans.length, 100);
    assert.ok(loans.every((loan: Row) => loan.pool_id === pool_id && /^A\d{6}$/.test(loan.loan_id ?? '')));
    assert.equal(new Set(loans.map((loan: Row) => loan.loan_id)).size, 100);
    await ours.cancel(pool_id);
    assert.equal((await ours.form([second])).status, 201, 'leaving a pool frees it');
  });

  await t.test('however its id is written, and whatever became of its balance and rate', async () => {
    const ours = await seller();
    await ours.form([await ours.deal(3, (row) => void (row['Loan ID'] = `Café-${row['Loan ID']}`.normalize('NFC')))]);
    const aged = await ours.deal(3, (row) => {
      row['Loan ID'] = `  ${`Café-${row['Loan ID']}`.normalize('NFD')}`;
      row['Current Balance'] = '15000.00';
      row['Remaining Term'] = '48';
      row['Contract Rate'] = '8.5';
    });
    const refused = await ours.form([aged]);
    assert.deepEqual([...codeOf(refused), refused.body.total], [409, 'LOAN_ALREADY_POOLED', 3]);
  });

  await t.test('whatever nobody sees stands in its id', async () => {
    const ours = await seller();
    await ours.form([await ours.deal(3)]);
    for (const mark of ['\u200e', '\u200f', '\u202a', '\ufe0f', '\u2064']) {
      const marked = await ours.deal(
        3,
        (row) => void (row['Loan ID'] = `${row['Loan ID']?.slice(0, 4)}${mark}${row['Loan ID']?.slice(4)}`),
      );
      const refused = await ours.form([marked]);
      assert.deepEqual([...codeOf(refused), refused.body.total], [409, 'LOAN_ALREADY_POOLED', 3], JSON.stringify(mark));
    }
  });

  await t.test('and in one place of one pool: two deals of a pool cannot both have it', async () => {
    const ours = await seller();
    const refused = await ours.form([await ours.deal(4), await ours.deal(6)]);
    assert.deepEqual([...codeOf(refused), refused.body.total], [409, 'LOAN_ALREADY_POOLED', 4]);
    assert.deepEqual(
      refused.body.loans.map((loan: Row) => loan.loan_id),
      ['A000001', 'A000002', 'A000003', 'A000004'],
    );
  });

  await t.test('while another organization’s loan of the same id is another loan', async () => {
    const [ours, theirs] = [await seller(), await seller()];
    assert.equal((await ours.form([await ours.deal(3)])).status, 201);
    assert.equal((await theirs.form([await theirs.deal(3)])).status, 201);
  });

  await t.test('a loan whose amount and date both differ has taken over the id of another, and the pool says so', async () => {
    const ours = await seller();
    const first = (await ours.form([await ours.deal(3)])).body.data.pool_id;
    const other: Change = (row) => {
      row['Original Amount Financed'] = '31000.00';
      row['Contract Date'] = '2024-02-20';
    };
    const second = await ours.form([await ours.deal(3, other)]);
    assert.equal(second.status, 201);
    const { warnings } = await ours.pool(second.body.data.pool_id);
    assert.match(warnings.join(), /IDENTITY_REUSED: 3 of 3 loans/);
    // Each keeps its claim when the other one leaves.
    await ours.cancel(first);
    assert.deepEqual(codeOf(await ours.form([await ours.deal(3, other)])), [409, 'LOAN_ALREADY_POOLED']);
    const again = await ours.form([await ours.deal(3)]);
    assert.equal(again.status, 201);
    assert.deepEqual(codeOf(await ours.form([await ours.deal(3)])), [409, 'LOAN_ALREADY_POOLED']);
  });

  await t.test('one of the two alone is a correction: it is the same loan', async () => {
    const ours = await seller();
    await ours.form([await ours.deal(3)]);
    for (const change of [
      (row: Row) => void (row['Original Amount Financed'] = '31000.00'),
      (row: Row) => void (row['Contract Date'] = '2024-02-20'),
      (row: Row) => {
        row['Original Amount Financed'] = '31000.00';
        row['Contract Date'] = '';
      },
    ])
      assert.deepEqual(codeOf(await ours.form([await ours.deal(3, change)])), [409, 'LOAN_ALREADY_POOLED']);
  });

  await t.test('without ids the contents name it, in whatever order the rows come', async () => {
    const ours = await seller();
    const without = (rows: number, turned = false): string => {
      const [header = '', ...lines] = autoTape(rows).trimEnd().split('\n');
      const cut = (line: string): string => line.split(',').slice(1).join(',');
      return `${[cut(header), ...(turned ? lines.toReversed() : lines).map(cut)].join('\n')}\n`;
    };
    const dealOf = (bytes: string): Promise<string> => approvedDeal(gateway, ours.as, operator, { bytes });
    assert.equal((await ours.form([await dealOf(without(8))])).status, 201);
    const refused = await ours.form([await dealOf(without(5, true))]);
    assert.deepEqual([...codeOf(refused), refused.body.total], [409, 'LOAN_ALREADY_POOLED', 5]);
  });

  await t.test(
    'loans that share an id within a tape are numbered by their contents, whichever of them a pool takes',
    async () => {
      const ours = await seller();
      const twins: Change = (row, index) => {
        row['Loan ID'] = 'TWIN';
        row['Original Amount Financed'] = index === 0 ? '21000.00' : '22000.00';
        row.FICO = index === 0 ? '640' : '700';
      };
      const one = await ours.deal(2, twins);
      const filter = (op: string) => ({ filter: [{ id: 'fico', rule: { field: 'credit_score', op, value: 650 } }] });
      assert.equal((await ours.form([one], filter('gt'))).status, 201);
      const again = await ours.deal(2, (row, index) => twins(row, 1 - index));
      assert.deepEqual(codeOf(await ours.form([again], filter('gt'))), [409, 'LOAN_ALREADY_POOLED']);
      assert.equal((await ours.form([again], filter('lt'))).status, 201);
    },
  );

  await t.test('of twenty pools at once over overlapping loans each loan is in one', async () => {
    const ours = await seller();
    const deals: string[] = [];
    // Ten ranges of sixty loans, each of which shares half of its loans with the next.
    for (let start = 0; start < 10; start += 1)
      deals.push(
        await ours.deal(60, (row, index) => {
          row['Loan ID'] = `R${30 * start + index}`;
          row['Contract Date'] = '2025-01-15';
        }),
      );
    const answers = await Promise.all([...deals, ...deals].map((dealId) => ours.form([dealId])));
    const won = answers.filter((answer) => answer.status === 201);
    assert.ok(won.length >= 1);
    for (const lost of answers.filter((answer) => answer.status !== 201))
      assert.deepEqual(codeOf(lost), [409, 'LOAN_ALREADY_POOLED'], JSON.stringify(lost.body));
    const starts = won.map((answer) => deals.indexOf(answer.body.data.deal_ids[0])).toSorted((a, b) => a - b);
    assert.ok(
      starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) >= 2),
      starts.join(),
    );
  });
});
