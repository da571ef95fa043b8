import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { type Seller, seller } from '../../../test/support/tapes.ts';

type Suggestion = { source: string; target: string; reason: string; samples: unknown[]; samples_withheld: string | null };

const suggestionsOf = async (ours: Seller, dealId: string): Promise<Suggestion[]> =>
  (await ours.call('GET', `/${dealId}/mapping`)).body.data.suggestions;

test('the values that a suggestion shows', async (t) => {
  await using gateway = await startGateway();
  const lines = (header: string, ...rows: string[]) =>
    `Loan ID,Amount Financed,${header}\n${rows.map((row, index) => `A${index},100${index}.00,${row}`).join('\n')}\n`;

  await t.test('are the first different ones of the column, with what they would read as', async () => {
    const ours = await seller(gateway, 'Rates');
    const rows = ['5.25%,6.1', '5.25%,6.2', 'n/a,6.3', 'soon,6.4', '7.5%,6.5', '8%,6.6'];
    const found = await suggestionsOf(ours, await ours.checked(lines('APR,Contract Rate', ...rows)));
    const apr = found.find(({ source }) => source === 'APR');
    assert.deepEqual([apr?.target, apr?.samples_withheld], ['interest_rate', null]);
    assert.deepEqual(apr?.samples, [
      { value: '5.25%', reads_as: '5.25', unreadable: false },
      { value: 'soon', reads_as: null, unreadable: true },
      { value: '7.5%', reads_as: '7.5', unreadable: false },
    ]);
  });

  await t.test('are cut where they are long', async () => {
    const ours = await seller(gateway, 'Long');
    const found = await suggestionsOf(ours, await ours.checked(lines('FICO', 'x'.repeat(5_000), 'y', 'z')));
    const [sample] = (found.find(({ source }) => source === 'FICO')?.samples ?? []) as { value: string }[];
    assert.equal(sample?.value, `${'x'.repeat(79)}…`);
  });

  await t.test('are none of a column that looks like data of persons, and the reason quotes none either', async () => {
    for (const [header, values] of [
      ['FICO', ['ann@example.com', 'bob@example.com', 'cy@example.com']],
      ['FICO', ['555-12-3456', '555-12-9999', '555-12-1111']],
      ['FICO', ['(212) 555-0101', '(212) 555-0102', '(212) 555-0103']],
      ['SSN FICO', ['Miller', 'Stone', 'Young']],
    ] as const) {
      const ours = await seller(gateway, `Discreet ${values[0]}`);
      const found = await suggestionsOf(ours, await ours.checked(lines(header, ...values)));
      const told = JSON.stringify(found);
      for (const value of values) assert.ok(!told.includes(value), told);
      if (header === 'FICO') assert.match(found.find(({ source }) => source === header)?.samples_withheld ?? '', /persons/);
    }
  });
});
