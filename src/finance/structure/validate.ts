import { dateParts, LATEST_START } from '../dates.ts';
import { formatDollars } from '../money.ts';
import { AMOUNTS } from './triggers.ts';
import {
  allWithin,
  checkBase,
  checkTranches,
  findAmountFaults,
  isOfBase,
  isYearly,
  reads,
  testsOf,
  unknown,
} from './amount-faults.ts';
import { isForm, type Share } from './amount.ts';
import { findAmountCycles } from './amount-cycles.ts';
import { findMalformedAmounts } from './amount-shape.ts';
import { wayBack } from './cycles.ts';
import { invalid, type PoolFacts, type StructureIssue } from './issue.ts';
import { compilePayees } from './compiled-payees.ts';
import {
  balanceOf,
  isNote,
  isPaidBy,
  payeesOf,
  rightWord,
  type Step,
  type StepCondition,
  stepName,
  type Structure,
  type Test,
  type Tranche,
  type Trigger,
} from './structure.ts';

export type StructureCheck = { ok: boolean; issues: StructureIssue[] };

/**
 * Checks a structure that has the shape of `StructureSchema`: every name is known and unique, the last step is RESIDUAL, every tranche is
 * paid interest (unless its coupon is 0 or it accretes) and principal by some step, no tranches wait for each other, the tranches do
 * not exceed the pool. Returns all issues at once.
 */
export function validateStructure(structure: Structure, pool: PoolFacts): StructureCheck {
  // What has no shape the other rules cannot read.
  const malformed = findMalformedAmounts(structure);
  const issues = malformed.length > 0 ? malformed : RULES.flatMap((rule) => rule(structure, pool));
  return { ok: issues.length === 0, issues };
}

type StructureRule = (structure: Structure, pool: PoolFacts) => StructureIssue[];

const RULES: readonly StructureRule[] = [
  findDuplicateNames,
  findPatternNames,
  findUnknownNames,
  findMisplacedAmounts,
  findMissingResidual,
  findUnpaidTranches,
  findAccrualFaults,
  findAmountFaults,
  findAmountCycles,
  findPayeeFaults,
  findCouponFaults,
  findNotionalFaults,
  findAccountFaults,
  findLimitFaults,
  findCallFaults,
  findFixingFaults,
  findTriggerFaults,
  findIncompleteFees,
  findBadDates,
  findExcess,
];

function findDuplicateNames(structure: Structure): StructureIssue[] {
  const lists: [string, string[]][] = [
    ['tranches', structure.tranches.map((tranche) => tranche.tranche)],
    ['accounts', (structure.accounts ?? []).map((account) => account.account)],
    ['fees', (structure.fees ?? []).map((fee) => fee.fee)],
    ['triggers', (structure.triggers ?? []).map((trigger) => trigger.trigger)],
    ['waterfall', structure.waterfall.map((step, place) => stepName(step, place))],
    ['calls', (structure.calls ?? []).map((call) => call.call)],
  ];
  return lists.flatMap(([list, names]) =>
    names.flatMap((name, index) => {
      const first = names.findIndex((other) => other.trim() === name.trim());
      return first < index ? [invalid(`${list}[${index}]`, `"${name}" is already the name of ${list}[${first}]`)] : [];
    }),
  );
}

/** A last `*` stands for any ending wherever tranches are named. */
function findPatternNames({ tranches }: Structure): StructureIssue[] {
  return tranches.flatMap(({ tranche }, index) =>
    tranche.endsWith('*')
      ? [invalid(`tranches[${index}].tranche`, `"${tranche}" ends in *, which stands for any ending where tranches are named`)]
      : [],
  );
}

function findUnknownNames(structure: Structure): StructureIssue[] {
  const tranches = structure.tranches.map((tranche) => tranche.tranche);
  const fees = (structure.fees ?? []).map((fee) => fee.fee);
  const accounts = (structure.accounts ?? []).map((account) => account.account);
  const triggers = (structure.triggers ?? []).map((trigger) => trigger.trigger);
  const payees = {
    FEE: ['fee', fees],
    INTEREST: ['tranche', tranches],
    PRINCIPAL: ['tranche', tranches],
    RESERVE: ['account', accounts],
    RESIDUAL: ['tranche', tranches],
    CARRY_OVER: ['tranche', tranches],
    WRITTEN_DOWN: ['tranche', tranches],
  } as const;
  return structure.waterfall.flatMap((step, index) => {
    const path = `waterfall[${index}]`;
    const [kind, known] = payees[step.pay];
    const unknownNames = payeePaths(step.to, `${path}.to`).flatMap(({ name, path: at }) => unknownName(at, kind, name, known));
    for (const gate of ['when', 'unless'] as const) {
      for (const trigger of triggersOf(step[gate]))
        unknownNames.push(...unknownName(`${path}.${gate}`, 'trigger', trigger, triggers));
    }
    return unknownNames;
  });
}

function unknownName(path: string, kind: string, name: string, known: readonly string[]): StructureIssue[] {
  return known.includes(name) ? [] : [invalid(path, unknown(kind, name, known))];
}

function triggersOf(condition: StepCondition | undefined): readonly string[] {
  if (condition === undefined) return [];
  return typeof condition === 'string' ? [condition] : 'any_of' in condition ? condition.any_of : condition.all_of;
}

function payeePaths(to: Step['to'], path: string): { name: string; path: string }[] {
  return to.flatMap((payee, place) =>
    typeof payee === 'string' ? [{ name: payee, path: `${path}[${place}]` }] : payeePaths(payee, `${path}[${place}]`),
  );
}

function findMisplacedAmounts(structure: Structure): StructureIssue[] {
  return structure.waterfall.flatMap((step, index) =>
    step.amount !== undefined && step.pay !== 'PRINCIPAL'
      ? [invalid(`waterfall[${index}].amount`, `only a PRINCIPAL step has an amount, this one pays ${step.pay}; use limit`)]
      : [],
  );
}

function findMissingResidual(structure: Structure): StructureIssue[] {
  const index = structure.waterfall.length - 1;
  const last = structure.waterfall[index];
  if (!last) return [invalid('waterfall', 'the waterfall has no steps; the last must be RESIDUAL')];
  const path = `waterfall[${index}]`;
  if (last.pay !== 'RESIDUAL') return [invalid(path, `the last step pays ${last.pay}, expected RESIDUAL`)];
  const restricted = (['when', 'unless', 'limit'] as const).filter((field) => last[field] !== undefined);
  return restricted.map((field) =>
    invalid(`${path}.${field}`, `the last step must take all remaining cash, so it cannot have ${field}`),
  );
}

function findUnpaidTranches(structure: Structure): StructureIssue[] {
  return structure.tranches.flatMap((tranche, index) => {
    const { tranche: name } = tranche;
    const isPaid = (pay?: Step['pay']) =>
      structure.waterfall.some((step) => (pay === undefined || step.pay === pay) && payeesOf(step).includes(name));
    const path = `tranches[${index}]`;
    if (!isNote(structure, tranche) || balanceOf(tranche) === 0) {
      return isPaid() ? [] : [invalid(path, `no step pays tranche "${name}"`)];
    }
    const issues: StructureIssue[] = [];
    if (!isPaid('PRINCIPAL')) issues.push(invalid(path, `no PRINCIPAL step pays tranche "${name}"`));
    const needsInterest = hasCoupon(tranche) && tranche.interest !== 'ACCRUE_UNTIL';
    if (needsInterest && !isPaid('INTEREST')) issues.push(invalid(path, `no INTEREST step pays tranche "${name}"`));
    return issues;
  });
}

function hasCoupon({ coupon }: Tranche): boolean {
  return coupon !== undefined && (coupon.type !== 'FIXED' || coupon.rate !== 0);
}

function findAccrualFaults(structure: Structure): StructureIssue[] {
  const names = structure.tranches.map((tranche) => tranche.tranche);
  return structure.tranches.flatMap((tranche, index) => {
    const path = `tranches[${index}].accrue_until`;
    const awaited = tranche.accrue_until ?? [];
    if (tranche.interest !== 'ACCRUE_UNTIL') {
      return awaited.length > 0 ? [invalid(path, 'accrue_until needs "interest": "ACCRUE_UNTIL"')] : [];
    }
    if (awaited.length === 0) return [invalid(path, `tranche "${tranche.tranche}" accretes but names no tranche to wait for`)];
    const unknown = awaited.flatMap((name, position) => unknownName(`${path}[${position}]`, 'tranche', name, names));
    const cycle = wayBack(tranche.tranche, (name) => awaitedBy(structure, name));
    return cycle ? [...unknown, invalid(path, `tranches wait for each other: ${cycle.join(' -> ')}`)] : unknown;
  });
}

/** The tranches that a tranche waits for. */
function awaitedBy({ tranches }: Structure, name: string): readonly string[] {
  const tranche = tranches.find((candidate) => candidate.tranche === name);
  return tranche?.interest === 'ACCRUE_UNTIL' ? (tranche.accrue_until ?? []) : [];
}

function findTriggerFaults(structure: Structure): StructureIssue[] {
  const ofTriggers = (structure.triggers ?? []).flatMap((trigger, index) => {
    const path = `triggers[${index}]`;
    const forms = (['metric', 'ratio', 'any_of', 'all_of', 'declared'] as const).filter((form) => isGiven(trigger, form));
    if (forms.length === 1) return [];
    const seen = forms.length === 0 ? 'none' : forms.join(' and ');
    return [triggerInvalid(path, `a trigger has one of metric, ratio, any_of, all_of, declared; this one has ${seen}`)];
  });
  return [...ofTriggers, ...testsOf(structure).flatMap(({ test, path }) => findTestFaults(structure, test, path))];
}

const isGiven = (trigger: Trigger, form: 'metric' | 'ratio' | 'any_of' | 'all_of' | 'declared'): boolean =>
  form === 'declared' ? trigger.declared === true : trigger[form] !== undefined;

/** Largest threshold that is no amount. */
const MOST_PERCENT = 1e6;
const AMOUNT_METRICS: ReadonlySet<string> = new Set([...AMOUNTS, ...[...AMOUNTS].map((metric) => `${metric}_AVG3`)]);

/** Metrics that count the balances of tranches. */
const OF_TRANCHES = ['OC', 'NOTE_BALANCE', 'INTEREST_SHORTFALL'];

function findTestFaults(structure: Structure, test: Partial<Test>, path: string): StructureIssue[] {
  const issues: StructureIssue[] = [];
  const { metric, op, value, schedule, ratio, of_tranches } = test;
  if ((metric === undefined) === (ratio === undefined)) issues.push(triggerInvalid(path, 'a test has either metric or ratio'));
  for (const [field, word] of [
    ['op', op],
    ['metric', metric],
  ] as const) {
    const right = word === undefined ? undefined : rightWord(word);
    if (right) issues.push(triggerInvalid(`${path}.${field}`, `"${word}" is no word of the language; the word is ${right}`));
  }
  if (op === undefined) issues.push(triggerInvalid(`${path}.op`, 'missing; expected gt, gte, lt or lte'));
  if ((value === undefined) === (schedule === undefined)) {
    issues.push(triggerInvalid(path, 'a test has either value or schedule'));
  }
  if ((metric === 'DATE') !== (typeof value === 'string')) {
    const [seen, expected] =
      metric === 'DATE' ? ['no date', 'a date such as 2031-12-15'] : ['a date', 'a number: only DATE is compared with a date'];
    issues.push(triggerInvalid(`${path}.value`, `is ${seen}, expected ${expected}`));
  }
  if (typeof value === 'string') issues.push(...findBadDate(`${path}.value`, value));
  if (typeof value === 'number' && !AMOUNT_METRICS.has(metric ?? '') && Math.abs(value) > MOST_PERCENT) {
    issues.push(triggerInvalid(`${path}.value`, `is ${value}, expected a percentage of at most ${MOST_PERCENT}`));
  }
  for (const field of ['average', 'after_payment'] as const) {
    if (test[field] !== undefined && !ratio) issues.push(triggerInvalid(`${path}.${field}`, 'only a ratio has it'));
  }
  if (of_tranches) {
    if (!OF_TRANCHES.includes((metric ?? '').replace(/_AVG3$/, '')))
      issues.push(
        triggerInvalid(`${path}.of_tranches`, `${metric ?? 'a ratio'} is not of tranches; only ${OF_TRANCHES.join(', ')} are`),
      );
    issues.push(...checkTranches(structure, `${path}.of_tranches`, of_tranches));
  }
  const periods = (schedule ?? []).map((point) => point.from_period);
  for (const [index, from] of periods.entries()) {
    if (index > 0 && from <= periods[index - 1]) {
      issues.push(triggerInvalid(`${path}.schedule[${index}].from_period`, `is ${from}, expected above ${periods[index - 1]}`));
    }
  }
  return issues;
}

function triggerInvalid(path: string, message: string): StructureIssue {
  return { code: 'TRIGGER_INVALID', path, message };
}

function findIncompleteFees(structure: Structure): StructureIssue[] {
  return (structure.fees ?? []).flatMap((fee, index) => {
    const path = `fees[${index}]`;
    const issues: StructureIssue[] = fee.of === undefined ? [] : checkBase(structure, `${path}.of`, fee.of);
    if (fee.percent === undefined && fee.amount_per_year === undefined && !fee.one_off && !fee.billed) {
      issues.push(invalid(path, `fee "${fee.fee}" has none of percent, amount_per_year, one_off, billed`));
    }
    const isPaid = structure.waterfall.some((step) => step.pay === 'FEE' && payeesOf(step).includes(fee.fee));
    if (!isPaid && structure.waterfall.length > 0) {
      issues.push(invalid(path, `no FEE step pays fee "${fee.fee}"`));
    }
    return issues;
  });
}

/** A tranche is in one group only, whose members every step lists alike; nothing is paid twice by a step. */
function findPayeeFaults(structure: Structure): StructureIssue[] {
  const groupOf = new Map<string, string>();
  return structure.waterfall.flatMap((step, index) => {
    const path = `waterfall[${index}]`;
    const names = payeesOf(step);
    const issues = names.flatMap((name, place) =>
      names.indexOf(name) < place ? [invalid(`${path}.to`, `"${name}" is in the list twice`)] : [],
    );
    const hasGroup = step.to.some((payee) => typeof payee !== 'string');
    if (step.weights !== undefined && (!hasGroup || step.pay !== 'PRINCIPAL')) {
      issues.push(invalid(`${path}.weights`, 'only the groups of a PRINCIPAL step have weights: a list in the list'));
    }
    if (hasGroup && (step.pay === 'RESERVE' || step.pay === 'RESIDUAL'))
      issues.push(invalid(`${path}.to`, `a ${step.pay} step has no groups`));
    if (step.pay !== 'PRINCIPAL' || !hasGroup) return issues;
    const places = structure.tranches.map(({ tranche }) => tranche);
    for (const group of compilePayees(step, (name) => places.indexOf(name)).groups) {
      const key = `${group.weights} ${group.places.map((place) => places[place]).join(', ')}`;
      for (const place of group.places) {
        const other = groupOf.get(places[place] ?? '');
        if (other !== undefined && other !== key) {
          issues.push(
            invalid(
              `${path}.to`,
              `"${places[place]}" is in two groups: ${other} and ${key}; a tranche is in one, with the same members and weights in every step`,
            ),
          );
        }
        groupOf.set(places[place] ?? '', key);
      }
    }
    return issues;
  });
}

function findCouponFaults(structure: Structure): StructureIssue[] {
  const carried = structure.waterfall.flatMap((step) => (step.pay === 'CARRY_OVER' ? payeesOf(step) : []));
  const faults = structure.tranches.flatMap(({ tranche, coupon }, index): StructureIssue[] => {
    const path = `tranches[${index}].coupon.carry_over`;
    if (!coupon || coupon.type === 'EXCESS' || !coupon.carry_over) {
      return carried.includes(tranche)
        ? [invalid(`tranches[${index}]`, `a CARRY_OVER step pays "${tranche}", whose coupon has no carry_over`)]
        : [];
    }
    if (coupon.cap === undefined) return [invalid(path, 'what is carried over is what a cap cuts; the coupon has no cap')];
    return carried.includes(tranche) ? [] : [invalid(path, `no CARRY_OVER step pays tranche "${tranche}"`)];
  });
  return faults;
}

function findNotionalFaults(structure: Structure): StructureIssue[] {
  const notional = structure.tranches.filter((each) => each.notional !== undefined).map(({ tranche }) => tranche);
  return structure.tranches.flatMap((tranche, index): StructureIssue[] => {
    const path = `tranches[${index}]`;
    const { tranche: name, balance, notional: amount } = tranche;
    if (amount === undefined)
      return balance === undefined ? [invalid(`${path}.balance`, 'is missing; a tranche has a balance, or a notional')] : [];
    const issues: StructureIssue[] = [];
    if (balance !== undefined) issues.push(invalid(`${path}.balance`, 'a notional tranche has no balance'));
    if (tranche.interest === 'ACCRUE_UNTIL')
      issues.push(invalid(`${path}.interest`, 'a notional tranche has no balance to accrete to'));
    const paidBy = (pay: Step['pay']) => structure.waterfall.some((step) => step.pay === pay && payeesOf(step).includes(name));
    if (!paidBy('INTEREST')) issues.push(invalid(path, `no INTEREST step pays tranche "${name}"`));
    if (paidBy('PRINCIPAL')) issues.push(invalid(path, `a PRINCIPAL step pays tranche "${name}", which is notional`));
    for (const part of allWithin(amount)) {
      const named = isForm<Share>(part, 'of_tranches') ? (part.of_tranches ?? []).filter((each) => notional.includes(each)) : [];
      if (named.length > 0)
        issues.push(invalid(`${path}.notional`, `is of the notional tranche ${[name, ...named].join(' -> ')}`));
    }
    return issues;
  });
}

function findAccountFaults(structure: Structure): StructureIssue[] {
  const steps = structure.waterfall.map((step, place) => `step:${stepName(step, place)}`);
  const tranches = structure.tranches.map(({ tranche }) => tranche);
  return (structure.accounts ?? []).flatMap(({ account, draws = [], earns, release_to }, index): StructureIssue[] => {
    const path = `accounts[${index}]`;
    const issues = draws.flatMap((name, place) =>
      name.startsWith('step:') ? unknownName(`${path}.draws[${place}]`, 'step', name, steps) : [],
    );
    if (earns && (earns.rate === undefined) === (earns.index === undefined)) {
      issues.push(invalid(`${path}.earns`, 'an account earns either a rate or an index'));
    }
    if (release_to === undefined || release_to === 'POT') return issues;
    if (release_to !== 'RESIDUAL')
      issues.push(...unknownName(`${path}.release_to`, 'receiver', release_to, ['POT', 'RESIDUAL', ...tranches]));
    if (!isPaidBy(structure, 'RESERVE', account)) {
      issues.push(invalid(`${path}.release_to`, `no RESERVE step has account "${account}", so nothing is ever released`));
    }
    return issues;
  });
}

function findLimitFaults(structure: Structure): StructureIssue[] {
  return structure.waterfall.flatMap(({ pay, limit }, index) =>
    isYearly(limit) && pay !== 'FEE'
      ? [invalid(`waterfall[${index}].limit.per`, `only a FEE step has a limit of a year, this one pays ${pay}`)]
      : [],
  );
}

function findCallFaults({ calls, clean_up_call }: Structure): StructureIssue[] {
  const both = calls && clean_up_call ? [invalid('clean_up_call', 'a structure has either clean_up_call or calls')] : [];
  const tests = (calls ?? []).flatMap(({ any_of }, index) =>
    any_of.flatMap((test, place) => findMemory(test, `calls[${index}].any_of[${place}]`)),
  );
  return [...both, ...tests];
}

/** A call is due by the figures of its own payment date. */
function findMemory({ metric, consecutive = 1, average = 1, after_payment = false }: Test, path: string): StructureIssue[] {
  const asked = [
    ...(metric?.endsWith('_AVG3') ? ['metric'] : []),
    ...(consecutive > 1 ? ['consecutive'] : []),
    ...(average > 1 ? ['average'] : []),
    ...(after_payment ? ['after_payment'] : []),
  ];
  return asked.map((field) =>
    triggerInvalid(`${path}.${field}`, 'a call is tested on its payment date alone, without the periods before'),
  );
}

function findFixingFaults(structure: Structure): StructureIssue[] {
  const { fixings = {}, pool } = structure;
  const faults = Object.entries(fixings).flatMap(([index, points]) => {
    const dates = points.map(({ date }) => date);
    return dates.flatMap((date, place) => {
      const path = `fixings.${index}[${place}].date`;
      return [...findBadDate(path, date), ...(dates.indexOf(date) < place ? [invalid(path, `${date} is there twice`)] : [])];
    });
  });
  const amounts = Array.isArray(pool?.adjustment) ? pool.adjustment : [];
  const order = amounts.flatMap(({ from_period = 0 }, place) => {
    const before = amounts[place - 1]?.from_period;
    const path = `pool.adjustment[${place}].from_period`;
    return before !== undefined && from_period <= before ? [invalid(path, `is ${from_period}, expected above ${before}`)] : [];
  });
  const [first] = amounts;
  const least = reads(structure, isOfBase('POOL_ADJUSTED_ORIGINAL')) ? 0 : 1;
  const late =
    first && (first.from_period ?? 0) > least
      ? [
          invalid(
            'pool.adjustment[0].from_period',
            `is ${first.from_period}, expected ${least}: there is no adjustment before it`,
          ),
        ]
      : [];
  return [...faults, ...order, ...late];
}

/** What the language leaves out, and the words by which it is asked for. */
const LEFT_OUT: readonly [RegExp, string][] = [
  [/revolv/i, 'a revolving period'],
  [/pre_?fund/i, 'a prefunding account'],
  [/swap|hedge|interest_rate_cap/i, 'a swap or an interest rate cap'],
  [/prepayment_penalt/i, 'a class paid from prepayment penalties'],
  [/(collateral|loan)_groups?/i, 'several collateral groups'],
];

/** Parts of a deal that the language cannot say: they would be left out of every figure. */
export function findLeftOut(structure: object): StructureIssue[] {
  return Object.keys(structure).flatMap((field) => {
    const found = LEFT_OUT.find(([word]) => word.test(field));
    return found
      ? [
          invalid(
            field.slice(0, 64),
            `the language has no words for ${found[1]}: such a deal would be paid wrongly, so it is not taken`,
          ),
        ]
      : [];
  });
}

function findBadDates(structure: Structure, pool: PoolFacts): StructureIssue[] {
  const { payment } = structure;
  const dates: [string, string | undefined][] = [
    ['payment.first_payment_date', payment?.first_payment_date],
    ['payment.dated_date', payment?.dated_date],
    ...structure.tranches.map(({ final_maturity }, index): [string, string | undefined] => [
      `tranches[${index}].final_maturity`,
      final_maturity,
    ]),
  ];
  const issues = dates.flatMap(([path, date]) => (date === undefined ? [] : findBadDate(path, date)));
  const first = payment?.first_payment_date;
  const dated = payment?.dated_date ?? pool.closing_date;
  if (issues.length === 0 && payment?.first_accrual === 'ACTUAL' && first !== undefined && first <= dated) {
    issues.push({ code: 'DATE_INVALID', path: 'payment.first_payment_date', message: `is ${first}, expected after ${dated}` });
  }
  if (issues.length === 0 && first !== undefined && first > LATEST_START)
    issues.push({
      code: 'DATE_INVALID',
      path: 'payment.first_payment_date',
      message: `is ${first}, expected ${LATEST_START} or earlier`,
    });
  return issues;
}

function findBadDate(path: string, date: string): StructureIssue[] {
  try {
    dateParts(date);
    return [];
  } catch (error) {
    return [{ code: 'DATE_INVALID', path, message: error instanceof Error ? error.message : String(error) }];
  }
}

function findExcess(structure: Structure, pool: PoolFacts): StructureIssue[] {
  const cents = structure.tranches.reduce((sum, tranche) => sum + Math.round(balanceOf(tranche) * 100), 0);
  const poolCents = Math.round(pool.balance * 100);
  if (cents <= poolCents) return [];
  const message = `the tranches add up to ${formatDollars(cents)}, but the pool has ${formatDollars(poolCents)}`;
  return [{ code: 'TRANCHES_EXCEED_POOL', path: 'tranches', message }];
}
