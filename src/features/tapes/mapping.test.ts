import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway, codeOf } from '../../../test/support/gateway.ts';
import fc from '../../../test/support/property.ts';
import { autoTape, seller, waitingJobs } from '../../../test/support/tapes.ts';
import type { MappingRequest } from '../../loans/types.ts';
import { mergeBySource } from './tape.ts';

type Entry = { source: string; target: string };
/** The columns that fill a field, by field. */
const byTarget = (mapping: { mappings: Entry[] }): Record<string, string> =>
  Object.fromEntries(mapping.mappings.map(({ source, target }) => [target, source]));
/** The small tape with amounts under headers that say nothing. */
const unnamed = (rows: number): string =>
  autoTape(rows).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
const BOTH_AMOUNTS = [
  { source: 'Alpha', target: 'original_balance' },
  { source: 'Beta', target: 'current_balance' },
];

test('the mapping of a tape', async (t) => {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');

  await t.test(
    'is empty before the first tape, shows each column afterwards, and is its owner’s to read and change',
    async () => {
      const [ours, theirs] = [await seller(gateway, 'Owner'), await seller(gateway, 'Stranger')];
      const draft = (await ours.initiate({ loanType: 'Student' })).body.data.deal_id;
      const empty = { mappings: [], sealed: [], unmapped: [], missing_required: [], suggestions: [] };
      assert.deepEqual((await ours.call('GET', `/${draft}/mapping`)).body.data, empty);
      const dealId = await ours.checked(autoTape(6).replace('New/Used', 'Zeta'));
      const { data } = (await ours.call('GET', `/${dealId}/mapping`)).body;
      assert.deepEqual(data.unmapped, ['Zeta']);
      assert.deepEqual(
        [byTarget(data).original_balance, byTarget(data).loan_id, byTarget(data).credit_score],
        ['Original Amount Financed', 'Loan ID', 'FICO'],
      );
      for (const each of data.mappings) assert.ok(each.confidence > 0.5 && each.confidence <= 1, JSON.stringify(each));
      assert.deepEqual(codeOf(await theirs.call('GET', `/${dealId}/mapping`)), [404, 'NOT_FOUND']);
      assert.deepEqual(codeOf(await theirs.map(dealId, { source: 'FICO', target: null })), [404, 'NOT_FOUND']);
      assert.deepEqual(codeOf(await ours.map('deal_none', { source: 'FICO', target: null })), [404, 'NOT_FOUND']);
      assert.deepEqual((await ours.call('GET', `/${dealId}/mapping`)).body.data, data);
    },
  );

  await t.test(
    'that is changed lets a tape through that waited for it: RUNNING before the answer leaves, then DONE',
    async () => {
      const ours = await seller(gateway, 'Waiting');
      const dealId = await ours.checked(unnamed(12), 'Personal');
      assert.equal((await ours.deal(dealId)).qc.state, 'NEEDS_MAPPING');
      const mapped = await ours.map(dealId, ...BOTH_AMOUNTS);
      assert.deepEqual([mapped.status, mapped.body.data.qc], [202, { state: 'RUNNING' }]);
      const running = await ours.deal(dealId);
      assert.deepEqual(
        [running.status, running.qc.state, running.mapping_id],
        ['IN_REVIEW', 'RUNNING', mapped.body.data.mapping_id],
      );
      await gateway.runJobs();
      const done = await ours.deal(dealId);
      assert.deepEqual([done.status, done.qc.state, done.loan_count, done.tape_version], ['QC_COMPLETED', 'DONE', 12, 1]);
      const [entry] = (await ours.audited(dealId)).filter(({ action }) => action === 'mapping.changed');
      assert.deepEqual([entry?.actor, entry?.after], [ours.as.key_id, { mapping_id: mapped.body.data.mapping_id }]);
    },
  );

  await t.test(
    'is answered as the checks will try it: what was requested is certain, and nothing that it fills is missing',
    async () => {
      const ours = await seller(gateway, 'Previewed');
      const dealId = await ours.checked(unnamed(6));
      const preview = (await ours.map(dealId, ...BOTH_AMOUNTS, { source: 'FICO', target: null })).body.data;
      assert.deepEqual([preview.unmapped, preview.missing_required], [['FICO'], []]);
      for (const { source } of BOTH_AMOUNTS)
        assert.equal(preview.mappings.find((each: Entry) => each.source === source).confidence, 1, source);
      await gateway.runJobs();
      const { data } = (await ours.call('GET', `/${dealId}/mapping`)).body;
      assert.deepEqual(byTarget(data), byTarget(preview));
      assert.deepEqual(data.unmapped, ['FICO']);
    },
  );

  await t.test('merges by column: what was said of the others stays, and fields that are given up can change hands', async () => {
    const ours = await seller(gateway, 'Merging');
    const dealId = await ours.checked(unnamed(6));
    const shown = async () => byTarget((await ours.call('GET', `/${dealId}/mapping`)).body.data);
    await ours.map(dealId, ...BOTH_AMOUNTS);
    await gateway.runJobs();
    await ours.map(dealId, { source: 'Alpha', target: 'current_balance' }, { source: 'Beta', target: null });
    await gateway.runJobs();
    const moved = await shown();
    assert.deepEqual([moved.current_balance, moved.original_balance], ['Alpha', undefined]);
    await ours.map(dealId, { source: 'Beta', target: 'original_balance' });
    await gateway.runJobs();
    const swapped = await shown();
    assert.deepEqual([swapped.current_balance, swapped.original_balance], ['Alpha', 'Beta']);
    await ours.map(dealId, ...BOTH_AMOUNTS);
    await gateway.runJobs();
    const back = await shown();
    assert.deepEqual([back.current_balance, back.original_balance], ['Beta', 'Alpha']);
  });

  await t.test('gives no column a field that another one fills, however that was found, until that one gives it up', async () => {
    const ours = await seller(gateway, 'Taking');
    const dealId = await ours.checked(unnamed(6));
    const path = `/${dealId}/mapping`;
    const made = {
      source: 'LTV made',
      target: 'ltv',
      transform: { formula: { num: 'Beta', den: 'Collateral Value', scale: 100 } },
    };
    assert.equal((await ours.map(dealId, ...BOTH_AMOUNTS, made)).status, 202);
    await gateway.runJobs();
    const before = [await ours.deal(dealId), (await ours.call('GET', path)).body.data];
    const jobs = await waitingJobs(gateway);
    for (const [holder, taken] of [
      ['Beta', { source: 'Alpha', target: 'current_balance' }],
      ['FICO', { source: 'new used', target: 'credit_score' }],
      ['LTV made', { source: 'New/Used', target: 'ltv' }],
    ] as const) {
      const mappings = [{ source: 'Obligor State', target: null }, taken];
      for (const [method, at] of [
        ['PUT', path],
        ['POST', `${path}/preview`],
      ] as const) {
        const refused = await ours.call(method, at, { mappings });
        const [problem] = refused.body.errors ?? [];
        assert.deepEqual(
          [...codeOf(refused), problem?.field, problem?.code],
          [422, 'MAPPING_INVALID', 'mappings.1', 'DUPLICATE_TARGET'],
        );
        for (const word of [`"${holder}"`, `"${taken.source}"`, `"${taken.target}"`, '"target": null'])
          assert.ok(problem.message.includes(word), `${word}: ${problem.message}`);
      }
      // A release under another writing of the name counts too.
      const released = await ours.call('POST', `${path}/preview`, {
        mappings: [...mappings, { source: holder.toUpperCase(), target: null }],
      });
      assert.equal(released.status, 200, JSON.stringify(released.body));
    }
    assert.deepEqual([await ours.deal(dealId), (await ours.call('GET', path)).body.data], before);
    assert.equal(await waitingJobs(gateway), jobs);
    await ours.map(dealId, { source: 'New/Used', target: 'ltv' }, { source: 'LTV made', target: null });
    await gateway.runJobs();
    assert.equal(byTarget((await ours.call('GET', path)).body.data).ltv, 'New/Used');
  });

  await t.test('gives a field away that only an earlier word about a missing column claims', async () => {
    const ours = await seller(gateway, 'Lacking');
    const full = 'Loan ID,Month,Year,Amount Financed\nA1,04,2021,1000.00\n';
    const dealId = await ours.checked(full);
    const joined = { source: 'Month', target: 'origination_date', transform: { concat: { columns: ['Year'], separator: '/' } } };
    assert.equal((await ours.map(dealId, joined)).status, 202);
    await gateway.runJobs();
    const next = await ours.checked(full.replace('Year', 'Begun').replace('2021', '2021-04-01'));
    assert.equal((await ours.map(next, { source: 'Begun', target: 'origination_date' })).status, 202);
    await gateway.runJobs();
    assert.equal(byTarget((await ours.call('GET', `/${next}/mapping`)).body.data).origination_date, 'Begun');
  });

  await t.test('reads a column as its transform says: scale, unit, date and words', async () => {
    const ours = await seller(gateway, 'Transforming');
    const bytes = autoTape(4, (row) => {
      row['Current Balance'] = '18.5';
      row['Contract Rate'] = '0.0725';
      row['Contract Date'] = '012025';
      row['New/Used'] = '1';
    });
    const dealId = await ours.checked(bytes);
    const transformed = [
      { source: 'Current Balance', target: 'current_balance', transform: { scale: 1000 } },
      { source: 'Contract Rate', target: 'interest_rate', transform: { unit: 'fraction' } },
      { source: 'Contract Date', target: 'origination_date', transform: { date: 'MMYYYY' } },
      { source: 'New/Used', target: 'new_used', transform: { values: { 1: 'NEW' } } },
    ];
    const mapped = await ours.map(dealId, ...transformed);
    assert.equal(mapped.status, 202, JSON.stringify(mapped.body));
    await gateway.runJobs();
    const [loan] = (await ours.call('GET', `/${dealId}/loans`)).body.data;
    assert.deepEqual(
      [loan.current_balance, loan.interest_rate, loan.origination_date, loan.new_used],
      [18_500, 7.25, '2025-01-01', 'NEW'],
    );
    assert.equal((await ours.deal(dealId)).total_balance, 4 * 18_500);
    // A change of another column leaves the transforms, in the response as in the checks.
    const transformsOf = ({ mappings }: { mappings: { source: string; transform?: object }[] }) =>
      Object.fromEntries(mappings.flatMap(({ source, transform }) => (transform ? [[source, transform]] : [])));
    const expected = Object.fromEntries(transformed.map(({ source, transform }) => [source, transform]));
    assert.deepEqual(transformsOf((await ours.map(dealId, { source: 'FICO', target: null })).body.data), expected);
    await gateway.runJobs();
    assert.deepEqual(transformsOf((await ours.call('GET', `/${dealId}/mapping`)).body.data), expected);
  });

  await t.test('is refused with the place of each fault, and nothing runs again', async () => {
    const ours = await seller(gateway, 'Faulty');
    const dealId = await ours.checked();
    const before = [await ours.deal(dealId), (await ours.call('GET', `/${dealId}/mapping`)).body.data];
    const jobs = await waitingJobs(gateway);
    const good = { source: 'FICO', target: null };
    const faults: [unknown[], string, string][] = [
      [[{ source: 'Shoe size', target: 'credit_score' }], 'mappings.0', 'UNKNOWN_SOURCE'],
      [[good, { source: 'Maturity', target: 'shoe_size' }], 'mappings.1', 'UNKNOWN_TARGET'],
      [[good, { source: 'FICO', target: 'credit_score' }], 'mappings.1', 'DUPLICATE_SOURCE'],
      [
        [
          { source: 'Original Amount Financed', target: 'original_balance' },
          { source: 'Current Balance', target: 'original_balance' },
        ],
        'mappings.1',
        'DUPLICATE_TARGET',
      ],
      [[{ source: 'Obligor State', target: 'state', transform: { scale: 2 } }], 'mappings.0', 'INVALID_TRANSFORM'],
      [[{ source: 'Maturity', target: 'maturity_date', transform: { date: 'WHEN' } }], 'mappings.0', 'INVALID_TRANSFORM'],
      [[{ source: 'Contract Rate', target: 'interest_rate', transform: { scale: 0 } }], 'mappings.0', 'INVALID_TRANSFORM'],
    ];
    for (const [mappings, field, code] of faults) {
      const refused = await ours.map(dealId, ...mappings);
      assert.deepEqual(
        [...codeOf(refused), refused.body.errors?.[0]?.field, refused.body.errors?.[0]?.code],
        [422, 'MAPPING_INVALID', field, code],
      );
    }
    for (const mappings of [
      [],
      [{ source: '', target: null }],
      [{ source: 'x'.repeat(1_001), target: null }],
      [{ source: 'FICO' }],
      [{ source: 'FICO', target: 7 }],
      [{ source: 'FICO', target: 'credit_score', transform: { unit: 'permille' } }],
      Array.from({ length: 2_001 }, (_, index) => ({ source: `c${index}`, target: null })),
    ]) {
      assert.deepEqual(
        codeOf(await ours.map(dealId, ...mappings)),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(mappings).slice(0, 80),
      );
    }
    assert.deepEqual([await ours.deal(dealId), (await ours.call('GET', `/${dealId}/mapping`)).body.data], before);
    assert.equal(await waitingJobs(gateway), jobs);
  });

  await t.test('cannot be changed of a DRAFT, while checks run, or once the deal is decided', async () => {
    const ours = await seller(gateway, 'Untimely');
    const entry = { source: 'FICO', target: null };
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const refused = await ours.map(draft, entry);
    assert.deepEqual(
      [...codeOf(refused), refused.body.current_status, refused.body.allowed],
      [409, 'INVALID_TRANSITION', 'DRAFT', ['IN_REVIEW', 'QC_COMPLETED']],
    );
    const dealId = await ours.sent();
    assert.deepEqual(codeOf(await ours.map(dealId, entry)), [409, 'CONFLICT']);
    await gateway.runJobs();
    const answers = await Promise.all([ours.map(dealId, entry), ours.map(dealId, entry)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409], 'two changes at once: one run of the checks');
    await gateway.runJobs();
    await gateway.call('POST', `/v1/operator/deals/${dealId}/approve`, { as: operator });
    assert.deepEqual(codeOf(await ours.map(dealId, entry)), [409, 'INVALID_TRANSITION']);
  });

  await t.test('with which a deal that had passed fails its checks rejects it', async () => {
    const ours = await seller(gateway, 'Worse');
    const dealId = await ours.checked();
    assert.equal((await ours.deal(dealId)).status, 'QC_COMPLETED');
    await ours.map(
      dealId,
      { source: 'Original Amount Financed', target: null },
      { source: 'Obligor State', target: 'original_balance' },
    );
    await gateway.runJobs();
    const deal = await ours.deal(dealId);
    assert.deepEqual(
      [deal.status, deal.history.at(-1).from, deal.history.at(-1).actor],
      ['REJECTED', 'QC_COMPLETED', 'platform'],
    );
    const rejected = (await ours.events(dealId)).at(-1);
    assert.deepEqual([rejected?.event, rejected?.data.reason_code], ['loan.rejected', 'QC_FAILED']);
  });
});

test('a mapping is remembered', async (t) => {
  await using gateway = await startGateway();

  await t.test('for the next tape of its organization and loan type that has the column, which names it', async () => {
    const ours = await seller(gateway, 'Remembering');
    const first = await ours.checked(unnamed(8));
    assert.equal((await ours.deal(first)).mapping_id, null);
    const { mapping_id } = (await ours.map(first, { source: 'Alpha', target: 'original_balance' })).body.data;
    await gateway.runJobs();
    const second = await ours.deal(await ours.checked(unnamed(8)));
    assert.deepEqual([(await ours.deal(first)).mapping_id, second.mapping_id], [mapping_id, mapping_id]);
    assert.deepEqual([second.status, second.loan_count], ['QC_COMPLETED', 8]);
    assert.equal((await ours.deal(await ours.checked())).mapping_id, null, 'a tape without the column owes it nothing');
  });

  await t.test('for no other organization and no other loan type', async () => {
    const [ours, theirs] = [await seller(gateway, 'Knowing'), await seller(gateway, 'Unknowing')];
    await ours.map(await ours.checked(unnamed(8)), ...BOTH_AMOUNTS);
    await gateway.runJobs();
    for (const [who, loanType, state] of [
      [ours, 'Auto', 'DONE'],
      [ours, 'Personal', 'NEEDS_MAPPING'],
      [theirs, 'Auto', 'NEEDS_MAPPING'],
    ] as const) {
      assert.equal((await who.deal(await who.checked(unnamed(8), loanType))).qc.state, state, loanType);
    }
  });

  await t.test('entry by entry: a later one adds to it, and replaces what it says of the same column', async () => {
    const ours = await seller(gateway, 'Adding');
    await ours.map(await ours.checked(unnamed(8)), { source: 'Alpha', target: 'original_balance' });
    await gateway.runJobs();
    await ours.map(await ours.checked(unnamed(8)), { source: 'Beta', target: 'current_balance' });
    await gateway.runJobs();
    const third = await ours.checked(unnamed(8));
    const mapping = byTarget((await ours.call('GET', `/${third}/mapping`)).body.data);
    assert.deepEqual([mapping.original_balance, mapping.current_balance], ['Alpha', 'Beta']);
    await ours.map(third, { source: 'Beta', target: null });
    await gateway.runJobs();
    const fourth = await ours.checked(unnamed(8));
    assert.equal(byTarget((await ours.call('GET', `/${fourth}/mapping`)).body.data).current_balance, undefined);
    assert.equal((await ours.deal(fourth)).qc.balance_basis, 'ORIGINAL');
  });

  await t.test('not when the tape failed with it: the next tape waits for a better one', async () => {
    const ours = await seller(gateway, 'Mistaken');
    const cards = () => ours.checked('card_id,type,sum\n1,Gold,900\n2,Basic,800\n', 'Credit Card');
    const map = async (dealId: string, source: string): Promise<void> => {
      assert.equal((await ours.map(dealId, { source, target: 'credit_limit' })).status, 202);
      await gateway.runJobs();
    };
    const first = await cards();
    await map(first, 'type');
    assert.equal((await ours.deal(first)).status, 'REJECTED');
    const second = await cards();
    assert.equal((await ours.deal(second)).qc.state, 'NEEDS_MAPPING');
    await map(second, 'sum');
    assert.equal((await ours.deal(second)).status, 'QC_COMPLETED');
    assert.equal((await ours.deal(await cards())).status, 'QC_COMPLETED');
  });
});

test('however entries are merged, each column and each field stands once, the newest word for both', () => {
  const entry = fc.record({
    source: fc.constantFrom('a', 'b', 'c', 'd'),
    target: fc.constantFrom('x', 'y', 'z', null),
  });
  /** Entries of one request: no column and no field twice, as the check before the merge requires. */
  const request = fc.uniqueArray(entry, { selector: ({ source }) => source }).filter((entries) => {
    const targets = entries.flatMap(({ target }) => (target === null ? [] : [target]));
    return new Set(targets).size === targets.length;
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 6 }), (requests) => {
      // The plain model: columns and fields as two tables, written one entry after the other.
      const fieldOf = new Map<string, string | null>();
      for (const entries of requests) {
        for (const { source, target } of entries)
          for (const [other, held] of fieldOf)
            if (other === source || (target !== null && held === target)) fieldOf.delete(other);
        for (const { source, target } of entries) fieldOf.set(source, target);
      }
      const merged = requests.reduce<MappingRequest[]>((before, entries) => mergeBySource(before, entries), []);
      assert.deepEqual(merged.map(({ source, target }) => [source, target]).sort(), [...fieldOf].sort());
      assert.equal(new Set(merged.map(({ source }) => source)).size, merged.length);
    }),
  );
});
