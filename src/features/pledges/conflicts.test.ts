import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, structureOver } from '../../../test/support/pools.ts';
import { autoTape } from '../../../test/support/tapes.ts';
import { vin } from './testing/vin.ts';

type Row = Record<string, string>;
type Change = (row: Row, index: number) => void;
type Conflict = {
  conflict_id: string;
  status: string;
  count: number;
  balance: number;
  met: string[];
  pools: string[];
  pledges: string[];
};

/** Desks of one gateway: originators that pool and pledge loans, and the operator. */
async function openDesks() {
  const gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  return {
    gateway,
    operator,
    seller: async (name: string) => sellerOf(gateway, await gateway.key('originator', name), operator),
    conflicts: async (): Promise<(Conflict & { sides: { organization_id: string; count: number }[] })[]> =>
      (await gateway.call('GET', '/v1/operator/pledge-conflicts?limit=100', { as: operator })).body.data,
    resolve: (id: string, as: Holder = operator): Promise<Answer> =>
      gateway.call('POST', `/v1/operator/pledge-conflicts/${id}/resolve`, { as, body: { reason: 'Take-out by Theirs Bank' } }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

function sellerOf(gateway: Gateway, as: Holder, operator: Holder) {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    gateway.call(method, `/v1/api/originator${path}`, { as, ...(body === undefined ? {} : { body }) });
  const deal = (rows: number, change?: Change): Promise<string> =>
    approvedDeal(gateway, as, operator, { bytes: autoTape(rows, change) });
  return {
    as,
    call,
    deal,
    /** A pool of a new deal with these loans. */
    pool: async (rows: number, change?: Change): Promise<string> => {
      const formed = await formPool(gateway, as, [await deal(rows, change)]);
      assert.equal(formed.status, 201, JSON.stringify(formed.body));
      return formed.body.data.pool_id;
    },
    conflicts: async (): Promise<Conflict[]> => (await call('GET', '/pledge-conflicts?limit=100')).body.data,
    loans: async (id: string): Promise<{ loan_id: string; met: string[]; balance: number }[]> =>
      (await call('GET', `/pledge-conflicts/${id}/loans?limit=100`)).body.data,
    alerts: async (): Promise<{ type: string; priority: string; message: string; title: string }[]> =>
      (await gateway.call('GET', '/v1/api/alerts?limit=100', { as })).body.data,
    events: async (): Promise<{ event: string; data: Conflict }[]> =>
      (await gateway.call('GET', '/v1/api/events?limit=100', { as })).body.data,
  };
}

const withVin =
  (first: number, more: Change = () => {}): Change =>
  (row, index) => {
    row.VIN = vin(first + index);
    more(row, index);
  };

test('loans that two organizations hold', async (t) => {
  await using desks = await openDesks();
  const { gateway, operator } = desks;

  await t.test('are told to both and to the operator, each its own loans and nothing of the other', async () => {
    const [ours, theirs] = [await desks.seller('Ours'), await desks.seller('Theirs')];
    const mine = await ours.pool(6, withVin(0));
    assert.deepEqual(await ours.conflicts(), []);
    const other = await theirs.pool(
      5,
      withVin(4, (row, index) => void (row['Loan ID'] = `T${index}`)),
    );
    const [seen] = await ours.conflicts();
    assert.deepEqual([seen?.status, seen?.count, seen?.met, seen?.pools, seen?.pledges], ['OPEN', 2, ['vin'], [mine], []]);
    // Loans 5 and 6 of the first tape are loans 1 and 2 of the second: 18,040 + 18,050 there, 18,000 + 18,010 here.
    assert.deepEqual([seen?.balance, (await theirs.conflicts())[0]?.balance], [36_090, 36_010]);
    const id = seen?.conflict_id ?? '';
    assert.deepEqual((await ours.loans(id)).map((loan) => loan.loan_id).toSorted(), ['A000005', 'A000006']);
    assert.deepEqual((await theirs.loans(id)).map((loan) => loan.loan_id).toSorted(), ['T0', 'T1']);
    for (const [desk, strangers] of [
      [ours, [other, theirs.as.organization_id, 'Theirs', '"T0"', '"T1"']],
      [theirs, [mine, ours.as.organization_id, 'Ours', 'A000005']],
    ] as const) {
      const [alert] = (await desk.alerts()).filter((each) => each.type === 'pledge.conflict');
      assert.equal(alert?.priority, 'CRITICAL');
      const [event] = (await desk.events()).filter((each) => each.event === 'pledge.conflict');
      assert.equal(event?.data.conflict_id, id);
      const everything = JSON.stringify([
        alert,
        event,
        await desk.conflicts(),
        await desk.loans(id),
        (await desk.call('GET', `/pledge-conflicts/${id}`)).body,
      ]);
      for (const stranger of strangers) assert.ok(!everything.includes(stranger), `${stranger} in ${everything}`);
    }
    const [told] = (await gateway.call('GET', '/v1/operator/alerts?limit=100', { as: operator })).body.data;
    assert.deepEqual([told.type, told.priority], ['pledge.conflict', 'CRITICAL']);
    const [both] = await desks.conflicts();
    assert.deepEqual([...(both?.pools ?? [])].toSorted(), [mine, other].toSorted());
    assert.deepEqual(
      both?.sides.map((side) => side.organization_id).toSorted(),
      [ours.as.organization_id, theirs.as.organization_id].toSorted(),
    );
    const pairs: { pair: number; loan_id: string }[] = (
      await gateway.call('GET', `/v1/operator/pledge-conflicts/${id}/loans`, { as: operator })
    ).body.data;
    const together = [...Map.groupBy(pairs, ({ pair }) => pair).values()].map((loans) =>
      loans.map(({ loan_id }) => loan_id).toSorted(),
    );
    assert.deepEqual(together.toSorted(), [
      ['A000005', 'T0'],
      ['A000006', 'T1'],
    ]);
  });

  await t.test('are nobody else’s to see, and nobody but the operator resolves them', async () => {
    const [{ conflict_id: id = '' } = {}] = await desks.conflicts();
    const stranger = await desks.seller('Stranger');
    const investor = await gateway.key('investor', 'Buyer');
    assert.deepEqual(await stranger.conflicts(), []);
    for (const path of [`/pledge-conflicts/${id}`, `/pledge-conflicts/${id}/loans`])
      assert.equal((await stranger.call('GET', path)).status, 404);
    assert.equal((await gateway.call('GET', '/v1/api/originator/pledge-conflicts', { as: investor })).status, 403);
    assert.equal((await desks.resolve(id, stranger.as)).status, 403);
    assert.equal((await desks.resolve('plc_none')).status, 404);
  });

  await t.test('keep both pools from being issued until the operator has resolved them, once', async () => {
    const [ours, theirs] = [await desks.seller('Lender'), await desks.seller('Warehouse')];
    const pools = [
      { by: ours, id: await ours.pool(60, withVin(1_000)) },
      { by: theirs, id: await theirs.pool(60, withVin(1_059)) },
    ];
    const issue = (id: string): Promise<Answer> => gateway.call('POST', `/v1/operator/pools/${id}/issue`, { as: operator });
    for (const { by, id } of pools) {
      const { balance } = (await by.call('GET', `/pools/${id}`)).body.data;
      await by.call('PUT', `/pools/${id}/structure`, structureOver(balance));
      await by.call('POST', `/pools/${id}/lock`);
      assert.equal((await by.call('POST', `/pools/${id}/issue`)).status, 202);
      const refused = await issue(id);
      assert.deepEqual(codeOf(refused), [409, 'PLEDGE_CONFLICT']);
      assert.equal(refused.body.conflict_ids.length, 1);
    }
    const [{ conflict_id = '' } = {}] = await ours.conflicts();
    const answers = await Promise.all([1, 2, 3].map(() => desks.resolve(conflict_id)));
    assert.deepEqual(answers.map((each) => each.status).toSorted(), [200, 409, 409]);
    assert.equal((await ours.conflicts())[0]?.status, 'RESOLVED');
    assert.ok(!JSON.stringify(await ours.call('GET', `/pledge-conflicts/${conflict_id}`)).includes('Take-out'));
    for (const { id } of pools) assert.equal((await issue(id)).status, 200);
  });

  await t.test('stay resolved when the same loans are compared again, and are another conflict with one more', async () => {
    const [ours, theirs] = [await desks.seller('Renewer'), await desks.seller('Taker')];
    const mine = await ours.pool(6, withVin(500));
    await theirs.pool(5, withVin(504));
    const [first] = await ours.conflicts();
    assert.equal((await desks.resolve(first?.conflict_id ?? '')).status, 200);
    const told = async () => (await ours.alerts()).filter(({ type }) => type === 'pledge.conflict').length;
    const before = await told();
    const changed = await ours.call('PATCH', `/pools/${mine}`, { cut_off_date: '2026-06-29' });
    assert.equal(changed.status, 200, changed.text);
    await gateway.runJobs();
    assert.deepEqual(
      (await ours.conflicts()).map(({ status }) => status),
      ['RESOLVED'],
    );
    assert.equal(await told(), before);
    const { deal_ids } = (await ours.call('GET', `/pools/${mine}`)).body.data;
    const more = await ours.deal(
      1,
      withVin(506, (row) => void (row['Loan ID'] = 'M1')),
    );
    const grown = await ours.call('PATCH', `/pools/${mine}`, { deal_ids: [...deal_ids, more] });
    assert.equal(grown.status, 200, grown.text);
    await gateway.runJobs();
    assert.deepEqual(
      (await ours.conflicts()).map(({ status, count }) => [status, count]),
      [
        ['OPEN', 3],
        ['RESOLVED', 2],
      ],
    );
  });

  await t.test('end when one side lets the loans go, and are found again when they come back', async () => {
    const [ours, theirs] = [await desks.seller('First'), await desks.seller('Second')];
    await ours.pool(3, withVin(2_000));
    const dealId = await theirs.deal(3, withVin(2_002));
    const { pool_id } = (await formPool(gateway, theirs.as, [dealId])).body.data;
    assert.deepEqual(
      (await ours.conflicts()).map((each) => each.status),
      ['OPEN'],
    );
    const filter = [{ id: 'score', rule: { field: 'credit_score', op: 'gt', value: 620 } }];
    assert.equal((await theirs.call('PATCH', `/pools/${pool_id}`, { filter })).status, 200);
    assert.deepEqual(
      (await ours.conflicts()).map((each) => each.status),
      ['CLEARED'],
    );
    assert.equal((await theirs.call('PATCH', `/pools/${pool_id}`, { filter: null })).status, 200);
    assert.deepEqual(
      (await theirs.conflicts()).map((each) => each.status),
      ['OPEN', 'CLEARED'],
    );
    await theirs.call('DELETE', `/pools/${pool_id}`);
    assert.deepEqual(
      (await ours.conflicts()).map((each) => each.status),
      ['CLEARED', 'CLEARED'],
    );
  });

  await t.test('are found of pools that are formed at once, once', async () => {
    const sellers = await Promise.all(['At once', 'As well', 'Too'].map((name) => desks.seller(name)));
    const deals: string[] = [];
    for (const seller of sellers) deals.push(await seller.deal(4, withVin(3_000)));
    await Promise.all(sellers.map((seller, place) => formPool(gateway, seller.as, [deals[place] ?? ''])));
    for (const seller of sellers)
      assert.deepEqual(
        (await seller.conflicts()).map(({ status, count }) => [status, count]),
        [
          ['OPEN', 4],
          ['OPEN', 4],
        ],
      );
  });

  await t.test('are looked for by a worker where the process that formed the pool has died', async () => {
    const [ours, theirs] = [await desks.seller('Early'), await desks.seller('Late')];
    await ours.pool(3, withVin(4_000));
    const dealId = await theirs.deal(3, withVin(4_000));
    const { db } = gateway.deps;
    gateway.deps.db = { ...db, patient: () => ({ ...db, tx: async () => Promise.reject(new Error('killed')) }) };
    const { pool_id: poolId } = (await formPool(gateway, theirs.as, [dealId])).body.data;
    gateway.deps.db = db;
    assert.deepEqual(await theirs.conflicts(), []);
    await theirs.call('PUT', `/pools/${poolId}/structure`, structureOver(54_030));
    await theirs.call('POST', `/pools/${poolId}/lock`);
    await theirs.call('POST', `/pools/${poolId}/issue`);
    const early = await gateway.call('POST', `/v1/operator/pools/${poolId}/issue`, { as: operator });
    assert.deepEqual(codeOf(early), [409, 'CONFLICT'], 'it is not issued before somebody has looked');
    await gateway.deps.db.tx({ platform: true }, (tx) => gateway.deps.jobs.enqueue(tx, 'notices', {}));
    await gateway.runJobs();
    assert.deepEqual(
      (await theirs.conflicts()).map((each) => each.count),
      [3],
    );
  });
});

test('loans meet by every number that names them, however it is written', async (t) => {
  await using desks = await openDesks();
  const contract =
    (first: number): Change =>
    (row, index) => {
      row['Contract Number'] = `CN-${first + index}`;
    };

  await t.test('a typo in one number still meets by another, and says by which', async () => {
    const [ours, theirs] = [await desks.seller('Clean'), await desks.seller('Typo')];
    const base: Change = (row, index) => {
      withVin(10)(row, index);
      contract(10)(row, index);
    };
    await ours.pool(6, base);
    await theirs.pool(6, (row, index) => {
      base(row, index);
      row['Loan ID'] = `X-${index}`;
      if (index === 0) row.VIN = `\u00a0${row.VIN?.slice(0, 5).toLowerCase()}\u200b${row.VIN?.slice(5)}`;
      if (index === 1) row.VIN = ` ${row.VIN?.slice(0, 8)} ${row.VIN?.slice(8)}`;
      if (index === 2) row.VIN = `${row.VIN?.slice(0, 16)}9`;
      if (index === 3) row['Contract Number'] = 'CN-other';
      if (index === 4) row['Original Amount Financed'] = '99999.00';
      if (index === 5) {
        row.VIN = '';
        row['Contract Number'] = '';
      }
    });
    const [{ conflict_id = '', count } = {}] = await ours.conflicts();
    assert.equal(count, 5);
    const both = ['contract_number', 'vin'];
    assert.deepEqual((await ours.loans(conflict_id)).map(({ loan_id, met }) => [loan_id, met]).toSorted(), [
      ['A000001', both],
      ['A000002', both],
      ['A000003', ['contract_number']],
      ['A000004', ['vin']],
      ['A000005', ['vin']],
    ]);
  });

  await t.test(
    'a column headed as the contract’s number is the id of a tape without a better one, and its contract number too',
    async () => {
      const [ours, theirs] = [await desks.seller('By contract'), await desks.seller('By loan')];
      const tape = (change: (line: string, index: number) => string): string =>
        `${autoTape(3).trimEnd().split('\n').map(change).join('\n')}\n`;
      const poolOf = async (seller: typeof ours, bytes: string): Promise<string> =>
        (await formPool(desks.gateway, seller.as, [await approvedDeal(desks.gateway, seller.as, desks.operator, { bytes })])).body
          .data.pool_id;
      await poolOf(
        ours,
        tape((line, index) => (index === 0 ? line.replace('Loan ID', 'Contract Number') : line)),
      );
      await poolOf(
        theirs,
        tape((line, index) => (index === 0 ? `Contract Number,${line}` : `A00000${index},T${line}`)),
      );
      const [seen] = await ours.conflicts();
      assert.deepEqual([seen?.count, seen?.met], [3, ['contract_number']]);
      assert.deepEqual((await theirs.loans(seen?.conflict_id ?? '')).map((loan) => loan.loan_id).toSorted(), [
        'TA000001',
        'TA000002',
        'TA000003',
      ]);
    },
  );

  await t.test('placeholders meet nobody', async () => {
    const [ours, theirs] = [await desks.seller('Blank'), await desks.seller('Dots')];
    const placeholder: Change = (row) => void (row.VIN = '11111111111111111');
    await ours.pool(3, placeholder);
    await theirs.pool(3, placeholder);
    assert.deepEqual(await ours.conflicts(), []);
  });
});

test('pledges outside the platform', async (t) => {
  await using desks = await openDesks();
  const { gateway } = desks;
  const TERMS = { pledgee: 'First Warehouse Bank', loan_type: 'Auto', as_of: '2026-11-20' };

  await t.test('of a deal conflict with a pool of the same organization, and end by their release', async () => {
    const ours = await desks.seller('Pledger');
    const dealId = await ours.deal(5);
    const pledged = await ours.call('POST', '/pledges', { ...TERMS, deal_id: dealId });
    assert.equal(pledged.status, 201, JSON.stringify(pledged.body));
    const { pledge_id, status, matched, unmatched } = pledged.body.data;
    assert.deepEqual([status, matched, unmatched], ['LIVE', 5, 0]);
    const formed = await formPool(gateway, ours.as, [dealId]);
    assert.equal(formed.status, 201, 'a pledge is no claim');
    const [seen] = await ours.conflicts();
    assert.deepEqual(
      [seen?.count, seen?.met, seen?.pools, seen?.pledges],
      [5, ['loan_id'], [formed.body.data.pool_id], [pledge_id]],
    );
    const released = await ours.call('POST', `/pledges/${pledge_id}/release`);
    assert.deepEqual([released.status, released.body.data.status], [200, 'RELEASED']);
    assert.deepEqual(
      (await ours.conflicts()).map((each) => each.status),
      ['CLEARED'],
    );
    assert.deepEqual(codeOf(await ours.call('POST', `/pledges/${pledge_id}/release`)), [409, 'INVALID_TRANSITION']);
  });

  await t.test('of listed loans are looked up in the own tapes, and vehicles are watched even if no tape has them', async () => {
    const [ours, theirs] = [await desks.seller('Lister'), await desks.seller('Buyer of loans')];
    await ours.deal(
      5,
      withVin(50, (row, index) => void (row['Contract Number'] = `C-${index}`)),
    );
    await theirs.pool(3, withVin(80));
    const pledged = await ours.call('POST', '/pledges', {
      ...TERMS,
      loans: [
        { loan_id: 'A000001' },
        { vin: vin(51).toLowerCase() },
        { contract_number: ' c-2 ' },
        { loan_id: 'A000001' },
        { loan_id: 'nobody’s' },
        { vin: vin(80) },
      ],
    });
    assert.deepEqual([pledged.body.data.matched, pledged.body.data.unmatched], [4, 2]);
    const [seen] = await theirs.conflicts();
    assert.deepEqual([seen?.count, seen?.met, seen?.pledges], [1, ['vin'], []]);
    const own = await ours.conflicts();
    assert.deepEqual([own[0]?.pledges, own[0]?.pools, own[0]?.balance], [[pledged.body.data.pledge_id], [], 0]);
    assert.deepEqual(await ours.loans(own[0]?.conflict_id ?? ''), [
      { loan_id: null, balance: null, met: ['vin'], pool_id: null, pledge_id: pledged.body.data.pledge_id },
    ]);
  });

  await t.test('of listed loans are watched before the organization has a tape', async () => {
    const [ours, theirs] = [await desks.seller('No tape yet'), await desks.seller('Owner of a vehicle')];
    await theirs.pool(3, withVin(90));
    const loans = [{ loan_id: 'A000001' }, { vin: vin(90) }, { contract_number: 'C-1' }];
    const pledged = await ours.call('POST', '/pledges', { ...TERMS, loans });
    assert.equal(pledged.status, 201, JSON.stringify(pledged.body));
    assert.deepEqual([pledged.body.data.matched, pledged.body.data.unmatched], [0, 3]);
    assert.deepEqual(
      (await ours.conflicts()).map(({ pledges, met }) => [pledges, met]),
      [[[pledged.body.data.pledge_id], ['vin']]],
    );
  });

  await t.test('of listed ids that no tape has yet conflict with the pool of the tape that has them later', async () => {
    const ours = await desks.seller('Pledged before the tape');
    const loans = [{ loan_id: ' A000002' }, { loan_id: 'A00\u200b0003' }, { loan_id: 'A000003' }, { loan_id: 'A999999' }];
    const pledged = await ours.call('POST', '/pledges', { ...TERMS, loans });
    assert.deepEqual([pledged.body.data.matched, pledged.body.data.unmatched], [0, 4]);
    assert.deepEqual(await ours.conflicts(), []);
    const pool = await ours.pool(5);
    const [seen, ...more] = await ours.conflicts();
    assert.deepEqual([seen?.count, seen?.met, more.length], [2, ['loan_id'], 0]);
    assert.deepEqual([seen?.pools, seen?.pledges], [[pool], [pledged.body.data.pledge_id]]);
    const named = (await ours.loans(seen?.conflict_id ?? '')).map((each) => each.loan_id);
    assert.deepEqual([...new Set(named)].toSorted(), ['A000002', 'A000003']);
  });

  await t.test('of one loan to two pledgees conflict; naming it again to the same one does not', async () => {
    const ours = await desks.seller('Twice');
    const dealId = await ours.deal(4);
    await ours.call('POST', '/pledges', { ...TERMS, deal_id: dealId });
    await ours.call('POST', '/pledges', { ...TERMS, pledgee: 'first warehouse bank', deal_id: dealId });
    assert.deepEqual(await ours.conflicts(), []);
    await ours.call('POST', '/pledges', { ...TERMS, pledgee: 'Second Bank', deal_id: dealId });
    assert.deepEqual(
      (await ours.conflicts()).map((each) => [each.count, each.pledges.length]),
      [
        [4, 2],
        [4, 2],
      ],
    );
  });

  await t.test('that make no sense are refused with the field', async () => {
    const [ours, theirs] = [await desks.seller('Careless'), await desks.seller('Neighbour')];
    const dealId = await ours.deal(3);
    const post = async (body: Record<string, unknown>) => {
      const { status, body: said } = await ours.call('POST', '/pledges', { ...TERMS, ...body });
      return [status, said.code, said.errors?.[0]?.field];
    };
    assert.deepEqual(await post({}), [400, 'VALIDATION_FAILED', 'deal_id']);
    assert.deepEqual(await post({ deal_id: dealId, loans: [{ vin: vin(1) }] }), [400, 'VALIDATION_FAILED', 'loans']);
    assert.deepEqual(await post({ loans: [{ vin: vin(1) }, { vin: vin(1), loan_id: 'x' }] }), [
      400,
      'VALIDATION_FAILED',
      'loans.1',
    ]);
    assert.deepEqual(await post({ loans: [{}] }), [400, 'VALIDATION_FAILED', 'loans.0']);
    const unnamed = await ours.call('POST', '/pledges', { ...TERMS, loans: [{}] });
    assert.match(unnamed.body.message ?? '', /loans\.0: expected exactly one of loan_id, vin, contract_number/);
    assert.deepEqual(await post({ deal_id: dealId, loan_type: 'Mortgage' }), [422, 'LOAN_TYPE_MISMATCH', 'loan_type']);
    assert.deepEqual((await post({ deal_id: await theirs.deal(2) })).slice(0, 2), [404, 'NOT_FOUND']);
    const { pledge_id } = (await ours.call('POST', '/pledges', { ...TERMS, deal_id: dealId })).body.data;
    for (const [method, path] of [
      ['GET', `/pledges/${pledge_id}`],
      ['POST', `/pledges/${pledge_id}/release`],
    ] as const)
      assert.equal((await theirs.call(method, path)).status, 404);
    assert.deepEqual((await theirs.call('GET', '/pledges')).body.data, []);
  });
});
