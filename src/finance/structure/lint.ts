import { addMonths } from '../dates.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../schedule.ts';
import { allWithin, amountFields, isYearly, testsOf } from './amount-faults.ts';
import { type Amount, type Base, isForm, partsOf, type Share, type TargetAmount } from './amount.ts';
import type { PoolFacts } from './issue.ts';
import { findUnread } from './lint-unread.ts';
import {
  balanceOf,
  isNote,
  isPaidBy,
  isResidual,
  type Payee,
  payeesOf,
  placesOf,
  type Step,
  type StepCondition,
  stepName,
  type Structure,
  type Tranche,
} from './structure.ts';
import type { LintFinding } from './lint-finding.ts';

/* What a valid structure says and most likely does not mean. Findings are warnings: each is a fact of the structure and of the pool's balance and closing date. */

/** `balance` of the pool at the cut-off, where it is known: amounts in currency units are compared with shares of the pool by it. */
export function lintStructure(structure: Structure, pool: Partial<PoolFacts> = {}): LintFinding[] {
  return RULES.flatMap((rule) => rule(structure, pool));
}

const RULES: readonly ((structure: Structure, pool: Partial<PoolFacts>) => LintFinding[])[] = [
  findNeverPaid,
  findPaidTwice,
  findLeftOut,
  findRankOrder,
  findUnusedTriggers,
  findUnread,
  findIdleAccounts,
  findIdleCoupons,
  findIdleLimits,
  findIdleFloors,
  findLimited,
  findFractions,
  findEarlyPayment,
  findCutAccrual,
  findEarlyMaturity,
];

const stepAt = ({ waterfall }: Structure, place: number): string => `step "${stepName(waterfall[place] ?? {}, place)}"`;
const isConditional = ({ when, unless }: Step): boolean => when !== undefined || unless !== undefined;
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** Steps behind one that takes all cash on every date: another RESIDUAL step, or principal of ALL while its notes have a balance. */
function findNeverPaid(structure: Structure): LintFinding[] {
  const { waterfall } = structure;
  const findings: LintFinding[] = [];
  const residual = waterfall.findIndex((step) => step.pay === 'RESIDUAL' && !isConditional(step) && step.limit === undefined);
  const turbo = waterfall.findIndex(
    (step) => step.pay === 'PRINCIPAL' && step.amount === 'ALL' && !isConditional(step) && step.limit === undefined,
  );
  const turboTo = turbo === -1 ? [] : payeesOf(waterfall[turbo] ?? { to: [] });
  for (const [place, step] of waterfall.entries()) {
    const path = `waterfall[${place}]`;
    if (residual !== -1 && place > residual) {
      findings.push({ path, code: 'NEVER_PAID', message: `never pays: ${stepAt(structure, residual)} takes all that is left` });
    } else if (turbo !== -1 && place > turbo && (step.pay === 'FEE' || step.pay === 'INTEREST' || step.pay === 'RESERVE')) {
      findings.push({
        path,
        code: 'NEVER_PAID',
        message: `pays nothing while ${quoted(turboTo)} have a balance: ${stepAt(structure, turbo)} takes ALL before it`,
      });
    }
  }
  return [...findings, ...findTranchesBehind(structure, turbo === -1 ? residual : turbo, turboTo)];
}

/** Tranches whose every step is behind the step at `place`, which leaves them nothing. */
function findTranchesBehind(structure: Structure, place: number, paid: readonly string[]): LintFinding[] {
  if (place === -1) return [];
  return structure.tranches.flatMap((tranche, index): LintFinding[] => {
    if (!isNote(structure, tranche) || paid.includes(tranche.tranche)) return [];
    const first = structure.waterfall.findIndex((step) => payeesOf(step).includes(tranche.tranche));
    if (first <= place) return [];
    return [
      {
        path: `tranches[${index}]`,
        code: 'NEVER_PAID',
        message: `tranche "${tranche.tranche}" is paid only behind ${stepAt(structure, place)}, which takes all that is left`,
      },
    ];
  });
}

const sameOrNone = (first: StepCondition | undefined, second: StepCondition | undefined): boolean =>
  first === undefined || JSON.stringify(first) === JSON.stringify(second);

/** Whether the first step is on whenever the second is. */
const coversConditions = (first: Step, second: Step): boolean =>
  sameOrNone(first.when, second.when) && sameOrNone(first.unless, second.unless);

const TWICE: Partial<Record<Step['pay'], string>> = {
  FEE: 'fee',
  INTEREST: 'the interest of tranche',
  CARRY_OVER: 'the carry-over of tranche',
  RESERVE: 'account',
};

function findPaidTwice(structure: Structure): LintFinding[] {
  const { waterfall } = structure;
  return waterfall.flatMap((step, place) => {
    const what = TWICE[step.pay];
    if (what === undefined) return [];
    return payeesOf(step).flatMap((name): LintFinding[] => {
      const first = waterfall.findIndex(
        (other, at) =>
          at < place &&
          other.pay === step.pay &&
          other.limit === undefined &&
          payeesOf(other).includes(name) &&
          coversConditions(other, step),
      );
      if (first === -1) return [];
      const message = `${what} "${name}" is already paid by ${stepAt(structure, first)}, which has no limit and is on whenever this one is`;
      return [{ path: `waterfall[${place}].to`, code: 'PAID_TWICE', message }];
    });
  });
}

/** Whether two steps are never on together, as far as their conditions tell. */
function areOpposite(first: Step, second: Step): boolean {
  const names = (condition: StepCondition | undefined) => (typeof condition === 'string' ? condition : undefined);
  const opposite = (a: Step, b: Step) => names(a.when) !== undefined && names(a.when) === names(b.unless);
  return opposite(first, second) || opposite(second, first);
}

/** A target that counts some notes does not see what an earlier step paid to others. */
function findLeftOut(structure: Structure): LintFinding[] {
  return structure.waterfall.flatMap((step, place) => {
    if (step.pay !== 'PRINCIPAL' || step.amount === undefined) return [];
    return targetsWithin(step.amount).flatMap(({ of_tranches }): LintFinding[] => {
      if (!of_tranches) return [];
      const counted = placesOf(structure, of_tranches).map((index) => structure.tranches[index]?.tranche);
      return structure.waterfall.slice(0, place).flatMap((earlier, at): LintFinding[] => {
        if (earlier.pay !== 'PRINCIPAL' || areOpposite(earlier, step)) return [];
        const out = payeesOf(earlier).filter((name) => !counted.includes(name) && !isEquity(structure, name));
        if (out.length === 0) return [];
        const message = `of_tranches leaves out ${quoted(out)}, which ${stepAt(structure, at)} pays before: that principal does not lower what is due here`;
        return [{ path: `waterfall[${place}].amount`, code: 'LEFT_OUT', message }];
      });
    });
  });
}

const targetsWithin = (amount: Amount): TargetAmount[] =>
  [...allWithin(amount)].filter((each): each is TargetAmount & Amount => isForm<TargetAmount>(each, 'target'));

function isEquity(structure: Structure, name: string): boolean {
  const tranche = structure.tranches.find((each) => each.tranche === name);
  return tranche !== undefined && isResidual(structure, tranche);
}

/** Where each payee of a step stands in the order of payment; members of a shared list stand together. */
function ranksIn(payees: readonly Payee[], proRata: boolean): Map<string, number> {
  return new Map(
    payees.flatMap((payee, place) =>
      (typeof payee === 'string' ? [payee] : payeesOf({ to: payee })).map((name): [string, number] => [
        name,
        proRata ? 0 : place,
      ]),
    ),
  );
}

/** Interest that is paid against the seniority: a junior class first, or classes of one rank one after the other. */
function findRankOrder(structure: Structure): LintFinding[] {
  const orderOf = new Map<string, { place: number; rank: number }>();
  for (const [place, step] of structure.waterfall.entries()) {
    if (step.pay !== 'INTEREST' || isConditional(step)) continue;
    for (const [name, rank] of ranksIn(step.to, step.order === 'PRO_RATA')) {
      if (!orderOf.has(name)) orderOf.set(name, { place, rank });
    }
  }
  const ranked = structure.tranches.flatMap((tranche: Tranche, index) => {
    const order = orderOf.get(tranche.tranche);
    const counts = isNote(structure, tranche) && tranche.interest !== 'ACCRUE_UNTIL' && order !== undefined;
    return counts ? [{ name: tranche.tranche, index, order, seniority: tranche.seniority ?? index + 1 }] : [];
  });
  return ranked.flatMap((later) => {
    const ahead = ranked.filter(
      ({ order }) => order.place < later.order.place || (order.place === later.order.place && order.rank < later.order.rank),
    );
    const junior = ahead.filter(({ seniority }) => seniority > later.seniority);
    const equal = ahead.filter(({ seniority, name }) => seniority === later.seniority && name !== later.name);
    const path = `tranches[${later.index}].seniority`;
    const findings: LintFinding[] = [];
    if (junior.length > 0) {
      const message = `interest of ${quoted(junior.map(({ name }) => name))} is paid before that of "${later.name}", which is more senior`;
      findings.push({ path, code: 'RANK_ORDER', message });
    }
    if (equal.length > 0) {
      const message = `"${later.name}" ranks with ${quoted(equal.map(({ name }) => name))}, whose interest is paid before its own`;
      findings.push({ path, code: 'RANK_ORDER', message });
    }
    return findings;
  });
}

const namesIn = (condition: StepCondition | undefined): readonly string[] =>
  condition === undefined
    ? []
    : typeof condition === 'string'
      ? [condition]
      : 'any_of' in condition
        ? condition.any_of
        : condition.all_of;

function findUnusedTriggers(structure: Structure): LintFinding[] {
  const used = new Set([
    ...structure.waterfall.flatMap(({ when, unless }) => [...namesIn(when), ...namesIn(unless)]),
    ...amountFields(structure).flatMap(({ amount }) =>
      [...allWithin(amount)].flatMap((each) => (isForm<{ if: string }>(each, 'if') ? [each.if] : [])),
    ),
  ]);
  return (structure.triggers ?? []).flatMap(({ trigger, declared }, index): LintFinding[] => {
    if (used.has(trigger)) return [];
    const how = declared ? 'a report may declare it, but' : 'it is tested, but';
    const message = `no step and no amount depends on trigger "${trigger}": ${how} it changes no payment`;
    return [{ path: `triggers[${index}]`, code: 'NEVER_USED', message }];
  });
}

/** Kinds of steps that draw what they are short of. */
const DRAWING = new Set<Step['pay']>(['FEE', 'INTEREST', 'PRINCIPAL', 'CARRY_OVER', 'WRITTEN_DOWN']);

function findIdleAccounts(structure: Structure): LintFinding[] {
  const { waterfall } = structure;
  return (structure.accounts ?? []).flatMap(({ account, kind, initial = 0, target = 0, draws: given }, index) => {
    const draws = given ?? ['FEE', 'INTEREST'];
    const path = `accounts[${index}]`;
    const findings: LintFinding[] = [];
    const isFilled = isPaidBy(structure, 'RESERVE', account);
    if (isFilled && target === 0) {
      const message = `the target of account "${account}" is 0: its RESERVE step releases all that it holds and never fills it`;
      findings.push({ path: `${path}.target`, code: 'TARGET_ZERO', message });
    }
    if (kind === 'COLLECTION') return findings;
    const covers = draws.map((draw) =>
      waterfall.some((step, place) => DRAWING.has(step.pay) && (draw === step.pay || draw === `step:${stepName(step, place)}`)),
    );
    if (!covers.includes(true)) {
      const message = `no step draws on account "${account}": it pays only at the end, or when it covers all notes`;
      findings.push({ path: `${path}.draws`, code: 'NO_DRAW', message });
    } else {
      for (const [place, covered] of covers.entries()) {
        if (covered || !given) continue;
        findings.push({ path: `${path}.draws[${place}]`, code: 'NO_DRAW', message: `"${draws[place]}" is no step that draws` });
      }
    }
    if (initial === 0 && !isFilled) {
      const message = `account "${account}" has nothing at closing and no RESERVE step fills it, so there is nothing to draw`;
      findings.push({ path, code: 'NO_DRAW', message });
    }
    return findings;
  });
}

/** The least and the most that an amount can be, where it says so by itself. */
function rangeOf(amount: Amount | undefined): { least: number; most: number } | null {
  if (typeof amount === 'number') return { least: amount, most: amount };
  if (!Array.isArray(amount) || amount.length === 0) return null;
  const values = amount.map(({ value }) => value);
  return { least: Math.min(...values), most: Math.max(...values) };
}

/** Limits of a fixed coupon that the rate never reaches. */
function findIdleCoupons(structure: Structure): LintFinding[] {
  return structure.tranches.flatMap(({ coupon }, index): LintFinding[] => {
    if (coupon?.type !== 'FIXED') return [];
    const [rate, cap, floor] = [rangeOf(coupon.rate), rangeOf(coupon.cap), rangeOf(coupon.floor)];
    const path = `tranches[${index}].coupon`;
    const findings: LintFinding[] = [];
    if (rate && cap && cap.least >= rate.most) {
      const message = `the cap of ${cap.least} % is never below the fixed rate of ${rate.most} %`;
      findings.push({ path: `${path}.cap`, code: 'NEVER_BINDS', message });
    }
    if (rate && floor && floor.most <= rate.least) {
      const message = `the floor of ${floor.most} % is never above the fixed rate of ${rate.least} %`;
      findings.push({ path: `${path}.floor`, code: 'NEVER_BINDS', message });
    }
    return findings;
  });
}

/** Limits above all that a step could owe. */
function findIdleLimits(structure: Structure): LintFinding[] {
  return structure.waterfall.flatMap((step, place): LintFinding[] => {
    const { limit } = step;
    const size = rangeOf(isYearly(limit) ? limit.amount : limit);
    if (!size) return [];
    const names = payeesOf(step);
    const path = `waterfall[${place}].limit`;
    if (step.pay === 'PRINCIPAL') {
      const balances = structure.tranches
        .filter(({ tranche, interest }) => names.includes(tranche) && interest !== 'ACCRUE_UNTIL')
        .reduce((sum, tranche) => sum + balanceOf(tranche), 0);
      const accretes = structure.tranches.some(({ tranche, interest }) => names.includes(tranche) && interest === 'ACCRUE_UNTIL');
      if (accretes || size.least < balances) return [];
      return [
        { path, code: 'NEVER_BINDS', message: `${size.least} is at or above the ${balances} that its tranches have at closing` },
      ];
    }
    if (step.pay !== 'FEE' || !isYearly(limit)) return [];
    const fees = (structure.fees ?? []).filter(({ fee }) => names.includes(fee));
    const isKnown = fees.every((fee) => fee.percent === undefined && !fee.billed && typeof fee.amount_per_year === 'number');
    const most = fees.reduce((sum, fee) => sum + (rangeOf(fee.amount_per_year)?.most ?? 0) + (fee.one_off?.amount ?? 0), 0);
    if (!isKnown || size.least < most) return [];
    return [{ path, code: 'NEVER_BINDS', message: `${size.least} a year is at or above the ${most} a year that its fees are` }];
  });
}

/** Bases that a deal keeps from its closing on; a share of one never falls below its floor later. */
const CONSTANT = new Set<Base>(['POOL_ORIGINAL', 'NOTES_ORIGINAL', 'POOL_ADJUSTED_ORIGINAL']);
/** What each falling base is at closing, in the words of a constant one. */
const AT_CLOSING: Partial<Record<Base, Base>> = {
  POOL_CURRENT: 'POOL_ORIGINAL',
  POOL_BEGINNING: 'POOL_ORIGINAL',
  POOL_ADJUSTED: 'POOL_ADJUSTED_ORIGINAL',
  NOTES: 'NOTES_ORIGINAL',
};

function findIdleFloors(structure: Structure, { balance: poolBalance }: Partial<PoolFacts>): LintFinding[] {
  const notes = structure.tranches.reduce((sum, tranche) => sum + (isNote(structure, tranche) ? balanceOf(tranche) : 0), 0);
  const balances: Partial<Record<Base, number>> = {
    NOTES_ORIGINAL: notes,
    ...(poolBalance === undefined ? {} : { POOL_ORIGINAL: poolBalance }),
  };
  const closing = (amount: Amount | undefined): { base: Base | null; value: number } | null => {
    if (typeof amount === 'number') return { base: null, value: amount };
    if (amount === undefined || !isForm<Share>(amount, 'percent') || typeof amount.percent !== 'number') return null;
    if (amount.of === undefined || amount.of_tranches || amount.floor !== undefined) return null;
    const base = AT_CLOSING[amount.of] ?? amount.of;
    const balance = balances[base];
    if (balance !== undefined) return { base: null, value: (amount.percent / 100) * balance };
    return CONSTANT.has(base) ? { base, value: amount.percent } : null;
  };
  return amountFields(structure).flatMap((field) =>
    [...withPaths(field.path, field.amount)].flatMap(({ path, amount }): LintFinding[] => {
      if (!isForm<Share>(amount, 'floor') || amount.of === undefined || amount.floor === undefined) return [];
      const { floor, of, percent, of_tranches } = amount;
      const [size, least] = [closing({ percent, of }), closing(floor)];
      const isFixedFloor = typeof floor === 'number' || (isForm<Share>(floor, 'of') && CONSTANT.has(floor.of));
      if (typeof percent !== 'number' || !size || !least || !isFixedFloor || size.base !== least.base || of_tranches) return [];
      if (CONSTANT.has(of) && least.value <= size.value)
        return [{ path: `${path}.floor`, code: 'NEVER_BINDS', message: `the floor is never above ${percent} % of ${of}` }];
      if (least.value < size.value || least.value === 0) return [];
      const message = `${percent} % of ${of} is at or below its floor at closing already, so the floor is the amount`;
      return [{ path: `${path}.percent`, code: 'NEVER_BINDS', message }];
    }),
  );
}

const balancesOf = ({ tranches }: Structure, names: readonly string[]): number =>
  tranches.reduce((sum, tranche) => sum + (names.includes(tranche.tranche) ? balanceOf(tranche) : 0), 0);

/** Notes whose principal is paid by steps with a limit alone: it holds at final maturity too. */
function findLimited(structure: Structure): LintFinding[] {
  return structure.tranches.flatMap((tranche, index): LintFinding[] => {
    if (!isNote(structure, tranche) || balanceOf(tranche) === 0) return [];
    const paying = structure.waterfall.filter((step) => step.pay === 'PRINCIPAL' && payeesOf(step).includes(tranche.tranche));
    const binds = ({ limit, to }: Step): boolean =>
      limit !== undefined && !(typeof limit === 'number' && limit >= balancesOf(structure, payeesOf({ to })));
    if (paying.length === 0 || !paying.every(binds)) return [];
    const message = `every step that pays principal of "${tranche.tranche}" has a limit, which holds at final maturity and in the last period too: what it keeps back stays unpaid`;
    return [{ path: `tranches[${index}]`, code: 'LIMITED', message }];
  });
}

/** Percentages so small that a fraction was likely meant: 0.05 is 0.05 %, not 5 %. */
function findFractions(structure: Structure): LintFinding[] {
  const doubted: { path: string; value: unknown; below: number }[] = [
    ...structure.tranches.map(({ coupon }, index) => ({
      path: `tranches[${index}].coupon.rate`,
      value: coupon?.type === 'FIXED' ? coupon.rate : undefined,
      below: 0.1,
    })),
    { path: 'clean_up_call.percent', value: structure.clean_up_call?.percent, below: 1 },
    ...testsOf(structure).map(({ path, test }) => ({
      path: `${path}.value`,
      value: test.metric?.startsWith('POOL_FACTOR') ? test.value : undefined,
      below: 1,
    })),
  ];
  return doubted.flatMap(({ path, value, below }): LintFinding[] => {
    if (typeof value !== 'number' || value <= 0 || value >= below) return [];
    const percent = Number((100 * value).toFixed(6));
    return [{ path, code: 'LIKE_FRACTION', message: `is ${value} %; if ${percent} % is meant, write ${percent}` }];
  });
}

/** A first payment that nobody who buys at closing gets. */
function findEarlyPayment({ payment = {} }: Structure, { closing_date: closing }: Partial<PoolFacts>): LintFinding[] {
  const { first_payment_date: first } = payment;
  if (first === undefined || closing === undefined || first > closing) return [];
  const message = `is ${first}, not after the closing date ${closing}: what is paid up to then reaches no buyer`;
  return [{ path: 'payment.first_payment_date', code: 'PAID_BEFORE_CLOSING', message }];
}

/** A first payment that is a month or more from the end of the whole period of interest that it pays. */
function findCutAccrual({ payment = {}, tranches }: Structure, { closing_date }: Partial<PoolFacts>): LintFinding[] {
  const { first_payment_date: first, dated_date: dated = closing_date, first_accrual = 'FULL', frequency = 'MONTHLY' } = payment;
  if (first_accrual !== 'FULL' || first === undefined || dated === undefined) return [];
  if (!tranches.some(({ coupon }) => coupon !== undefined)) return [];
  const months = MONTHS_BETWEEN_PAYMENTS[frequency];
  const isLate = addMonths(dated, months + 1) <= first;
  const isEarly = months > 1 && addMonths(dated, months - 1) >= first;
  if (!isLate && !isEarly) return [];
  const message = `the first payment, on ${first}, has the interest of ${30 * months} days (FULL), though interest begins on ${dated}; with ACTUAL it has that of the days between`;
  return [{ path: 'payment.first_accrual', code: 'FIRST_ACCRUAL', message }];
}

/** Notes that fall due whole with the first payment. */
function findEarlyMaturity(structure: Structure): LintFinding[] {
  const { payment: { first_payment_date: first } = {}, tranches } = structure;
  return tranches.flatMap((tranche, index): LintFinding[] => {
    const { final_maturity: matures } = tranche;
    if (matures === undefined || first === undefined || matures > first || !isNote(structure, tranche)) return [];
    const message = `is ${matures}, not after the first payment date ${first}: the whole balance falls due on it`;
    return [{ path: `tranches[${index}].final_maturity`, code: 'MATURES_AT_ONCE', message }];
  });
}

/** An amount and all amounts in it, with their paths. */
function* withPaths(path: string, amount: Amount): Generator<{ path: string; amount: Amount }> {
  yield { path, amount };
  for (const part of partsOf(amount)) yield* withPaths(path + part.path, part.amount);
}
