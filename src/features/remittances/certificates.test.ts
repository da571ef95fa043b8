import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARMAX, CERTIFICATES, certificates, POOL, reportOf } from '../../../test/support/carmax.ts';
import { assertRefused, dataOf, openDesk } from '../../../test/support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../../../test/support/gateway.ts';
import { approvedDeal, formPool, issuedDeal } from '../../../test/support/pools.ts';
import { skipWithout } from '../../../test/support/shared.ts';
import { autoTape } from '../../../test/support/tapes.ts';

type Report = ReturnType<typeof reportOf>;
type Line = {
  what: string;
  tranche?: string;
  path: string;
  reported: number;
  expected: number;
  difference: number | null;
  step: string | null;
};

/** An issued pool of the balance and the structure of the published deal. */
async function issuedTrust(gateway: Gateway, seller: Holder, operator: Holder, series: string) {
  const loans = 20;
  const each = Math.floor((POOL * 100) / loans);
  const bytes = autoTape(loans, (row, index) => {
    const cents = index === 0 ? Math.round(POOL * 100) - each * (loans - 1) : each;
    row['Loan ID'] = `${series}-${index}`;
    for (const name of ['Current Balance', 'Original Balance']) row[name] = (cents / 100).toFixed(2);
  });
  const dealId = await approvedDeal(gateway, seller, operator, { bytes });
  const dates = { cut_off_date: '2024-03-31', closing_date: '2024-04-24' };
  const { pool_id, balance } = dataOf(await formPool(gateway, seller, [dealId], dates));
  assert.equal(balance, POOL);
  dataOf(await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, { as: seller, body: CARMAX }));
  await issuedDeal(gateway, seller, operator, pool_id);
  const path = `/v1/api/originator/pools/${pool_id}/remittances`;
  return {
    pool_id: pool_id as string,
    path,
    send: (body: object) => gateway.call('POST', path, { as: seller, body }),
    verify: async (body: object) => dataOf(await gateway.call('POST', `${path}/verify`, { as: seller, body })).verification,
    list: async (): Promise<string[]> =>
      dataOf(await gateway.call('GET', path, { as: seller })).map(
        ({ period, status }: { period: number; status: string }) => `${period} ${status}`,
      ),
  };
}

const cent = (amount: number): number => Math.round(amount * 100 + 1) / 100;

/** Paths of all numbers of a report. */
function numbersOf(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return [path];
  if (typeof value !== 'object' || value === null) return [];
  const step = (key: string) => (Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
  return Object.entries(value).flatMap(([key, each]) => numbersOf(each, step(key)));
}

/** The report with a cent more at a path; of a rate, a hundredth of a percent. */
function withCent(report: Report, path: string): Report {
  const changed = structuredClone(report);
  const keys = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Record<string, unknown>>((each, key) => each[key] as Record<string, unknown>, changed);
  parent[last] = cent(Number(parent[last]));
  return changed;
}

const off = (lines: Line[]): Line[] => lines.filter(({ difference }) => difference !== 0);

test('the certificates of a published deal', { skip: skipWithout(CERTIFICATES) }, async (t) => {
  await using gateway = await startGateway();
  const desk = await openDesk(gateway);
  const { seller, operator } = desk;
  const trust = await issuedTrust(gateway, seller, operator, 'T');
  const reports = certificates().map((certificate, place) => reportOf(certificate, place + 1));
  const [first] = reports as [Report];

  await t.test('agree, each from its own opening balances', async () => {
    const found: unknown[] = [];
    for (const report of reports) {
      const { status, lines, missing } = await trust.verify({ ...report, opening: 'REPORTED' });
      if (status !== 'AGREES') found.push([report.period, status, missing, off(lines)]);
    }
    assert.deepEqual(found, []);
  });

  await t.test('a cent more in any figure is located by its line, and by the step that pays it', async () => {
    const up = (change: (report: Report) => void): Report => {
      const changed = structuredClone(first);
      change(changed);
      return changed;
    };
    const located = async (change: (report: Report) => void) =>
      off((await trust.verify(up(change))).lines).map(({ what, tranche, path, difference, step }) => [
        what,
        tranche ?? path,
        difference,
        step,
      ]);
    assert.deepEqual(await located((report) => (report.residual = cent(report.residual))), [
      ['RESIDUAL', 'residual', 0.01, 'residual'],
      ['TIE', 'residual', 0.01, null],
    ]);
    assert.deepEqual(
      (await located((report) => (report.tranches[5]!.interest_paid = cent(report.tranches[5]!.interest_paid)))).slice(0, 1),
      [['INTEREST', 'B', 0.01, 'B interest']],
    );
    assert.deepEqual((await located((report) => (report.steps[2]!.amount = cent(report.steps[2]!.amount)))).slice(0, 1), [
      ['STEP', 'steps[2].amount', 0.01, 't3'],
    ]);
    assert.deepEqual((await located((report) => (report.accounts[0]!.release = cent(report.accounts[0]!.release)))).slice(0, 1), [
      ['ACCOUNT_RELEASE', 'accounts[0].release', 0.01, 'reserve'],
    ]);
    assert.deepEqual((await located((report) => (report.fees[0]!.due = cent(report.fees[0]!.due)))).slice(0, 1), [
      ['FEE_DUE', 'fees[0].due', 0.01, 'servicing'],
    ]);
  });

  await t.test(
    'a cent more in any figure whatever is a difference, and of a figure that is paid its own line has the cent',
    async () => {
      const paths = numbersOf(first).filter((path) => path !== 'period');
      assert.ok(paths.length > 50, String(paths.length));
      for (const path of paths) {
        const { status, lines } = await trust.verify(withCent(first, path));
        assert.equal(status, 'DIFFERS', path);
        // What a fee bills is an input: it is what is paid that then differs.
        if (path === 'fees[1].due') continue;
        const own = off(lines).find((line) => line.path === path && line.what !== 'TIE');
        if (lines.some((line: Line) => line.path === path && line.what !== 'TIE')) assert.equal(own?.difference, 0.01, path);
      }
    },
  );

  await t.test('one that does not roll is refused, with the same lines', async () => {
    const { tranches, ...report } = first;
    const untied = {
      ...report,
      tranches: tranches.map((row) => (row.tranche === 'B' ? { ...row, ending_balance: row.ending_balance - 1 } : row)),
    };
    const refused = await assertRefused(gateway, () => trust.send(untied), [422, 'REMITTANCE_DOES_NOT_TIE']);
    assert.deepEqual(
      off(refused.body.lines).map(({ what, path, difference }) => [what, path, difference]),
      [
        ['ENDING_BALANCE', 'tranches[5].ending_balance', -1],
        ['TIE', 'tranches[5].ending_balance', -1],
      ],
    );
  });

  await t.test('agree in a chain, and are applied', async () => {
    for (const report of reports) {
      const { status, verification } = dataOf(await trust.send(report));
      assert.deepEqual(
        [report.period, status, verification.status, off(verification.lines)],
        [report.period, 'APPLIED', 'AGREES', []],
      );
    }
    const { last_remittance } = dataOf(await gateway.call('GET', `/v1/api/originator/pools/${trust.pool_id}`, { as: seller }));
    assert.equal(last_remittance.period, reports.length);
  });

  await t.test('one that differs is held and told, and what it pays waits for the operator', async () => {
    const held = await issuedTrust(gateway, seller, operator, 'H');
    const wrong = { ...first, residual: first.residual + 1 };
    const { remittance_id, status, verification } = dataOf(await held.send(wrong));
    assert.deepEqual([status, verification.status], ['HELD', 'DIFFERS']);
    for (const as of [seller, operator]) {
      const side = as === operator ? 'operator' : 'api';
      const [event] = dataOf(await gateway.call('GET', `/v1/${side}/events?type=remittance.differs`, { as }));
      assert.equal(event.data.remittance_id, remittance_id);
      assert.deepEqual(
        event.data.differences.map(({ what, difference }: Line) => [what, difference]),
        [
          ['RESIDUAL', 1],
          ['TIE', 1],
        ],
      );
    }
    await assertRefused(gateway, () => held.send(reports[1] as Report), [409, 'REMITTANCE_HELD']);
    const accept = (body: object, as: Holder) =>
      gateway.call('POST', `/v1/operator/remittances/${remittance_id}/accept`, { as, body });
    await assertRefused(gateway, () => accept({ reason: 'mine' }, seller), [403, 'ROLE_FORBIDDEN']);
    await assertRefused(gateway, () => accept({}, operator), [400, 'VALIDATION_FAILED']);
    const accepted = dataOf(await accept({ reason: 'The trustee kept a dollar back.' }, operator));
    assert.deepEqual([accepted.status, accepted.accepted_reason], ['APPLIED', 'The trustee kept a dollar back.']);
    await assertRefused(gateway, () => accept({ reason: 'again' }, operator), [409, 'CONFLICT']);
    assert.equal(dataOf(await held.send(reports[1] as Report)).status, 'APPLIED');
    assert.deepEqual(await held.list(), ['2 APPLIED', '1 APPLIED']);
  });

  await t.test(
    'without the fixing of a floater what it decides is not computed, and the report says what is missing',
    async () => {
      const { fixings: _fixings, ...report } = first;
      const { status, missing, lines } = await trust.verify({ ...report, opening: 'REPORTED' });
      assert.deepEqual([status, missing], ['PARTIAL', ['fixings.SOFR30A']]);
      const ofIndex = report.tranches.findIndex(({ tranche }) => tranche === 'A-2b');
      assert.equal(lines.find(({ path }: Line) => path === `tranches[${ofIndex}].interest_paid`)?.expected, null);
      assert.deepEqual(
        lines.filter(({ expected, difference }: Line) => expected !== null && difference !== 0),
        [],
      );
      assert.ok(lines.filter(({ what, expected }: Line) => what === 'INTEREST' && expected !== null).length > 5);
    },
  );
});
