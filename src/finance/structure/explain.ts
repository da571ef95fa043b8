import { isYearly } from './amount-faults.ts';
import { type Amount, isForm } from './amount.ts';
import {
  amountText,
  baseText,
  listText,
  notesNamed,
  notesText,
  numberText,
  percentText,
  scheduleText,
  type Unit,
} from './explain-amount.ts';
import {
  type Account,
  type Call,
  type Coupon,
  type Fee,
  incomeTo,
  isResidual,
  type Metric,
  type MetricBase,
  type Payee,
  type Step,
  type StepCondition,
  stepName,
  type Structure,
  type Test,
  type Tranche,
  type Trigger,
} from './structure.ts';
import { AMOUNTS } from './triggers.ts';

/* A structure in sentences, as its indenture would say it: every field that is given is said somewhere. */

export type Explanation = {
  /** Conventions of the whole deal. */
  payment: string[];
  tranches: { tranche: string; text: string; clause: string | null }[];
  accounts: { account: string; text: string; clause: string | null }[];
  fees: { fee: string; text: string; clause: string | null }[];
  steps: { step: string; place: number; text: string; clause: string | null }[];
  triggers: { trigger: string; text: string; clause: string | null }[];
  calls: { call: string; text: string; clause: string | null }[];
};

export function explainStructure(structure: Structure): Explanation {
  const { tranches, accounts = [], fees = [], waterfall, triggers = [], calls = [], clean_up_call } = structure;
  const clauseOf = ({ clause = null }: { clause?: string | null }) => ({ clause });
  return {
    payment: [...paymentTexts(structure), ...poolTexts(structure), ...lossTexts(structure), ...fixingTexts(structure)],
    tranches: tranches.map((each, place) => ({
      tranche: each.tranche,
      text: trancheText(structure, each, place),
      ...clauseOf(each),
    })),
    accounts: accounts.map((each) => ({ account: each.account, text: accountText(structure, each), ...clauseOf(each) })),
    fees: fees.map((each) => ({ fee: each.fee, text: feeText(structure, each), ...clauseOf(each) })),
    steps: waterfall.map((each, place) => ({
      step: stepName(each, place),
      place: place + 1,
      text: `${ordinal(place + 1)}${each.step === undefined ? '' : ` ("${each.step}")`}, ${stepText(structure, each, place)}`,
      ...clauseOf(each),
    })),
    triggers: triggers.map((each) => ({ trigger: each.trigger, text: triggerText(structure, each), ...clauseOf(each) })),
    calls: [
      ...calls.map((each) => ({ call: each.call, text: callText(structure, each), ...clauseOf(each) })),
      ...(clean_up_call ? [{ call: 'clean_up_call', text: cleanUpText(clean_up_call), clause: null }] : []),
    ],
  };
}

const ONES = ['', 'First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth', 'Tenth'];
const TEENS = ['Eleventh', 'Twelfth', 'Thirteenth', 'Fourteenth', 'Fifteenth', 'Sixteenth', 'Seventeenth', 'Eighteenth'];
const WORDS = [...ONES, ...TEENS, 'Nineteenth', 'Twentieth'];
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const PLURALS = new Intl.PluralRules('en-US', { type: 'ordinal' });

function ordinal(place: number): string {
  return WORDS[place] ?? `${place}${SUFFIXES[PLURALS.select(place)] ?? 'th'}`;
}

const sentence = (parts: readonly (string | false | null | undefined)[], separator = '; '): string => {
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join(separator);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
};

const FREQUENCIES = {
  MONTHLY: 'every month',
  QUARTERLY: 'every three months',
  SEMI_ANNUAL: 'every six months',
  ANNUAL: 'every year',
};
const CALENDARS = {
  US_FED: 'the holidays of the Federal Reserve',
  TARGET: 'the holidays of the euro payment system (TARGET)',
  WEEKENDS: 'weekends alone',
};
const MOVES = {
  NONE: 'dates are not moved for holidays',
  FOLLOWING: 'moves to the next business day',
  MODIFIED_FOLLOWING: 'moves to the next business day, or to the one before where that is in the next month',
};

function paymentTexts({ payment = {}, interest_on_shortfall }: Structure): string[] {
  const { frequency = 'MONTHLY', business_day = 'FOLLOWING', calendar = 'US_FED', rounding = 'NONE' } = payment;
  const { first_payment_date, payment_day, dated_date, first_accrual = 'FULL', delay_months, first_collection_months } = payment;
  const dates = [
    `payments are made ${FREQUENCIES[frequency]}${payment_day === undefined ? '' : `, on day ${payment_day} of the month`}`,
    first_payment_date !== undefined && `for the first time on ${first_payment_date}`,
  ];
  const move = `A payment date on a holiday (by ${CALENDARS[calendar]}) ${MOVES[business_day]}.`;
  return [
    sentence(dates, ', '),
    business_day === 'NONE' ? `${sentence([MOVES.NONE])} The calendar is that of ${CALENDARS[calendar]}.` : move,
    sentence([
      `interest accrues from ${dated_date ?? 'the closing date'}`,
      first_accrual === 'FULL' ? 'the first period counts as a whole one' : 'the first period counts its actual days',
    ]),
    ...(delay_months ? [`Each date distributes the collections of ${months(delay_months)} before its own.`] : []),
    ...(first_collection_months === undefined
      ? []
      : [`The first date distributes the collections of ${months(first_collection_months)}.`]),
    rounding === 'CENT'
      ? 'Every fee, interest, target, draw and income is rounded to the cent, half up, when it becomes due.'
      : 'Amounts are not rounded.',
    ...(interest_on_shortfall === undefined
      ? []
      : [`Unless a class says otherwise, unpaid interest ${interest_on_shortfall ? 'earns the coupon' : 'earns nothing'}.`]),
  ];
}

const months = (count: number): string => `${count} month${count === 1 ? '' : 's'}`;
const periods = (count: number): string => `${count} period${count === 1 ? '' : 's'}`;

function poolTexts({ pool }: Structure): string[] {
  const adjustment = pool?.adjustment;
  if (!adjustment) return [];
  if (Array.isArray(adjustment)) {
    return [`The adjusted pool balance is the pool balance less ${scheduleText(adjustment, 'MONEY')}.`];
  }
  const { rate, applies } = adjustment;
  const loans = applies === 'ALL' ? 'each loan' : `each loan with a rate below ${numberText(rate, 'PERCENT')}`;
  return [
    `The adjusted pool balance is the pool balance less, for ${loans}, its balance less the present value of its remaining scheduled payments, discounted at ${numberText(rate, 'PERCENT')} a year.`,
  ];
}

function lossTexts({ losses }: Structure): string[] {
  if (!losses) return [];
  const { mode, write_up } = losses;
  const texts = [
    mode === 'NONE'
      ? 'Losses are not allocated: what a class is not paid at the end is its loss.'
      : 'After the payments of a date, the notes above the pool balance and its pending recoveries are written off, from the most junior class up.',
  ];
  if (write_up !== undefined)
    texts.push(write_up ? 'Write-offs are reinstated when the pool covers them again.' : 'Write-offs are not reinstated.');
  return texts;
}

function fixingTexts({ fixings = {} }: Structure): string[] {
  return Object.entries(fixings).map(([index, points]) => {
    const known = points.map(({ date, rate }) => `${numberText(rate, 'PERCENT')} for accruals from ${date}`);
    return `Known fixings of ${index}: ${listText(known)}.`;
  });
}

const DAY_COUNTS = {
  '30/360': 'months of 30 days and years of 360 (30/360)',
  '30E/360': 'months of 30 days and years of 360, by the European rule (30E/360)',
  'ACT/360': 'actual days over 360 (ACT/360)',
  'ACT/365': 'actual days over 365 (ACT/365)',
  'ACT/ACT': 'actual days over those of the year (ACT/ACT)',
};

function trancheText(structure: Structure, tranche: Tranche, place: number): string {
  const { tranche: name, class: ofClass = name, balance = 0, notional, coupon, day_count = '30/360', interest } = tranche;
  const residual = isResidual(structure, tranche);
  const size =
    notional === undefined
      ? `original balance ${numberText(balance, 'MONEY')}`
      : `a notional class, paid interest alone on ${amountText(structure, notional)}`;
  const { denomination, increment, rating, final_maturity, erisa_eligible, offered_yield, accrue_until, interest_on_shortfall } =
    tranche;
  return sentence([
    `${residual ? 'the residual' : 'Class'} ${name}${ofClass === name ? '' : ` (class ${ofClass})`}: ${size}`,
    coupon ? couponText(structure, coupon) : residual ? '' : 'no coupon',
    (coupon !== undefined || tranche.day_count !== undefined) && `interest counts ${DAY_COUNTS[day_count]}`,
    `seniority ${tranche.seniority ?? place + 1}`,
    interest === 'ACCRUE_UNTIL' &&
      `interest is added to the balance until ${notesNamed(accrue_until ?? [])} are paid in full, and the same cash is paid as principal`,
    interest === 'PAY' && 'interest is paid, not added to the balance',
    interest_on_shortfall !== undefined && `unpaid interest earns ${interest_on_shortfall ? 'the coupon' : 'nothing'}`,
    final_maturity !== undefined && `its whole balance is due from the first payment date on or after ${final_maturity}`,
    denomination !== undefined && `smallest holding ${numberText(denomination, 'MONEY')}`,
    increment !== undefined && `in steps of ${numberText(increment, 'MONEY')}`,
    rating !== undefined && `rated ${rating}`,
    offered_yield !== undefined && `offered at a yield of ${numberText(offered_yield, 'PERCENT')}`,
    erisa_eligible !== undefined && `${erisa_eligible ? 'may' : 'may not'} be bought by plans under ERISA`,
  ]);
}

/** A coupon in words. */
export function couponText(structure: Structure, coupon: Coupon): string {
  if (coupon.type === 'EXCESS') {
    return 'its coupon is the excess of the net weighted average coupon over the average of the other coupons, weighted by opening balance';
  }
  const { cap, floor, carry_over } = coupon;
  const rate = (amount: Amount) => amountText(structure, amount, 'PERCENT');
  const bounds = [
    cap !== undefined && `at most ${rate(cap)}`,
    floor !== undefined && `at least ${rate(floor)}`,
    carry_over !== undefined &&
      (carry_over ? 'what the cap cuts stays owed and earns the uncapped rate' : 'what the cap cuts is lost'),
  ].filter((part) => part !== false);
  const base = coupon.type === 'FIXED' ? `a fixed rate of ${rate(coupon.rate)} a year` : floatingText(structure, coupon);
  return [base, ...bounds].join(', ');
}

function floatingText(structure: Structure, coupon: Extract<Coupon, { type: 'FLOATING' }>): string {
  const { index, margin_bp, multiplier, reset } = coupon;
  const times = multiplier === undefined ? '' : `${numberText(multiplier, 'NUMBER')} times `;
  const text = `a floating rate of ${times}${index} plus ${amountText(structure, margin_bp, 'BP')}`;
  const { lag_days, every_months } = reset ?? {};
  return [
    text,
    ...(lag_days === undefined ? [] : [`with the index of ${lag_days} days before the accrual`]),
    ...(every_months === undefined ? [] : [`reset every ${months(every_months)}`]),
  ].join(', ');
}

const KINDS = { FEE: 'of fees', INTEREST: 'of interest', PRINCIPAL: 'of principal' };

function drawText(draw: NonNullable<Account['draws']>[number]): string {
  if (draw === 'FEE' || draw === 'INTEREST' || draw === 'PRINCIPAL') return `the steps ${KINDS[draw]}`;
  return `step "${draw.slice('step:'.length)}"`;
}

function accountText(structure: Structure, account: Account): string {
  const { account: name, kind = 'RESERVE', initial = 0, target = 0, non_declining, draws = ['FEE', 'INTEREST'] } = account;
  const { earns, float_days, release_to = 'POT' } = account;
  const { rate, index, margin_bp = 0 } = earns ?? {};
  const margin = margin_bp === 0 ? '' : ` plus ${numberText(margin_bp, 'BP')}`;
  const released = { POT: 'joins the cash of the waterfall', RESIDUAL: 'goes to the holder of the residual, outside the steps' };
  return sentence([
    `account ${name}: ${kind === 'COLLECTION' ? 'holds the collections of a period until they are paid' : 'a reserve'}`,
    `${numberText(initial, 'MONEY')} at closing`,
    `its target is ${amountText(structure, target)}, at most the balance of the notes`,
    non_declining !== undefined && `the target ${non_declining ? 'never falls' : 'may fall'}`,
    draws.length === 0
      ? 'no shortfall of a step draws on it'
      : `it pays what is short in ${listText(draws.map(drawText))}; and principal at final maturity, or when the accounts cover all notes`,
    release_to === 'POT' || release_to === 'RESIDUAL'
      ? `what is above the target ${released[release_to]}`
      : `what is above the target goes to the holders of ${notesNamed([release_to])}, outside the steps`,
    release_to !== 'POT' && 'steps of principal that are short draw it first',
    rate !== undefined && `it earns ${numberText(rate, 'PERCENT')} a year${margin}`,
    index !== undefined && `it earns ${index}${margin} a year`,
    (earns || account.income_to) &&
      `its income ${incomeTo(account) === 'ACCOUNT' ? 'stays in it' : 'joins the cash of the waterfall'}, before the first step`,
    float_days !== undefined && `collections earn for ${float_days} days`,
  ]);
}

function feeText(structure: Structure, { fee, percent, of, amount_per_year, one_off, billed }: Fee): string {
  return sentence([
    `fee ${fee}: ${[
      percent !== undefined && `${percentText(structure, percent)} a year of ${baseText(structure, of ?? 'POOL_BEGINNING')}`,
      amount_per_year !== undefined && `${amountText(structure, amount_per_year)} a year`,
      one_off && `${numberText(one_off.amount, 'MONEY')} once, in period ${one_off.period}`,
      billed && 'what is billed; a projection has 0 unless its assumptions say otherwise',
    ]
      .filter((part) => typeof part === 'string')
      .join(', plus ')}`,
    billed === false && 'not billed',
    'what is not paid carries forward without interest',
  ]);
}

const PAY_WORDS = {
  INTEREST: 'the interest due, with what is unpaid from earlier dates',
  CARRY_OVER: 'what caps have cut from their interest and is not yet paid, the oldest first',
  WRITTEN_DOWN: 'principal that was written off, without reinstating it',
};

function stepText(structure: Structure, step: Step, place: number): string {
  const { pay, amount = 'PRINCIPAL_COLLECTIONS', limit, when, unless } = step;
  const what: Record<Step['pay'], () => string> = {
    FEE: () => `${payeesText(structure, step)}, with what is unpaid from earlier dates`,
    INTEREST: () => `${holdersText(structure, step)}, ${PAY_WORDS.INTEREST}`,
    CARRY_OVER: () => `${holdersText(structure, step)}, ${PAY_WORDS.CARRY_OVER}`,
    WRITTEN_DOWN: () => `${holdersText(structure, step)}, ${PAY_WORDS.WRITTEN_DOWN}`,
    PRINCIPAL: () => `${holdersText(structure, step)}, principal ${principalText(structure, amount)}`,
    RESERVE: () => `to ${payeesText(structure, step)}, until it holds its target; what it holds above is released`,
    RESIDUAL: () => `${holdersText(structure, step)}, all that is left`,
  };
  return sentenceOf([
    what[pay](),
    limit !== undefined && `but at most ${limitText(structure, limit)}`,
    when !== undefined && `only while ${conditionText(when)}`,
    unless !== undefined && `unless ${conditionText(unless)}`,
    drawnText(structure, step, place),
  ]);
}

const sentenceOf = (parts: readonly (string | false)[]): string =>
  `${parts.filter((part) => part !== false && part !== '').join('; ')}.`;

function principalText(structure: Structure, amount: Amount): string {
  return isForm<{ schedule: unknown[] }>(amount, 'schedule')
    ? `in ${amountText(structure, amount)}`
    : `equal to ${amountText(structure, amount)}, at most their balances`;
}

function limitText(structure: Structure, limit: NonNullable<Step['limit']>): string {
  return isYearly(limit)
    ? `${amountText(structure, limit.amount)} in a calendar year`
    : `${amountText(structure, limit)} on a payment date`;
}

/** The accounts that pay what a step is short of. */
function drawnText(structure: Structure, step: Step, place: number): string {
  const kinds: readonly string[] = ['FEE', 'INTEREST', 'CARRY_OVER', 'WRITTEN_DOWN', 'PRINCIPAL'];
  if (!kinds.includes(step.pay)) return '';
  const drawn = (structure.accounts ?? []).filter(({ draws = ['FEE', 'INTEREST'] }) =>
    draws.some((each) => each === step.pay || each === `step:${stepName(step, place)}`),
  );
  if (drawn.length === 0) return '';
  return `what is short is drawn from the account${drawn.length > 1 ? 's' : ''} ${listText(drawn.map(({ account }) => account))}`;
}

function conditionText(condition: StepCondition): string {
  if (typeof condition === 'string') return `"${condition}" is on`;
  const [names, word] = 'any_of' in condition ? [condition.any_of, 'or'] : [condition.all_of, 'and'];
  return `${listText(
    names.map((name) => `"${name}"`),
    word,
  )} ${word === 'and' && names.length > 1 ? 'are' : 'is'} on`;
}

/** What the members of a shared list share by. */
function sharedBy({ pay, weights = 'CURRENT' }: Step, grouped: boolean): string {
  if (pay === 'RESIDUAL') return 'pro rata by balance';
  if (pay !== 'PRINCIPAL') return 'pro rata by what is due';
  if (!grouped) return 'pro rata by balance';
  return weights === 'ORIGINAL' ? 'pro rata by original balance' : 'pro rata by balance at the beginning of the period';
}

function holdersText(structure: Structure, step: Step): string {
  const residual = step.to.every((payee) => {
    const tranche = structure.tranches.find((each) => each.tranche === payee);
    return tranche !== undefined && isResidual(structure, tranche);
  });
  if (residual) return `to the holder of the residual ${payeesText(structure, step)}`;
  const [first] = step.to;
  const holders = 'to the holders of ';
  return typeof first === 'string' && step.order !== 'PRO_RATA'
    ? `${holders}${payeesText(structure, step)}`
    : payeesText(structure, step).replace(' to ', ` ${holders}`);
}

function payeesText(structure: Structure, step: Step): string {
  const nameOf = payeeName(structure, step);
  const shared = (payees: readonly Payee[], depth: number): string => {
    const members = payees.map((payee) => (typeof payee === 'string' ? nameOf(payee) : `(${sequence(payee, depth + 1)})`));
    return members.length === 1 ? members.join() : `${sharedBy(step, depth > 0)} to ${listText(members)}`;
  };
  const sequence = (payees: readonly Payee[], depth: number): string =>
    payees.map((payee) => (typeof payee === 'string' ? nameOf(payee) : shared(payee, depth + 1))).join(', then ');
  if (step.order === 'PRO_RATA') return shared(step.to, 0);
  return sequence(step.to, 0);
}

function payeeName(structure: Structure, { pay }: Step): (name: string) => string {
  if (pay === 'FEE')
    return (name) => (/^[a-z -]+$/.test(name) && !/fee|expense/.test(name) ? `the ${name} fee` : `the fee "${name}"`);
  if (pay === 'RESERVE') return (name) => `the account ${name}`;
  return (name) => {
    const tranche = structure.tranches.find((each) => each.tranche === name);
    return tranche && isResidual(structure, tranche) ? name : `Class ${name}`;
  };
}

const METRIC_WORDS: Record<MetricBase, string> = {
  CUMULATIVE_NET_LOSS: 'the cumulative net loss, in percent of the pool balance at the cut-off date',
  OC: 'the overcollateralisation, in percent of the pool balance',
  EXCESS_SPREAD: 'the excess spread, in percent a year of the pool balance at the beginning of the period',
  DELINQUENT_60: 'the share of loans 60 or more days delinquent',
  POOL_FACTOR: 'the pool balance, in percent of that at the cut-off date',
  RESERVE_RATIO: 'the reserve ratio',
  PAYMENT_RATE: 'the payment rate',
  PERIOD: 'the number of the payment period',
  DATE: 'the payment date',
  INTEREST_SHORTFALL: 'the unpaid interest',
  PRINCIPAL_SHORTFALL: 'the principal left unpaid by the steps',
  DELINQUENT_30: 'the share of loans 30 or more days delinquent',
  DELINQUENT_90: 'the share of loans 90 or more days delinquent',
  NET_LOSS_12M: 'the net loss of the last twelve months, in percent of the pool balance at the cut-off date',
  NOTE_BALANCE: 'the balance of the notes',
};
const OPS: Record<string, string> = { gt: 'is above', gte: 'is at or above', lt: 'is below', lte: 'is at or below' };
const AVG3 = '_AVG3';

const baseMetric = (metric: Metric): MetricBase => (metric.endsWith(AVG3) ? metric.slice(0, -AVG3.length) : metric) as MetricBase;

function unitOf(metric: Metric | undefined): Unit {
  if (metric === undefined) return 'PERCENT';
  const base = baseMetric(metric);
  if (base === 'PERIOD' || base === 'DATE') return 'NUMBER';
  return AMOUNTS.has(base) ? 'MONEY' : 'PERCENT';
}

function testText(structure: Structure, test: Partial<Test>): string {
  const { metric, op = '', value, schedule, interpolate, consecutive, of_tranches, ratio, average, after_payment } = test;
  const unit = unitOf(metric);
  const measured = ratio
    ? [amountText(structure, ratio[0] ?? 0), `in percent of ${amountText(structure, ratio[1] ?? 0)}`]
    : (metric === undefined ? '' : METRIC_WORDS[baseMetric(metric)]).split(', ');
  if (of_tranches) measured.push(`counting ${notesText(structure, of_tranches)}`);
  const mean = metric?.endsWith(AVG3) ? 3 : average;
  if (mean !== undefined) measured.push(`as a mean of at most the last ${periods(mean)}`);
  const threshold =
    typeof value === 'string'
      ? value
      : value !== undefined
        ? amountText(structure, value, unit)
        : scheduleText(schedule ?? [], unit);
  return [
    `${measured.join(', ')}${measured.length > 1 ? ',' : ''} ${OPS[op] ?? op} ${threshold}`,
    ...(interpolate === 'LINEAR' ? ['between them on a straight line'] : []),
    ...(interpolate === 'NONE' ? ['each until the next'] : []),
    ...(consecutive === undefined ? [] : [`in ${periods(consecutive)} in a row`]),
    ...(after_payment === undefined
      ? []
      : [after_payment ? 'tested after the payments of a date, to count from the next' : 'tested before the payments']),
  ].join(', ');
}

function triggerText(structure: Structure, trigger: Trigger): string {
  const { trigger: name, any_of, all_of, declared, curable = false, cure_periods = 1 } = trigger;
  const tests = (list: readonly Test[]) => list.map((test) => testText(structure, test));
  const when = declared
    ? 'a report declares it'
    : any_of
      ? tests(any_of).join('; or ')
      : all_of
        ? tests(all_of).join('; and ')
        : testText(structure, trigger);
  const cure = declared
    ? 'it goes off when a report says so'
    : curable
      ? `it goes off again after ${periods(cure_periods)} without a breach`
      : 'it stays on';
  return `"${name}" is on when ${when}; ${trigger.cure_periods !== undefined && !curable ? `${cure} (after ${periods(cure_periods)} or more without a breach too)` : cure}.`;
}

function callText(structure: Structure, { call, any_of, price, exercised = true }: Call): string {
  const tests = any_of.map((test) => testText(structure, test));
  return `The call ${call} is due from the first payment date on which ${tests.join('; or ')}; the price is ${price === undefined ? 'the pool balance' : amountText(structure, price)}; ${exerciseText(exercised)}.`;
}

function cleanUpText({ percent, exercised = true }: NonNullable<Structure['clean_up_call']>): string {
  return `The pool may be called from the first payment date with a pool balance at or below ${numberText(percent, 'PERCENT')} of that at the cut-off date, for the pool balance; ${exerciseText(exercised)}.`;
}

const exerciseText = (exercised: boolean): string =>
  exercised ? 'it is exercised as soon as it pays the notes in full' : 'it is not exercised';
