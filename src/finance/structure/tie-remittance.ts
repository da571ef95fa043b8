import { formatDollars, roundToCent, toCents } from '../money.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../schedule.ts';
import { addCents, type Remittance, type RemittanceState, type RemittanceTranche } from './remittance.ts';
import { incomeTo, isResidual, type Structure, type Tranche } from './structure.ts';

export type RemittanceFinding = {
  code:
    | 'PERIOD_OUT_OF_ORDER'
    | 'UNKNOWN_TRANCHE'
    | 'TRANCHE_MISSING'
    | 'BALANCE_MISSING'
    | 'BEGINNING_BALANCE'
    | 'BALANCE_ROLL'
    | 'INTEREST'
    | 'NET_LOSSES'
    | 'TOTAL';
  path: string;
  message: string;
  expected?: number;
  actual?: number;
  /** What the report says, where it is no figure. */
  text?: string;
};

/**
 * Findings where a report does not tie, none when it does. To the cent: beginning − principal − write-down + accreted = ending;
 * interest of fixed classes on 30/360 = beginning × rate / 12 (not in the first period); beginning = the ending before; pool beginning −
 * scheduled − prepayments − repurchases − gross losses = ending; accounts; sums; what is given twice.
 */
export function tieRemittance(previous: RemittanceState, remittance: Remittance, structure: Structure): RemittanceFinding[] {
  return [
    ...tiePeriod(previous, remittance),
    ...tieCollateral(previous, remittance),
    ...tieNames(remittance, structure),
    ...remittance.tranches.flatMap((row, index) => tieTranche(previous, remittance, row, index, structure)),
    ...tieTotals(remittance),
    ...tieAgain(remittance),
    ...tieDelinquent(remittance),
    ...tieBuckets(remittance),
    ...tieAccounts(remittance, structure),
  ];
}

function tiePeriod(previous: RemittanceState, { period, payment_date, collection_period }: Remittance): RemittanceFinding[] {
  const findings: RemittanceFinding[] = [];
  const expected = previous.period + 1;
  if (period !== expected) {
    const message = `is ${period}, expected ${expected}: the last report is of period ${previous.period}`;
    findings.push({ code: 'PERIOD_OUT_OF_ORDER', path: 'period', message, expected, actual: period });
  }
  if (previous.payment_date !== null && payment_date <= previous.payment_date) {
    const message = `is ${payment_date}, expected a date after ${previous.payment_date}, the previous payment date`;
    findings.push({ code: 'PERIOD_OUT_OF_ORDER', path: 'payment_date', message });
  }
  if (collection_period && collection_period.to < collection_period.from) {
    const { from, to } = collection_period;
    const message = `is ${to}, expected ${from} or later: the days of a collection period are its first and its last`;
    findings.push({ code: 'PERIOD_OUT_OF_ORDER', path: 'collection_period.to', message, text: to });
  }
  return findings;
}

function tieCollateral(previous: RemittanceState, remittance: Remittance): RemittanceFinding[] {
  const { collateral } = remittance;
  const beginning = collateral.beginning_pool_balance ?? collateral.beginning_balance;
  const ending = endingPoolOf(remittance);
  const findings: RemittanceFinding[] = [];
  if (beginning === undefined) findings.push(balanceMissing('beginning_pool_balance'));
  if (ending === undefined) findings.push(balanceMissing('ending_pool_balance'));
  if (beginning === undefined || ending === undefined) return findings;
  const { repurchases = 0, gross_losses = 0, net_losses } = collateral;
  const rolled = addCents(beginning, -principalCollected(collateral), -repurchases, -gross_losses);
  const path = 'collateral.ending_pool_balance';
  findings.push(
    ...tie('BEGINNING_BALANCE', 'collateral.beginning_pool_balance', previous.pool_balance, beginning, 'previous ending balance'),
    ...tie('BALANCE_ROLL', path, rolled, ending, 'beginning - scheduled - prepayments - repurchases - gross losses'),
  );
  if (net_losses !== undefined) {
    const net = addCents(gross_losses, -recoveriesOf(remittance));
    findings.push(...tie('NET_LOSSES', 'collateral.net_losses', net, net_losses, 'gross losses - recoveries'));
  }
  return findings;
}

/** Scheduled and prepaid principal, in one figure or in two. */
export function principalCollected({
  scheduled_principal,
  prepayments = 0,
  principal_collected,
}: Remittance['collateral']): number {
  return scheduled_principal === undefined ? (principal_collected ?? 0) : addCents(scheduled_principal, prepayments);
}

/** The pool after the period, under either of its names. */
export const endingPoolOf = ({ collateral }: Remittance): number | undefined =>
  collateral.ending_pool_balance ?? collateral.ending_balance;

/** Recoveries, as a figure of the pool or as cash. */
export const recoveriesOf = ({ collateral, available }: Remittance): number =>
  collateral.recoveries ?? available?.recoveries ?? 0;

/** Percent of the ending pool that is 30, 60 and 90 days delinquent, none with the worse ones: by the balances of a report, else as it says. */
export function delinquentPercents(remittance: Remittance): (number | undefined)[] {
  const { collateral } = remittance;
  const pool = endingPoolOf(remittance) ?? 0;
  const ofPool = (balance: number | undefined, percent: number | undefined) =>
    balance === undefined || pool <= 0 ? percent : (100 * balance) / pool;
  return [
    ofPool(collateral.delinquent_30_amount, collateral.delinquent_30),
    ofPool(collateral.delinquent_60_amount, collateral.delinquent_60),
    ofPool(collateral.delinquent_90_amount, collateral.delinquent_90),
  ];
}

function balanceMissing(field: string): RemittanceFinding {
  return { code: 'BALANCE_MISSING', path: `collateral.${field}`, message: 'is missing; expected an amount' };
}

function tieNames(remittance: Remittance, structure: Structure): RemittanceFinding[] {
  const known = structure.tranches.map(({ tranche }) => tranche);
  const reported = remittance.tranches.map(({ tranche }) => tranche);
  const findings: RemittanceFinding[] = [];
  for (const [index, name] of reported.entries()) {
    const path = `tranches[${index}].tranche`;
    const message = known.includes(name)
      ? `"${name}" is in the report twice`
      : `unknown tranche "${name}"; expected one of ${known.join(', ')}`;
    if (!known.includes(name) || reported.indexOf(name) < index)
      findings.push({ code: 'UNKNOWN_TRANCHE', path, message, text: name });
  }
  for (const tranche of structure.tranches) {
    if (reported.includes(tranche.tranche) || isResidual(structure, tranche)) continue;
    const message = `tranche "${tranche.tranche}" is not in the report`;
    findings.push({ code: 'TRANCHE_MISSING', path: 'tranches', message });
  }
  return findings;
}

const NO_BALANCE = 'a class with a notional has no balance in a report: its notional follows from the structure';

function tieTranche(
  previous: RemittanceState,
  { period, available }: Remittance,
  row: RemittanceTranche,
  index: number,
  structure: Structure,
): RemittanceFinding[] {
  const before = Object.hasOwn(previous.tranches, row.tranche) ? previous.tranches[row.tranche] : undefined;
  const tranche = structure.tranches.find((candidate) => candidate.tranche === row.tranche);
  if (!before || !tranche) return [];
  const path = `tranches[${index}]`;
  const { accreted = 0, write_down = 0 } = row;
  const [opening, meaning] = tranche.notional
    ? [0, NO_BALANCE]
    : [row.beginning_balance, 'beginning + accreted - principal - write-down'];
  const rolled = addCents(opening, accreted, -row.principal_paid, -write_down);
  const begins = tranche.notional ? NO_BALANCE : 'previous ending balance';
  return [
    ...tie('BEGINNING_BALANCE', `${path}.beginning_balance`, before.balance, row.beginning_balance, begins),
    ...tie('BALANCE_ROLL', `${path}.ending_balance`, rolled, row.ending_balance, meaning),
    ...tieShortfall(row, path),
    // Where the waterfall is run again, the interest of a coupon is a line of that.
    ...(period > 1 && !available && !isResidual(structure, tranche) ? tieInterest(tranche, before, row, path, structure) : []),
  ];
}

/** Interest due and not paid, as a report says it or as it follows from what it has as due; undefined where it says nothing of it. */
export const reportedShortfall = (row: RemittanceTranche): number | undefined => row.interest_shortfall ?? unpaidOf(row);

const unpaidOf = ({ interest_due, interest_paid }: RemittanceTranche): number | undefined =>
  interest_due === undefined ? undefined : Math.max(0, addCents(interest_due, -interest_paid));

/** The interest that is short agrees with what was due and paid, where a report has both. */
function tieShortfall(row: RemittanceTranche, path: string): RemittanceFinding[] {
  const unpaid = unpaidOf(row);
  if (unpaid === undefined || row.interest_shortfall === undefined) return [];
  return tie('TOTAL', `${path}.interest_shortfall`, unpaid, row.interest_shortfall, 'interest due - interest paid');
}

function tieInterest(
  tranche: Tranche,
  before: { shortfall: number },
  row: RemittanceTranche,
  path: string,
  structure: Structure,
): RemittanceFinding[] {
  const { coupon, day_count = '30/360', notional } = tranche;
  // What a notional stands at is in no report.
  if (notional !== undefined) return [];
  if (coupon?.type !== 'FIXED' || typeof coupon.rate !== 'number' || coupon.cap !== undefined || day_count.startsWith('ACT'))
    return [];
  const months = MONTHS_BETWEEN_PAYMENTS[structure.payment?.frequency ?? 'MONTHLY'];
  const earnsOn = tranche.interest_on_shortfall ?? structure.interest_on_shortfall ?? false;
  const base = row.beginning_balance + (earnsOn ? before.shortfall : 0);
  const due = (base * coupon.rate * months) / 1200 + before.shortfall;
  const { interest_paid, accreted = 0, interest_due } = row;
  const interest_shortfall = reportedShortfall(row) ?? 0;
  const meaning = `beginning x ${coupon.rate} % x ${months}/12, plus ${formatDollars(toCents(before.shortfall))} unpaid before`;
  const findings = tieRounded(`${path}.interest_paid`, due - interest_shortfall - accreted, interest_paid, meaning);
  if (interest_due !== undefined) findings.push(...tieRounded(`${path}.interest_due`, due - accreted, interest_due, meaning));
  return findings;
}

/** Collections as figures of the pool, and as cash. */
const GIVEN_TWICE = ['interest', 'recoveries', 'repurchases'] as const;

/** Figures that are given twice agree. */
function tieAgain({ collateral, available }: Remittance): RemittanceFinding[] {
  const { scheduled_principal, prepayments = 0, principal_collected } = collateral;
  const findings: RemittanceFinding[] = [];
  if (scheduled_principal !== undefined && principal_collected !== undefined) {
    const sum = addCents(scheduled_principal, prepayments);
    findings.push(
      ...tie('TOTAL', 'collateral.principal_collected', sum, principal_collected, 'scheduled principal + prepayments'),
    );
  }
  for (const field of GIVEN_TWICE) {
    const [first, second] = [collateral[field], available?.[field]];
    if (first === undefined || second === undefined) continue;
    findings.push(...tie('TOTAL', `collateral.${field}`, second, first, `available.${field}`));
  }
  findings.push(...tieCollected({ collateral, available }));
  if (available?.total !== undefined) {
    const { interest, principal, recoveries = 0, repurchases = 0, income = 0, other = 0, total } = available;
    const sum = addCents(interest, principal, recoveries, repurchases, income, other);
    findings.push(...tie('TOTAL', 'available.total', sum, total, 'sum of the collections'));
  }
  return findings;
}

/** Principal as a figure of the pool, in one or in two, and as cash. */
function tieCollected({ collateral, available }: Pick<Remittance, 'collateral' | 'available'>): RemittanceFinding[] {
  const { scheduled_principal, principal_collected } = collateral;
  if (!available) return [];
  const cash = available.principal;
  if (scheduled_principal !== undefined)
    return tie('TOTAL', 'available.principal', principalCollected(collateral), cash, 'scheduled principal + prepayments');
  if (principal_collected === undefined) return [];
  return tie('TOTAL', 'collateral.principal_collected', cash, principal_collected, 'available.principal');
}

/** Buckets of delinquency add up to no more than the pool: none has the worse ones in it. */
function tieBuckets(remittance: Remittance): RemittanceFinding[] {
  const percents = delinquentPercents(remittance);
  const actual = percents.reduce<number>((sum, percent = 0) => sum + percent, 0);
  if (actual <= 100 + ROUNDED_PERCENTS) return [];
  const days = DAYS[percents.findLastIndex((percent) => percent !== undefined)];
  const isAmount = remittance.collateral[`delinquent_${days}_amount`] !== undefined;
  const path = `collateral.delinquent_${days}${isAmount ? '_amount' : ''}`;
  const message = `the delinquent balances add up to ${actual.toFixed(4)} % of the ending pool balance; a bucket has no loans of the worse ones`;
  return [{ code: 'TOTAL', path, message, expected: 100, actual }];
}

const DAYS = [30, 60, 90] as const;
/** How far three percentages of at least two decimals are off together. */
const ROUNDED_PERCENTS = 0.015;

/** Delinquencies in percent, and as amounts. */
function tieDelinquent(remittance: Remittance): RemittanceFinding[] {
  const { collateral } = remittance;
  const pool = endingPoolOf(remittance) ?? 0;
  return DAYS.flatMap((days): RemittanceFinding[] => {
    const [percent, amount] = [collateral[`delinquent_${days}`], collateral[`delinquent_${days}_amount`]];
    if (percent === undefined || amount === undefined || pool <= 0) return [];
    const exact = (100 * amount) / pool;
    // A percentage is as exact as its last digit.
    const decimals = String(percent).split('.')[1]?.length ?? 0;
    if (Math.abs(percent - exact) <= 0.5 * 10 ** -decimals + 1e-9) return [];
    const path = `collateral.delinquent_${days}`;
    const message = `is ${percent} %, expected ${exact.toFixed(4)} % (collateral.delinquent_${days}_amount of the ending pool balance)`;
    return [{ code: 'TOTAL', path, message, expected: exact, actual: percent }];
  });
}

/** An account whose payments are all given: opening + income that stays + deposit - draw - release = closing. */
function tieAccounts({ accounts = [] }: Remittance, structure: Structure): RemittanceFinding[] {
  return accounts.flatMap((row, index) => {
    const account = (structure.accounts ?? []).find((each) => each.account === row.account);
    const { opening, earned = 0, deposit, draw, release, closing } = row;
    if (!account || opening === undefined || closing === undefined) return [];
    if (deposit === undefined || draw === undefined || release === undefined) return [];
    const kept = incomeTo(account) === 'POT' ? 0 : earned;
    const rolled = addCents(opening, kept, deposit, -draw, -release);
    const meaning = `opening${kept === 0 ? '' : ' + earned'} + deposit - draw - release`;
    return tie('BALANCE_ROLL', `accounts[${index}].closing`, rolled, closing, meaning);
  });
}

const TOTALS = ['beginning_balance', 'interest_paid', 'principal_paid', 'ending_balance'] as const;

function tieTotals({ totals = {}, tranches }: Remittance): RemittanceFinding[] {
  return TOTALS.flatMap((field) => {
    const reported = totals[field];
    if (reported === undefined) return [];
    return tie('TOTAL', `totals.${field}`, addCents(...tranches.map((row) => row[field])), reported, 'sum of the tranches');
  });
}

/** A finding when an amount is not `exact` rounded to the cent; half a cent may go either way, as servicers differ. */
function tieRounded(path: string, exact: number, actual: number, meaning: string): RemittanceFinding[] {
  if (Math.abs(actual - exact) <= 0.005 + 1e-8) return [];
  return tie('INTEREST', path, roundToCent(exact), actual, meaning);
}

/** A finding when two amounts differ by a cent or more. */
function tie(
  code: RemittanceFinding['code'],
  path: string,
  expected: number,
  actual: number,
  meaning: string,
): RemittanceFinding[] {
  const gap = toCents(actual) - toCents(expected);
  if (gap === 0) return [];
  const [is, wanted, difference] = [toCents(actual), toCents(expected), gap].map(formatDollars);
  const message = `is ${is}, expected ${wanted} (${meaning}); they differ by ${difference}`;
  return [{ code, path, message, expected, actual }];
}
