import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CARMAX,
  type Certificate,
  CERTIFICATES,
  certificates,
  CLASSES,
  DATES,
  TIER_FIGURES,
} from '../../../test/support/carmax.ts';
import { skipWithout } from '../../../test/support/shared.ts';
import { recomputePeriod, type ReportedPeriod, type RecomputedPeriod } from './certificate.ts';
import { amountContext } from './compiled-amount.ts';
import type { DealState } from './deal-state.ts';
import { compileTriggers, newTriggerState } from './triggers.ts';
import { validateStructure } from './validate.ts';

const reported = (certificate: Certificate, period: number): ReportedPeriod => {
  const amount = (name: string) => Number(certificate.amounts[name] ?? 0);
  const rate = certificate.replay_inputs.floating_note_rate;
  return {
    period,
    paymentDate: certificate.distribution_date,
    poolEnding: amount('pool_end'),
    interest: amount('interest_collected') + amount('investment_income'),
    principal: amount('principal_collected') + amount('recoveries') + amount('repurchases'),
    scheduled: amount('principal_collected'),
    prepaid: 0,
    recovered: amount('recoveries'),
    loss: amount('net_loss'),
    earned: { reserve: amount('reserve_interest') },
    billed: {},
    fixings: rate === null ? { SOFR30A: 0 } : { SOFR30A: Number(rate) * 100 - 0.58 },
    netWac: null,
    adjustment: null,
    adjustmentOriginal: null,
    delinquent: [null, null, null],
    events: [],
    call: null,
  };
};

const triggers = newTriggerState(compileTriggers([], amountContext(CARMAX, DATES, 1)));

/** The state before a certificate, from its own opening figures. */
function openingOf({ amounts, replay_inputs, prior_distribution_date }: Certificate, period: number): DealState {
  const balances = Object.entries(CLASSES).map(([name, key]) => [
    name,
    { balance: Number(replay_inputs.note_begin[key] ?? 0), shortfall: 0 },
  ]);
  return {
    period: period - 1,
    payment_date: period === 1 ? null : prior_distribution_date,
    pool_original: 1_612_091_400.06,
    pool_balance: Number(amounts.pool_begin),
    cumulative_net_loss_amount: 0,
    tranches: Object.fromEntries([...balances, ['R', { balance: 0, shortfall: 0 }]]),
    accounts: { reserve: { balance: Number(amounts.reserve_begin) } },
    triggers,
  };
}

/** Every figure of a certificate beside the one that the engine gives, those that differ. */
function differences(certificate: Certificate, { run, trace, state }: RecomputedPeriod): string[] {
  const { amounts, expected } = certificate;
  const lines: [string, number, number][] = [];
  for (const [place, [name, key]] of Object.entries(CLASSES).entries()) {
    lines.push(
      [`interest of ${name}`, run.interestPaid[place] / 100, Number(expected.interest[key] ?? 0)],
      [`principal of ${name}`, run.principalPaid[place] / 100, Number(expected.principal[key] ?? 0)],
      [`ending balance of ${name}`, state.tranches[name].balance, Number(expected.note_end[key] ?? 0)],
    );
  }
  const step = (name: string) => trace.steps.find((each) => each.name === name);
  for (const [name, key] of Object.entries(TIER_FIGURES)) lines.push([name, step(name)?.paid ?? -1, Number(expected[key])]);
  const [reserve] = trace.accounts;
  lines.push(
    ['servicing fee', step('servicing')?.paid ?? -1, Number(amounts.servicing_fee)],
    ['residual', step('residual')?.paid ?? -1, Number(amounts.residual_distribution)],
    ['reserve draw', reserve.drawn, Number(amounts.reserve_draw)],
    ['reserve deposit', reserve.deposited, Number(amounts.reserve_deposit)],
    ['reserve release', reserve.released, Number(amounts.reserve_release)],
    ['reserve', reserve.closing, Number(amounts.reserve_end)],
  );
  return lines.filter(([, is, wanted]) => is !== wanted).map(([what, is, wanted]) => `${what}: ${is}, certificate ${wanted}`);
}

test('a deal of four parity tiers is valid', () => {
  const facts = { balance: 1_612_091_400.06, cut_off_date: DATES.cutOff, closing_date: DATES.closing };
  assert.deepEqual(validateStructure(CARMAX, facts).issues, []);
});

test('29 monthly certificates are recomputed to the cent, each from its own opening state', {
  skip: skipWithout(CERTIFICATES),
}, () => {
  const found = certificates().flatMap((certificate, place) => {
    const recomputed = recomputePeriod(CARMAX, DATES, openingOf(certificate, place + 1), reported(certificate, place + 1));
    return differences(certificate, recomputed).map((line) => `${certificate.distribution_date} ${line}`);
  });
  assert.deepEqual(found, []);
});

test('29 monthly certificates are recomputed to the cent in a chain from the closing', {
  skip: skipWithout(CERTIFICATES),
}, () => {
  const found: string[] = [];
  const all = certificates();
  assert.equal(all.length, 29);
  let state = openingOf(all[0], 1);
  for (const [place, certificate] of all.entries()) {
    const recomputed = recomputePeriod(CARMAX, DATES, state, reported(certificate, place + 1));
    found.push(...differences(certificate, recomputed).map((line) => `${certificate.distribution_date} ${line}`));
    state = recomputed.state;
  }
  assert.deepEqual(found, []);
});
