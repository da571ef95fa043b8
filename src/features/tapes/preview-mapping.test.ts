import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, type Seller, seller, waitingJobs } from '../../../test/support/tapes.ts';

type Cell = { field: string; before: unknown; after: unknown; outcome: string; unreadable_text: string | null };
type Shown = { row_number: number; fields: Cell[] };

const preview = (ours: Seller, dealId: string, ...mappings: unknown[]) =>
  ours.call('POST', `/${dealId}/mapping/preview`, { mappings });
const previewed = async (ours: Seller, dealId: string, ...mappings: unknown[]) => {
  const answer = await preview(ours, dealId, ...mappings);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
};

test('the preview of a mapping', async (t) => {
  await using gateway = await startGateway();

  await t.test(
    'counts over all rows what becomes of a field and shows the rows that lose it first, then those that change',
    async () => {
      const ours = await seller(gateway, 'Counting');
      const bytes = autoTape(60, (row, index) => {
        row.FICO = index === 40 ? 'unknown' : index === 50 ? '' : String(700 + index);
        row['New/Used'] = index === 45 ? '7-N' : 'x-N';
      });
      const dealId = await ours.checked(bytes);
      const data = await previewed(
        ours,
        dealId,
        { source: 'FICO', target: null },
        { source: 'New/Used', target: 'credit_score', transform: { split: { separator: '-', part: 1 } } },
      );
      const score = data.fields.find((each: { field: string }) => each.field === 'credit_score');
      assert.deepEqual(
        [
          score.source_before,
          score.source_after,
          score.changed,
          score.becomes_unreadable,
          score.becomes_missing,
          score.becomes_readable,
        ],
        ['FICO', 'New/Used', 59, 58, 0, 0],
      );
      assert.equal(data.rows, 60);
      assert.equal(data.sample.length, 20);
      const [first] = data.sample as Shown[];
      assert.deepEqual(
        first?.fields.find(({ field }) => field === 'credit_score'),
        {
          field: 'credit_score',
          before: 700,
          after: null,
          outcome: 'BECOMES_UNREADABLE',
          unreadable_text: 'x',
        },
      );
      assert.ok(data.findings.every((each: { message: string }) => typeof each.message === 'string'));
    },
  );

  await t.test('is what the change then does, value for value, and changes nothing itself', async () => {
    const ours = await seller(gateway, 'Faithful');
    const dealId = await ours.checked(autoTape(30));
    const before = [await ours.deal(dealId), (await ours.call('GET', `/${dealId}/mapping`)).body.data];
    const jobs = await waitingJobs(gateway);
    const entries = [
      { source: 'Current Balance', target: 'current_balance', transform: { divide: 3 } },
      { source: 'New/Used', target: 'vehicle_make', transform: { concat: { columns: ['Obligor State'], separator: ' in ' } } },
    ];
    const { sample, mapping } = await previewed(ours, dealId, ...entries);
    assert.deepEqual([await ours.deal(dealId), (await ours.call('GET', `/${dealId}/mapping`)).body.data], before);
    assert.equal(await waitingJobs(gateway), jobs);
    assert.deepEqual(
      readdirSync(gateway.deps.workDir).filter((name) => name.startsWith('preview-')),
      [],
    );
    const loans = async () => {
      const { data } = (await ours.call('GET', `/${dealId}/loans?limit=100`)).body;
      return new Map<number, Record<string, unknown>>(data.map((loan: { row_number: number }) => [loan.row_number, loan]));
    };
    const same = (rows: Map<number, Record<string, unknown>>, side: 'before' | 'after') => {
      for (const { row_number, fields } of sample as Shown[])
        for (const cell of fields)
          assert.equal(rows.get(row_number)?.[cell.field] ?? null, cell[side], `${row_number} ${cell.field}`);
    };
    same(await loans(), 'before');
    assert.equal((await ours.map(dealId, ...entries)).status, 202);
    await gateway.runJobs();
    same(await loans(), 'after');
    assert.deepEqual((await ours.call('GET', `/${dealId}/mapping`)).body.data, mapping);
  });

  await t.test('works while a tape waits for the column of its amount', async () => {
    const ours = await seller(gateway, 'Waiting');
    const bytes = autoTape(5).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');
    const dealId = await ours.checked(bytes, 'Personal');
    assert.equal((await ours.deal(dealId)).qc.state, 'NEEDS_MAPPING');
    const { fields } = await previewed(ours, dealId, { source: 'Alpha', target: 'original_balance' });
    assert.deepEqual(
      fields.map(({ field, source_before, becomes_readable }: Record<string, unknown>) => [
        field,
        source_before,
        becomes_readable,
      ]),
      [['original_balance', null, 5]],
    );
  });

  await t.test('of inline loans keeps their units: nothing is taken for a fraction or for thousands', async () => {
    const ours = await seller(gateway, 'Inline');
    const loans = [{ loan_id: 'P1', outstanding: 1_200.5, rate_made: 0.5 }];
    const submitted = await ours.call('POST', '/bulk', { deals: [{ loanType: 'Student', loans }] });
    assert.equal(submitted.status, 202, JSON.stringify(submitted.body));
    await gateway.runJobs();
    const dealId = (await ours.call('GET', `/bulk/${submitted.body.data.job_id}`)).body.data.deals[0].id;
    const entries = [
      { source: 'outstanding', target: 'original_balance' },
      { source: 'rate_made', target: 'interest_rate' },
    ];
    const { sample } = await previewed(ours, dealId, ...entries);
    const [row] = sample as Shown[];
    assert.deepEqual(
      row?.fields.map(({ field, before, after }) => [field, before, after]),
      [
        ['original_balance', null, 1_200.5],
        ['interest_rate', null, 0.5],
      ],
    );
  });

  await t.test('is refused where the change is refused, with the same errors', async () => {
    const [ours, theirs] = [await seller(gateway, 'Refused'), await seller(gateway, 'Strange')];
    const investor = await gateway.key('investor', 'Buyer');
    const draft = await ours.uploaded(autoTape(3), { loanType: 'Student' });
    const dealId = await ours.sent();
    const fine = { source: 'FICO', target: null };
    assert.deepEqual(codeOf(await preview(ours, draft, fine)), [409, 'INVALID_TRANSITION']);
    assert.deepEqual(codeOf(await preview(ours, dealId, fine)), [409, 'CONFLICT']);
    await gateway.runJobs();
    for (const path of [`/${dealId}/mapping/preview`, '/deal_none/mapping/preview'])
      assert.deepEqual(codeOf(await theirs.call('POST', path, { mappings: [fine] })), [404, 'NOT_FOUND']);
    const foreign = await gateway.call('POST', `/v1/api/originator/loans/${dealId}/mapping/preview`, {
      as: investor,
      body: { mappings: [fine] },
    });
    assert.equal(foreign.status, 403);
    const made = (transform: object, target = 'credit_score', source = 'FICO') => ({ source, target, transform });
    const faults: [object, string, string, RegExp][] = [
      [made({ split: { separator: '-', part: 0 } }), 'mappings.0', 'INVALID_TRANSFORM', /no part 0/],
      [made({ multiply: 0 }), 'mappings.0', 'INVALID_TRANSFORM', /multiply must lie between/],
      [made({ divide: 0.0000001 }), 'mappings.0', 'INVALID_TRANSFORM', /at most six decimals/],
      [made({ scale: 10, divide: 2 }), 'mappings.0', 'INVALID_TRANSFORM', /scale and divide both/],
      [made({ divide: 2 }, 'state', 'Obligor State'), 'mappings.0', 'INVALID_TRANSFORM', /divide needs a number/],
      [made({ concat: { columns: ['Fico'] } }), 'mappings.0', 'INVALID_TRANSFORM', /joins "Fico" twice/],
      [
        made({ concat: { columns: ['Maturty'] } }),
        'mappings.0',
        'UNKNOWN_SOURCE',
        /no column "Maturty"; did you mean "Maturity"\?/,
      ],
      [made({ replace: [{ find: 'a', with: 'a' }] }), 'mappings.0', 'INVALID_TRANSFORM', /changes nothing/],
      [
        made({ formula: { num: 'FICO', den: 'Nowhere' } }, 'ltv', 'LTV made'),
        'mappings.0',
        'UNKNOWN_SOURCE',
        /no column "Nowhere"/,
      ],
      [
        made({ formula: { num: 'FICO', den: 'FICO' }, split: { separator: 'x', part: 1 } }, 'ltv'),
        'mappings.0',
        'INVALID_TRANSFORM',
        /no text for split/,
      ],
      [
        made({ formula: { num: 'FICO', den: 'FICO' } }, 'state', 'Obligor State'),
        'mappings.0',
        'INVALID_TRANSFORM',
        /formula gives a number; "state" is/,
      ],
      [
        made({ formula: { num: 'FICO', den: 'FICO', scale: -1 } }, 'ltv'),
        'mappings.0.transform.formula.scale',
        'INVALID_TRANSFORM',
        /above 0/,
      ],
      [
        made({ formula: { num: 'Applicant Sex', den: 'FICO' } }, 'ltv'),
        'mappings.0',
        'UNKNOWN_SOURCE',
        /no column "Applicant Sex"/,
      ],
    ];
    for (const call of [preview, (who: Seller, id: string, ...entries: unknown[]) => who.map(id, ...entries)])
      for (const [entry, field, code, message] of faults) {
        const refused = await call(ours, dealId, entry);
        const [problem] = refused.body.errors ?? [];
        assert.deepEqual(
          [...codeOf(refused), problem?.field, problem?.code],
          [422, 'MAPPING_INVALID', field, code],
          JSON.stringify(refused.body),
        );
        assert.match(problem.message, message);
      }
    for (const [entry, field, nearest] of [
      [{ ...fine, transfrom: {} }, 'mappings.0.transfrom', 'transform'],
      [made({ mulitply: 2 }), 'mappings.0.transform.mulitply', 'multiply'],
      [made({ concat: { columns: ['Maturity'], seperator: '-' } }), 'mappings.0.transform.concat.seperator', 'separator'],
      [made({ formula: { num: 'FICO', den: 'FICO', factor: 2 } }), 'mappings.0.transform.formula.factor', 'scale'],
    ] as const) {
      const refused = await preview(ours, dealId, entry);
      assert.deepEqual([...codeOf(refused), refused.body.errors?.[0]?.field], [422, 'UNKNOWN_FIELD', field]);
      if (nearest !== 'scale') assert.equal(refused.body.errors?.[0]?.nearest, nearest);
    }
    for (const transform of [{ multiply: '2' }, { formula: 'a / b' }, { split: { separator: '', part: 1 } }, { replace: [] }])
      assert.deepEqual(
        codeOf(await preview(ours, dealId, made(transform))),
        [400, 'VALIDATION_FAILED'],
        JSON.stringify(transform),
      );
  });

  await t.test('refuses a formula over an attribute that lenders may not select on', async () => {
    const ours = await seller(gateway, 'Lawful');
    const dealId = await ours.checked(autoTape(3).replace('New/Used', 'Applicant Sex'));
    const refused = await preview(ours, dealId, {
      source: 'x',
      target: 'ltv',
      transform: { formula: { num: 'Applicant Sex', den: 'FICO' } },
    });
    assert.deepEqual([...codeOf(refused), refused.body.errors?.[0]?.code], [422, 'MAPPING_INVALID', 'PROHIBITED_FIELD']);
  });

  await t.test('shows no values of a column with data of persons that the loans do not show', async () => {
    const ours = await seller(gateway, 'Discreet');
    const bytes = autoTape(4, (row, index) => {
      row['New/Used'] = `ann${index}@example.com`;
    }).replace('New/Used', 'Contact');
    const dealId = await ours.checked(bytes);
    assert.deepEqual(codeOf(await preview(ours, dealId, { source: 'Contact', target: 'vehicle_make' })), [
      422,
      'MAPPING_INVALID',
    ]);
    const data = await previewed(ours, dealId, { source: 'Contact', target: 'vehicle_make', sealed: false });
    assert.equal(data.fields[0].becomes_readable, 4);
    assert.match(data.fields[0].withheld, /persons/);
    assert.doesNotMatch(JSON.stringify(data.sample), /@/);
  });

  await t.test('bears two thousand entries, the longest texts and several at once', async () => {
    const ours = await seller(gateway, 'Heavy');
    const dealId = await ours.checked(autoTape(5));
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      source: `c${index}`,
      target: 'ltv',
      transform: { formula: { num: 'FICO', den: 'FICO' } },
    }));
    assert.deepEqual(codeOf(await preview(ours, dealId, ...many)), [422, 'MAPPING_INVALID']);
    const replace = Array.from({ length: 10 }, (_, index) => ({ find: '(.*)+$'.repeat(33), with: `${index}${'%'.repeat(199)}` }));
    const odd = {
      source: 'New/Used',
      target: 'vehicle_make',
      transform: {
        split: { separator: "';--", part: 1 },
        concat: { columns: ['Maturity', 'FICO'], separator: "'%_\\" },
        replace,
      },
    };
    const answers = await Promise.all([preview(ours, dealId, odd), preview(ours, dealId, odd)]);
    for (const answer of answers) assert.ok([200, 429].includes(answer.status), JSON.stringify(answer.body));
  });
});
