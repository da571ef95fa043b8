import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { loan, POOL_DATES, runOver, sum } from '../../../../test/support/structures.ts';
import { projectCollateral } from '../../../finance/collateral.ts';
import { accrualCoupons } from '../../../finance/structure/accrual-coupons.ts';
import { explainStructure } from '../../../finance/structure/explain.ts';
import { seriesOf } from '../../../finance/structure/job.ts';
import { lintStructure } from '../../../finance/structure/lint.ts';
import { openRemittances } from '../../../finance/structure/remittance.ts';
import { StructureSchema, type Structure } from '../../../finance/structure/structure.ts';
import { validateStructure } from '../../../finance/structure/validate.ts';
import { assuming, near } from '../../../finance/test-support.ts';
import type { Assumptions, CollateralLoan } from '../../../finance/types.ts';
import type { LoanType } from '../../../loans/types.ts';
import type { StructureTemplate } from './template.ts';
import { findTemplate, LEAST_BALANCE, scaleTemplate, TEMPLATES } from './templates.ts';

const BALANCE = 250_000_000;
const dates = { cut_off_date: POOL_DATES.cutOff, closing_date: POOL_DATES.closing };

/** Pools of the kinds of the templates, of one size. */
const POOLS: Partial<Record<LoanType, CollateralLoan[]>> = {
  Auto: [loan(150_000_000, 9, 66), loan(60_000_000, 3.9, 60, 6), loan(40_000_000, 12, 48)],
  Personal: [loan(150_000_000, 14, 48), loan(100_000_000, 18, 36)],
  Mortgage: [loan(200_000_000, 5, 360), loan(50_000_000, 5.4, 348, 12)],
  Student: [loan(250_000_000, 7.5, 120)],
  Business: [loan(250_000_000, 8, 60)],
};

type Ran = ReturnType<typeof runOver> & { structure: Structure };

/** Runs a template over a pool of its kind, to maturity. Every period is checked against the identities of cash and balances. */
function run(id: string, assumptions: Partial<Assumptions> = {}, loans?: CollateralLoan[]): Ran {
  const template = findTemplate(id) as StructureTemplate;
  const structure = scaleTemplate(template, BALANCE, '2027-01-15');
  const all = assuming({ delinquencyPercent: [1], ...assumptions });
  const series = seriesOf(structure);
  const collateral = projectCollateral(loans ?? POOLS[template.loan_type] ?? [], all, series ? { series } : {});
  return { structure, ...runOver(structure, collateral, all, { call: false, indexCurves: { SOFR30A: [4.3] } }) };
}

const flowsOf = ({ structure, flows }: Ran, name: string) =>
  flows.tranches[structure.tranches.findIndex(({ tranche }) => tranche === name)] as Ran['flows']['tranches'][number];
const notes = ({ structure, flows }: Ran, period: number) =>
  structure.tranches.reduce(
    (total, { balance }, place) => total + (balance ? (flows.tranches[place]?.closing[period - 1] ?? 0) : 0),
    0,
  );
const stepOf = (ran: Ran, name: string, period: number) =>
  ran.trace[period - 1]?.steps.find((step) => step.name === name) as Ran['trace'][number]['steps'][number];
const paidBy = (ran: Ran, name: string) =>
  ran.trace.reduce((total, { steps }) => total + (steps.find((step) => step.name === name)?.paid ?? 0), 0);
const lossy = (cdr: number): Partial<Assumptions> => ({
  default: { measure: 'cdr', values: [cdr] },
  severityPercent: 60,
  recoveryLagMonths: 3,
});

test('every template is valid, has no findings and every sentence, at the smallest pool and at large ones', () => {
  assert.equal(new Set(TEMPLATES.map(({ template }) => template)).size, TEMPLATES.length);
  for (const template of TEMPLATES) {
    for (const balance of [LEAST_BALANCE, 87_654_321.99, 1_612_091_400.06]) {
      const structure = scaleTemplate(template, balance, '2027-01-20');
      assert.ok(Value.Check(StructureSchema, structure), template.template);
      assert.deepEqual(validateStructure(structure, { balance, ...dates }).issues, [], template.template);
      assert.deepEqual(lintStructure(structure, { balance }), [], template.template);
      for (const { balance: size, tranche } of structure.tranches)
        if (tranche !== 'R') assert.ok(size && size >= 1_000 && size % 1_000 === 0, `${template.template} ${tranche} ${size}`);
    }
    assert.doesNotMatch(
      JSON.stringify(explainStructure(template.structure)),
      /undefined|\[object|POOL_|NET_WAC/,
      template.template,
    );
  }
});

test('a template without a source names no deal, and no clause; one with a source says how far it follows it', () => {
  for (const { template, follows, description, structure } of TEMPLATES) {
    if (follows.length === 0) {
      assert.match(description, /As in deals of this kind\./, template);
      assert.ok(
        structure.waterfall.every(({ clause }) => clause === undefined),
        template,
      );
    }
    for (const { source, scope } of follows) assert.ok(source.startsWith('https://') && scope.length > 20, template);
  }
});

test('what must be set stands in the template', () => {
  for (const { template, must_set, structure } of TEMPLATES) {
    for (const { path } of must_set) {
      const found = path
        .replaceAll(/\[(\d+)\]/g, '.$1')
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], structure);
      assert.notEqual(found, undefined, `${template}: ${path}`);
    }
  }
});

test('without losses every note of every template is paid in full, with its interest', () => {
  for (const { template } of TEMPLATES) {
    const ran = run(template);
    for (const [place, { tranche, balance, coupon }] of ran.structure.tranches.entries()) {
      if (!balance) continue;
      const flows = ran.flows.tranches[place] as Ran['flows']['tranches'][number];
      // Where the notes are as large as the pool, the cents of rounded collections are theirs.
      near(sum(flows.principal), balance, 0.05, `${template} ${tranche}`);
      assert.equal(flows.closing.at(-1), 0, `${template} ${tranche}`);
      assert.equal(
        flows.shortfall.findLast((amount) => amount > 0),
        undefined,
        `${template} ${tranche}`,
      );
      if (coupon) assert.ok(sum(flows.interestPaid) > 0, `${template} ${tranche}`);
    }
    assert.ok(sum(flowsOf(ran, 'R').interestPaid) > 0, `${template}: the residual is paid`);
  }
});

test('prime auto: overcollateralisation keeps its size, and losses turn on the tiers, behind which junior interest waits', () => {
  const ran = run('prime-auto-four-tiers');
  const target = 0.0075 * BALANCE;
  near((ran.flows.poolCurrent[11] ?? 0) - notes(ran, 12), target, 0.02);
  for (const tier of ['t1', 't2']) assert.equal(paidBy(ran, tier), 0, tier);
  const stressed = run('prime-auto-four-tiers', lossy(25));
  assert.ok(paidBy(stressed, 't2') > 0 && paidBy(stressed, 't1') > 0);
  const first = stressed.trace.find(({ steps }) => (steps.find(({ name }) => name === 't1')?.paid ?? 0) > 0);
  const behind = first?.steps.find(({ name }) => name === 'D interest');
  assert.ok(behind && behind.paid < behind.due, 'Class D waits for the tiers before it');
});

test('prime auto with a yield supplement: loans with low rates count for less, so the notes stay smaller than the pool by more', () => {
  const low = [loan(BALANCE, 4.5, 60)];
  const high = [loan(BALANCE, 9, 60)];
  const [supplemented, plain] = [run('prime-auto-ysoc', {}, low), run('prime-auto-ysoc', {}, high)];
  const gap = (ran: Ran) => (ran.flows.poolCurrent[23] ?? 0) - notes(ran, 24);
  near(gap(plain), 0.0675 * (plain.flows.poolCurrent[23] ?? 0), 0.02, 'loans above the strike count in full');
  // 24 months on, the payments of loans at 4.5 % are worth some 2.5 % less than their balance at 6.3 %.
  assert.ok(gap(supplemented) > gap(plain) + 0.02 * (plain.flows.poolCurrent[23] ?? 0), `${gap(supplemented)}, ${gap(plain)}`);
});

test('subprime auto: turbo builds overcollateralisation to its target, which cash beyond it then leaves', () => {
  const ran = run('subprime-auto-turbo');
  const built = ran.trace.findIndex(({ steps }) => (steps.find(({ name }) => name === 'residual')?.paid ?? 0) > 0);
  assert.ok(built > 2, `${built}`);
  assert.ok(stepOf(ran, 'turbo', 1).paid > 0);
  const pool = ran.flows.poolCurrent[built] ?? 0;
  near(pool - notes(ran, built + 1), 0.1475 * pool - 0.02 * BALANCE, 0.02);
  assert.equal(stepOf(ran, 'residual', built).paid, 0);
});

test('consumer loans: classes share principal until losses pass their schedule, then Class A has it all', () => {
  const before = run('consumer-switch');
  assert.ok(flowsOf(before, 'D').principal.every((amount, period) => amount > 0 || period > 40));
  assert.ok(before.trace.every(({ triggers }) => !triggers[0]?.on));
  const ran = run('consumer-switch', lossy(14));
  const on = ran.trace.findIndex(({ triggers }) => triggers[0]?.on);
  assert.ok(on > 2, `${on}`);
  const [a, d] = [flowsOf(ran, 'A'), flowsOf(ran, 'D')];
  assert.ok((d.principal[on - 1] ?? 0) > 0 && (a.principal[on - 1] ?? 0) > 0);
  assert.ok((a.principal[on] ?? 0) > 0 && d.principal[on] === 0);
  assert.equal(stepOf(ran, 'junior interest', on + 1).active, false);
});

test('non-QM: the cap cuts coupons, excess cash pays the carry-over, coupons step up, and a trigger makes principal sequential', () => {
  const ran = run('non-qm-net-wac');
  const b1 = flowsOf(ran, 'B-1');
  assert.ok((b1.coupon[0] ?? 0) < 5.415, `${b1.coupon[0]}`);
  assert.ok((b1.carryOverPaid[0] ?? 0) > 0 && b1.carryOver[0] === 0, 'what the cap cuts is paid from excess cash');
  const a1 = flowsOf(ran, 'A-1');
  assert.deepEqual([a1.coupon[47], (a1.coupon[48] ?? 0) > 4.7], [4.006, true]);
  assert.ok((a1.carryOver[60] ?? 0) > 0, 'after the step-up the caps cut more than the excess pays');
  near((flowsOf(ran, 'A-2').principal[0] ?? 0) / (a1.principal[0] ?? 1), 9.7 / 68.55, 1e-4);
  const late = run('non-qm-net-wac', { delinquencyPercent: [21] });
  assert.equal(flowsOf(late, 'A-2').principal[0], 0);
  const lost = run('non-qm-net-wac', lossy(3));
  const written = ['B-3', 'B-2', 'A-1'].map((name) => sum(flowsOf(lost, name).writeDown));
  near(written[0] ?? 0, 0.0414 * BALANCE - sum(flowsOf(lost, 'B-3').principal), 0.001, 'what B-3 loses');
  assert.equal(written[2], 0);
});

test('jumbo: prepaid principal is senior for five years and shifts to the junior classes then, unless losses are above schedule', () => {
  const prepaying = { prepayment: { measure: 'cpr' as const, values: [15] } };
  const ran = run('jumbo-shifting-interest', prepaying);
  const seniorShare = ({ trace, flows }: Ran, period: number) => {
    const paid = trace[period - 1]?.steps.find(({ name }) => name === 'senior principal')?.paid ?? 0;
    return paid / (flows.principalCollected[period - 1] ?? 1);
  };
  assert.ok(seniorShare(ran, 59) > 0.98 && seniorShare(ran, 60) < 0.96, `${seniorShare(ran, 59)}, ${seniorShare(ran, 60)}`);
  const opening = (period: number) =>
    ['A-1', 'A-2', 'A-3'].reduce((total, name) => total + (flowsOf(ran, name).opening[period - 1] ?? 0), 0) /
    (ran.flows.poolBeginning[period - 1] ?? 1);
  near(seniorShare(ran, 120), opening(120), 1e-6, 'at last both share alike');
  const lost = run('jumbo-shifting-interest', { ...prepaying, ...lossy(1) });
  assert.ok(lost.trace[59]?.triggers[0]?.on);
  assert.ok(seniorShare(lost, 60) > 0.95, `${seniorShare(lost, 60)}`);
  assert.ok(sum(flowsOf(lost, 'B-5').writeDown) > 0);
});

test('student loans: junior interest waits while the pool does not cover Class A, and a note factor of 10 % turns all cash to the notes', () => {
  const ran = run('private-student-parity');
  const turbo = ran.trace.findIndex(({ steps }) => steps.some(({ name, paid }) => name === 'turbo' && paid > 0));
  assert.ok(turbo > 0 && notes(ran, turbo) <= 0.1 * 245_000_000 && notes(ran, turbo - 1) > 0.1 * 245_000_000, `${turbo}`);
  const lost = run('private-student-parity', lossy(40));
  const on = lost.trace.findIndex(({ triggers }) => triggers[0]?.on);
  assert.ok(on > 0);
  assert.equal(stepOf(lost, 'junior interest', on + 1).active, false);
  assert.ok(stepOf(lost, 'late junior interest', on + 1).active);
});

test('equipment: turbo behind the spread account builds overcollateralisation to its target', () => {
  const ran = run('equipment-turbo');
  assert.ok(stepOf(ran, 'turbo', 1).paid > 0);
  const built = ran.trace.findIndex(({ steps }) => (steps.find(({ name }) => name === 'residual')?.paid ?? 0) > 0);
  const pool = ran.flows.poolCurrent[built] ?? 0;
  near(pool - notes(ran, built + 1), Math.max(0.06 * pool, 0.03 * BALANCE), 0.02);
});

test('the classes of the non-QM template have the lesser of their rate and the net rate, before and after the step', () => {
  const structure = scaleTemplate(findTemplate('non-qm-net-wac') as StructureTemplate, BALANCE, '2027-01-25');
  const opening = openRemittances(structure, BALANCE);
  const coupons = (period: number, loanRate: number | null) => {
    const facts = { period, state: { ...opening, period: period - 1 }, loanRate, netRate: null, indices: [] };
    return accrualCoupons(structure, POOL_DATES, facts).slice(0, 8);
  };
  // 0.25 % and 0.029 % of fees.
  assert.deepEqual(coupons(1, 5), [4.006, 4.108, 4.21, 4.716, 4.721, 4.721, 4.721, 4.721]);
  assert.deepEqual(coupons(49, 6), [5.006, 5.108, 5.21, 4.716, 4.916, 5.415, 5.721, 5.721]);
  assert.deepEqual(new Set(coupons(2, null)), new Set([null]));
});
