import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { weightedAverageLife } from './bond.ts';
import { projectCollateral, projectSchedules, scheduleLoans } from './collateral.ts';
import { collateralRows } from './collateral-rows.ts';
import { aLoan, anyAssumptions, anyLoan, assuming, near, SOFR_CURVE } from './test-support.ts';
import type { Collateral, CollateralLoan } from './types.ts';

const FLOWS = [
  'opening',
  'scheduledPrincipal',
  'prepayment',
  'defaulted',
  'recovery',
  'loss',
  'interest',
  'advancedPrincipal',
  'advancedInterest',
  'pendingRecovery',
  'closing',
] as const;

const pools = fc.array(anyLoan, { minLength: 1, maxLength: 30 });

/** The definitions month by month for one loan, without the shortcuts of the engine: the oracle of the whole. */
function projectNaively(loan: CollateralLoan, speeds: { smm: number; mdr: number; severity: number; lag: number }) {
  const rate = loan.ratePercent / 1200;
  const payment = (loan.balance * rate) / (1 - (1 + rate) ** -loan.remainingMonths);
  let performing = loan.balance;
  let scheduled = loan.balance;
  const rows: { defaulted: number; scheduledPrincipal: number; prepayment: number; interest: number; closing: number }[] = [];
  for (let month = 1; month <= loan.remainingMonths; month++) {
    const next = month === loan.remainingMonths ? 0 : scheduled * (1 + rate) - payment;
    const f = next / scheduled;
    const defaulted = month <= loan.remainingMonths - speeds.lag ? performing * speeds.mdr : 0;
    const scheduledPrincipal = (performing - defaulted) * (1 - f);
    const prepayment = performing * f * speeds.smm;
    const interest = (performing - defaulted) * rate;
    performing -= defaulted + scheduledPrincipal + prepayment;
    scheduled = next;
    rows.push({ defaulted, scheduledPrincipal, prepayment, interest, closing: performing });
  }
  return rows.map((row, index) => {
    const liquidated = rows[index - speeds.lag]?.defaulted ?? 0;
    return { ...row, loss: liquidated * speeds.severity, recovery: liquidated * (1 - speeds.severity) };
  });
}

test('the projection of a pool equals the definitions worked loan by loan and month by month', () => {
  const loans = [aLoan({ ratePercent: 9 }), aLoan({ balance: 25_000, remainingMonths: 48 }), aLoan({ remainingMonths: 300 })];
  const assumptions = assuming({
    prepayment: { measure: 'smm', values: [1.2] },
    default: { measure: 'mdr', values: [0.4] },
    severityPercent: 35,
    recoveryLagMonths: 7,
  });
  const projected = projectCollateral(loans, assumptions);
  const naive = loans.map((loan) => projectNaively(loan, { smm: 0.012, mdr: 0.004, severity: 0.35, lag: 7 }));
  for (const flow of ['defaulted', 'scheduledPrincipal', 'prepayment', 'interest', 'closing', 'loss', 'recovery'] as const) {
    for (let month = 0; month < 360; month++) {
      const expected = naive.reduce((sum, rows) => sum + (rows[month]?.[flow] ?? 0), 0);
      near(projected[flow][month], expected, 1e-6, `${flow} of month ${month + 1}`);
    }
  }
});

test('every month of every pool ties to the cent, and no amount is negative but principal below the interest that joins the balance', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, assumptions) => {
      const rows = collateralRows(projectCollateral(loans, assumptions, SOFR_CURVE));
      let pending = 0;
      for (const [index, row] of rows.entries()) {
        equal(row.opening - row.scheduledPrincipal - row.prepayment - row.defaulted, row.closing);
        equal(row.opening, index === 0 ? row.opening : rows[index - 1].closing);
        equal(pending + row.defaulted - row.recovery - row.loss - row.advancedPrincipal, row.pendingRecovery);
        const { scheduledPrincipal, interest, advancedPrincipal, advancedInterest, ...others } = row;
        ok(Object.values(others).every((value) => value >= 0));
        for (const [principal, earned] of [
          [scheduledPrincipal, interest],
          [advancedPrincipal, advancedInterest],
        ] as const) {
          ok(principal + earned >= -2 && earned >= 0, `${principal} and ${earned}`);
          if (!loans.some(({ deferMonths }) => deferMonths)) ok(principal >= 0);
        }
        pending = row.pendingRecovery;
      }
    }),
    { numRuns: 300 },
  );
});

test('what goes in comes out: principal, prepayments and defaults add up to the opening balance, defaults to their liquidation', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, assumptions) => {
      const c = projectCollateral(loans, assumptions, SOFR_CURVE);
      const opening = loans.reduce((sum, loan) => sum + loan.balance, 0);
      near(sum(c.scheduledPrincipal) + sum(c.prepayment) + sum(c.defaulted), opening, 1e-9 * opening, 'principal');
      near(sum(c.recovery) + sum(c.loss) + sum(c.advancedPrincipal), sum(c.defaulted), 1e-9 * opening, 'liquidations');
      near(c.closing.at(-1), 0, 1e-9 * opening, 'closing');
      near(c.pendingRecovery.at(-1), 0, 0, 'pending');
    }),
    { numRuns: 300 },
  );
});

test('no column of rounded rows drifts from its exact sum by more than a cent a hundred months', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, assumptions) => {
      const c = projectCollateral(loans, assumptions, SOFR_CURVE);
      const rows = collateralRows(c);
      for (const flow of ['scheduledPrincipal', 'prepayment', 'defaulted', 'recovery', 'loss', 'advancedPrincipal'] as const) {
        const cents = rows.reduce((total, row) => total + row[flow], 0);
        near(cents / 100, sum(c[flow]), 0.03, flow);
      }
    }),
  );
});

test('the sum of the parts of a pool is the whole', () => {
  fc.assert(
    fc.property(pools, pools, anyAssumptions, (left, right, assumptions) => {
      const whole = projectCollateral([...left, ...right], assumptions, SOFR_CURVE);
      const parts = [left, right].map((loans) => projectCollateral(loans, assumptions, SOFR_CURVE));
      for (const flow of FLOWS) {
        for (let month = 0; month < whole.periods; month++) {
          const expected = parts.reduce((total, part) => total + (part[flow][month] ?? 0), 0);
          near(whole[flow][month], expected, 1e-6, `${flow} of month ${month + 1}`);
        }
      }
    }),
  );
});

test('the same loans give the same bytes, in whatever order of calls', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, assumptions) => {
      const first = projectCollateral(loans, assumptions, SOFR_CURVE);
      projectCollateral([aLoan()], assuming({ servicerAdvances: true }));
      deepEqual(bytes(projectCollateral(structuredClone(loans), assumptions, SOFR_CURVE)), bytes(first));
    }),
  );
});

test('kept schedules give the projection of their loans', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, assumptions) => {
      const direct = projectCollateral(loans, assumptions, SOFR_CURVE);
      const kept = projectSchedules(scheduleLoans(loans, SOFR_CURVE, assumptions.servicerAdvances), assumptions);
      for (const flow of FLOWS) for (const [month, amount] of direct[flow].entries()) near(kept[flow][month], amount, 1e-6, flow);
    }),
  );
});

test('the average life falls, or stays, as the prepayment speed rises', () => {
  fc.assert(
    fc.property(pools, fc.integer({ min: 0, max: 98 }), (loans, cpr) => {
      ok(averageLife(loans, cpr + 1) <= averageLife(loans, cpr) + 1e-9);
    }),
  );
});

test('no loan defaults in its last months before maturity, as many as liquidation takes', () => {
  const assumptions = assuming({ default: { measure: 'cdr', values: [10] }, severityPercent: 40, recoveryLagMonths: 6 });
  const { defaulted, recovery } = projectCollateral([aLoan({ remainingMonths: 24 })], assumptions);
  ok(defaulted[17] > 0);
  deepEqual([...defaulted.subarray(18)], [0, 0, 0, 0, 0, 0]);
  ok(recovery[23] > 0);
});

test('late defaults that are kept are those of a pool without lag, liquidated as many months after each, to the last', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, asked) => {
      const assumptions = { ...asked, servicerAdvances: false, keepsLateDefaults: true };
      const lag = assumptions.recoveryLagMonths;
      const kept = projectCollateral(loans, assumptions, SOFR_CURVE);
      const prompt = projectCollateral(loans, { ...assumptions, recoveryLagMonths: 0 }, SOFR_CURVE);
      equal(kept.periods, prompt.periods + lag);
      equal(kept.omittedDefaults, 0);
      for (let month = 0; month < prompt.periods; month++) {
        near(kept.defaulted[month], prompt.defaulted[month], 1e-9, `defaults of month ${month + 1}`);
        near(kept.loss[month + lag], prompt.loss[month], 1e-9, `loss of month ${month + 1}`);
      }
      near(kept.pendingRecovery.at(-1), 0, 0, 'pending');
    }),
    { numRuns: 100 },
  );
});

test('the amount of omitted late defaults is what the pool would lose to default without a lag', () => {
  fc.assert(
    fc.property(pools, anyAssumptions, (loans, asked) => {
      const assumptions = { ...asked, keepsLateDefaults: false };
      const usual = projectCollateral(loans, assumptions, SOFR_CURVE);
      const prompt = projectCollateral(loans, { ...assumptions, recoveryLagMonths: 0 }, SOFR_CURVE);
      near(usual.omittedDefaults, sum(prompt.defaulted) - sum(usual.defaulted), 1e-6, 'omitted');
    }),
    { numRuns: 100 },
  );
});

test('with advances the servicer has paid a late default by the last payment, and nothing is left to lose', () => {
  const assumptions = assuming({
    default: { measure: 'mdr', values: [0, 0, 0, 0, 10] },
    severityPercent: 100,
    recoveryLagMonths: 4,
    servicerAdvances: true,
    keepsLateDefaults: true,
  });
  const { periods, defaulted, advancedPrincipal, loss } = projectCollateral([aLoan({ remainingMonths: 6 })], assumptions);
  equal(periods, 6);
  ok(sum(defaulted) > 0);
  near(sum(advancedPrincipal), sum(defaulted), 1e-6);
  equal(sum(loss), 0);
});

test('the first projected month has the age at the cut-off plus one', () => {
  const psa = assuming({ prepayment: { measure: 'psa', values: [100] } });
  const { prepayment, closing } = projectCollateral([aLoan({ ageMonths: 3 })], psa);
  const smm = 1 - (1 - 0.008) ** (1 / 12);
  near(prepayment[0] / (prepayment[0] + closing[0]), smm, 1e-12);
});

test('a severity vector is read in the month of the default', () => {
  const assumptions = assuming({
    default: { measure: 'mdr', values: [1, 0] },
    severityPercent: [100, 0],
    recoveryLagMonths: 3,
  });
  const { loss, defaulted } = projectCollateral([aLoan()], assumptions);
  equal(loss[3], defaulted[0]);
});

test('a loss is at most the balance that advances have left', () => {
  const assumptions = assuming({
    default: { measure: 'mdr', values: [5, 0] },
    severityPercent: 90,
    recoveryLagMonths: 10,
    servicerAdvances: true,
  });
  const { loss, recovery, advancedPrincipal } = projectCollateral([aLoan({ remainingMonths: 12, ratePercent: 0 })], assumptions);
  near(sum(advancedPrincipal), (5_000 * 10) / 12, 1e-9);
  near(loss[10], (5_000 * 2) / 12, 1e-9);
  equal(recovery[10], 0);
});

test('the highest rate over the longest term stays exact: the balance holds, and no amount is negative', () => {
  const c = projectCollateral([aLoan({ ratePercent: 1000, remainingMonths: 1200 })], assuming());
  near(c.closing[600], 100_000, 1e-6);
  near(c.interest[1199], (100_000 * 1000) / 1200, 1);
  ok(c.scheduledPrincipal.every((amount) => amount >= 0));
});

test('an empty pool has no months', () => {
  equal(projectCollateral([], assuming()).periods, 0);
  deepEqual(collateralRows(projectCollateral([], assuming())), []);
});

test('a loan or an assumption that cannot be projected is named', () => {
  throws(() => projectCollateral([aLoan(), aLoan({ balance: Number.NaN })], assuming()), /loan 1: balance is NaN/);
  throws(() => projectCollateral([aLoan({ remainingMonths: 12.5 })], assuming()), /loan 0: remainingMonths is 12.5/);
  throws(() => projectCollateral([aLoan()], assuming({ severityPercent: 101 })), /severity is 101 %/);
  throws(() => projectCollateral([aLoan()], assuming({ default: { measure: 'cdr', values: [-1] } })), /default speed is -1/);
  const floater = aLoan({ floating: { index: 'SOFR', marginPercent: 2 } });
  throws(() => projectCollateral([floater], assuming()), /no curve for index SOFR/);
});

function averageLife(loans: CollateralLoan[], cpr: number): number {
  const c = projectCollateral(loans, assuming({ prepayment: { measure: 'cpr', values: [cpr] } }), SOFR_CURVE);
  const years = Array.from({ length: c.periods }, (_, month) => (month + 1) / 12);
  return weightedAverageLife(
    years,
    c.scheduledPrincipal.map((amount, month) => amount + c.prepayment[month]),
  ) as number;
}

function bytes(collateral: Collateral): string[] {
  return FLOWS.map((flow) => Buffer.from(Float64Array.from(collateral[flow]).buffer).toString('base64'));
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
