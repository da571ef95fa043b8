import { choleskyOfCorrelation, identityMatrix, type RiskFactor, type RiskFactorName } from '../risk.ts';
import type { IsoDate } from '../types.ts';
import { UNDECIDED_SEGMENT } from '../loan-columns.ts';
import {
  type AssumptionFault,
  findCapped,
  findContradictions,
  findFractions,
  findImpossible,
  findMissing,
  findNetLossFaults,
  findUnread,
} from './assumption-faults.ts';
import {
  type DelinquencyDays,
  DEFAULT_MEASURES,
  mergeAssumptions,
  PREPAYMENT_MEASURES,
  segmentationOf,
  segmentLists,
  toAssumptions,
  toBilledFees,
  toNetLoss,
} from './assumptions.ts';
import { buildPeriods } from './periods.ts';
import type { CalculationRequest, RiskFactorKey } from './request.ts';
import { readsBase, testsOf } from './amount-faults.ts';
import { isResidual, type Structure } from './structure.ts';
import type { CalculationPool, NormalRequest, NormalRisk, NormalScenario, PriceTable } from './normal-request.ts';

/** Why a calculation cannot run: the response is 422 with this code. */
export type CalculationFault = {
  code: AssumptionFault['code'] | 'CURVE_MISSING' | 'CURVE_INVALID' | 'NOT_POSITIVE_SEMI_DEFINITE';
  path: string;
  message: string;
};

export type Normalized = { ok: true; request: NormalRequest } | { ok: false; faults: CalculationFault[] };

/** Fills in the defaults of a request that has the shape of `CalculationRequestSchema`, or returns all of its faults. */
export function normalizeRequest(request: CalculationRequest, pool: CalculationPool, structure: Structure): Normalized {
  const base = request.assumptions ?? {};
  const given = request.scenarios ?? [{ scenario: 'base' }];
  const scenarios = given.map((scenario) => {
    const wire = mergeAssumptions(base, scenario, pool);
    const netLoss = toNetLoss(wire);
    const assumptions = toAssumptions(wire, pool.loanType);
    const optional = { ...(netLoss ? { netLoss } : {}), ...(wire.billed_fees ? { billedFees: toBilledFees(wire) } : {}) };
    return { scenario: scenario.scenario, wire, assumptions, call: scenario.call, ...optional };
  });
  const risk = request.type === 'RISK' ? normalizeRisk(request) : null;
  const faults = [
    ...findScenarioFaults(request, scenarios, pool, structure),
    ...findCurveFaults(request, structure),
    ...findPriceFaults(request, structure),
    ...findTableFaults(request, structure),
    ...findDateFaults(request, pool, structure),
    ...(risk && 'faults' in risk ? risk.faults : []),
  ];
  if (faults.length > 0) return { ok: false, faults };
  const { type, purpose = 'ANALYSIS', granularity = 'LOAN', yield_basis: yieldBasis = 'BEY' } = request;
  const table = tableOf(request);
  const { opening } = pool;
  const asOf = request.as_of ?? opening?.state.payment_date ?? pool.cutOff;
  const normal: NormalRequest = {
    type,
    purpose,
    asOf,
    settlementDate: request.settlement_date ?? (opening ? asOf : pool.closing),
    granularity,
    base: mergeAssumptions(base, {}, pool),
    scenarios,
    prices: byTranche(request.prices),
    yields: byTranche(request.yields),
    ...(table ? { table } : {}),
    yieldBasis,
    benchmark: normalizeCurve(request, asOf),
    indexCurves: indexCurvesOf(request),
    risk: risk && 'risk' in risk ? risk.risk : null,
    warnings: findWarnings(request, scenarios, pool, structure),
  };
  return { ok: true, request: normal };
}

const invalid = (path: string, message: string): CalculationFault => ({ code: 'ASSUMPTIONS_INVALID', path, message });

/** A calculation that starts from a payment counts from its date or later. */
function findDateFaults(
  { as_of, settlement_date }: CalculationRequest,
  pool: CalculationPool,
  structure: Structure,
): CalculationFault[] {
  if (!pool.opening) return [];
  const { period, payment_date } = pool.opening.state;
  const next = buildPeriods(structure, pool, 1, period).dates[period]?.paid;
  if (next !== undefined && next <= payment_date) {
    const message = `starts from the payment of period ${period}, which was reported on ${payment_date}: not before ${next}, the date of the next; restate its date`;
    return [invalid('from', message)];
  }
  return Object.entries({ as_of, settlement_date }).flatMap(([field, date]) =>
    date !== undefined && date < payment_date
      ? [
          invalid(
            field,
            `is ${date}; the calculation starts from the payment of period ${period}, expected ${payment_date} or later`,
          ),
        ]
      : [],
  );
}

function findScenarioFaults(
  request: CalculationRequest,
  scenarios: readonly NormalScenario[],
  pool: CalculationPool,
  structure: Structure,
): CalculationFault[] {
  const faults: CalculationFault[] = findContradictions(request.assumptions ?? {}, 'assumptions');
  const needs = { loanType: pool.loanType, delinquencies: testedDelinquencies(structure) };
  const fees = (structure.fees ?? []).map(({ fee }) => fee);
  const names = scenarios.map(({ scenario }) => scenario);
  const inherited: CalculationFault[] = [];
  for (const [index, { scenario, wire }] of scenarios.entries()) {
    const path = request.scenarios ? `scenarios[${index}]` : 'assumptions';
    faults.push(
      ...findContradictions(request.scenarios?.[index] ?? {}, path),
      ...findMissing(wire, needs, path),
      ...findImpossible(wire, fees, path),
    );
    if (request.scenarios?.[index]?.cnl) faults.push(...findNetLossFaults(wire, path));
    else if (wire.cnl) inherited.push(...findNetLossFaults(wire, 'assumptions'));
    const first = names.indexOf(scenario);
    if (first < index) faults.push(invalid(`${path}.scenario`, `"${scenario}" is already the name of scenarios[${first}]`));
  }
  const once = new Map(inherited.map((fault) => [`${fault.path} ${fault.message}`, fault]));
  return [...faults, ...once.values()];
}

function testedDelinquencies(structure: Structure): DelinquencyDays[] {
  const tests = testsOf(structure);
  return ([30, 60, 90] as const).filter(
    (days) =>
      tests.some(({ test }) => test.metric?.startsWith(`DELINQUENT_${days}`)) || readsBase(structure, `DELINQUENT_${days}`),
  );
}

function findCurveFaults({ index_curves = {}, benchmark_curve }: CalculationRequest, structure: Structure): CalculationFault[] {
  const faults: CalculationFault[] = [];
  for (const [index, { tranche, coupon }] of structure.tranches.entries()) {
    if (coupon?.type !== 'FLOATING' || Object.hasOwn(index_curves, coupon.index)) continue;
    const message = `tranche "${tranche}" (tranches[${index}]) follows ${coupon.index}: give its rates by month`;
    faults.push({ code: 'CURVE_MISSING', path: `index_curves.${coupon.index}`, message });
  }
  for (const [index, { account, earns }] of (structure.accounts ?? []).entries()) {
    if (earns?.index === undefined || Object.hasOwn(index_curves, earns.index)) continue;
    const message = `account "${account}" (accounts[${index}]) earns ${earns.index}: give its rates by month`;
    faults.push({ code: 'CURVE_MISSING', path: `index_curves.${earns.index}`, message });
  }
  for (const [index, points] of Object.entries(index_curves)) {
    faults.push(
      ...findDuplicates(
        `index_curves.${index}`,
        points.map(({ period }) => period),
      ),
    );
  }
  faults.push(
    ...findDuplicates(
      'benchmark_curve.points',
      (benchmark_curve?.points ?? []).map(({ years }) => years),
    ),
  );
  return faults;
}

function findDuplicates(path: string, positions: readonly number[]): CalculationFault[] {
  const double = positions.findIndex((position, index) => positions.indexOf(position) < index);
  if (double === -1) return [];
  return [{ code: 'CURVE_INVALID', path: `${path}[${double}]`, message: `there is more than one rate at ${positions[double]}` }];
}

/** What a PRICE_TABLE asks, where it asks it in full. */
function tableOf({ type, tranche, prices, yields }: CalculationRequest): PriceTable | undefined {
  if (type !== 'PRICE_TABLE' || tranche === undefined) return undefined;
  return { tranche, prices: Array.isArray(prices) ? prices : null, yields: Array.isArray(yields) ? yields : null };
}

function findTableFaults(request: CalculationRequest, structure: Structure): CalculationFault[] {
  const { type, tranche, prices, yields } = request;
  const lists = (
    [
      ['prices', prices],
      ['yields', yields],
    ] as const
  ).filter(([, values]) => Array.isArray(values));
  if (type !== 'PRICE_TABLE') {
    const faults = lists.map(([field]) =>
      invalid(field, 'is a list; only a PRICE_TABLE takes one, expected an object by tranche'),
    );
    return tranche === undefined ? faults : [...faults, invalid('tranche', 'only a PRICE_TABLE has it')];
  }
  const faults: CalculationFault[] = [];
  const names = structure.tranches.map((each) => each.tranche);
  if (tranche === undefined) faults.push(invalid('tranche', `is missing; expected one of ${names.join(', ')}`));
  else if (!names.includes(tranche))
    faults.push(invalid('tranche', `unknown tranche "${tranche}"; expected one of ${names.join(', ')}`));
  for (const [field, values] of [
    ['prices', prices],
    ['yields', yields],
  ] as const) {
    if (values !== undefined && !Array.isArray(values)) faults.push(invalid(field, 'is an object; a PRICE_TABLE takes a list'));
  }
  if (lists.length !== 1)
    faults.push(
      invalid(
        'prices',
        `a PRICE_TABLE has a list of prices or one of yields; this one has ${lists.length === 0 ? 'neither' : 'both'}`,
      ),
    );
  return faults;
}

const byTranche = (values: CalculationRequest['prices']): Record<string, number> => (Array.isArray(values) ? {} : (values ?? {}));

function findPriceFaults(request: CalculationRequest, structure: Structure): CalculationFault[] {
  const [prices, yields] = [byTranche(request.prices), byTranche(request.yields)];
  const names = structure.tranches.map(({ tranche }) => tranche);
  const unknown = Object.entries({ prices, yields }).flatMap(([field, values]) =>
    Object.keys(values)
      .filter((name) => !names.includes(name))
      .map((name) => invalid(`${field}.${name}`, `unknown tranche "${name}"; expected one of ${names.join(', ')}`)),
  );
  const both = Object.keys(prices).filter((name) => Object.hasOwn(yields, name));
  return [...unknown, ...both.map((name) => invalid(`yields.${name}`, `tranche "${name}" has a price too; give one of them`))];
}

function normalizeCurve({ benchmark_curve: curve }: CalculationRequest, asOf: IsoDate): NormalRequest['benchmark'] {
  if (!curve) return null;
  const points = curve.points.toSorted((a, b) => a.years - b.years);
  return { as_of: curve.as_of ?? asOf, kind: curve.kind ?? 'PAR', points };
}

/** The index curves of a request: rates by month after the cut-off, percent a year. */
export function indexCurvesOf({ index_curves = {} }: Pick<CalculationRequest, 'index_curves'>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(index_curves).map(([index, points]) => [index, ratesByMonth(points)]));
}

/** Rates for every month up to the last point: each holds until the next; the first holds before it too. */
function ratesByMonth(points: readonly { period: number; rate: number }[]): number[] {
  const sorted = points.toSorted((a, b) => a.period - b.period);
  const rates = new Array<number>(sorted.at(-1)?.period ?? 1).fill(sorted[0]?.rate ?? 0);
  for (const { period, rate } of sorted) rates.fill(rate, period - 1);
  return rates;
}

const FACTOR_NAMES = {
  ...Object.fromEntries(PREPAYMENT_MEASURES.map((measure) => [measure, 'prepayment'])),
  ...Object.fromEntries(DEFAULT_MEASURES.map((measure) => [measure, 'default'])),
  prepayment: 'prepayment',
  default: 'default',
  severity: 'severity',
} as Record<RiskFactorKey, RiskFactorName>;

function normalizeRisk({ risk = {} }: CalculationRequest): { risk: NormalRisk } | { faults: CalculationFault[] } {
  const { paths = 1000, seed = 1, factors: given = {}, confidence = [0.95, 0.99] } = risk;
  const keys = Object.keys(given).filter(
    (key): key is RiskFactorKey => Object.hasOwn(FACTOR_NAMES, key) && given[key as RiskFactorKey] !== undefined,
  );
  const factors = keys.map((key): RiskFactor => ({ factor: FACTOR_NAMES[key], sigma: given[key]?.sigma ?? 0 }));
  const faults = findFactorFaults(keys, factors);
  const correlation = risk.correlation ?? identityMatrix(factors.length);
  if (correlation.length !== factors.length) {
    faults.push(invalid('risk.correlation', `has ${correlation.length} rows for ${factors.length} factors (${keys.join(', ')})`));
  }
  const cholesky = choleskyOfCorrelation(correlation);
  if (!cholesky.ok) {
    const code = cholesky.code === 'NOT_SYMMETRIC' ? 'ASSUMPTIONS_INVALID' : cholesky.code;
    faults.push({ code, path: `risk.correlation[${cholesky.row}]`, message: cholesky.message });
  }
  if (faults.length > 0 || !cholesky.ok) return { faults };
  return { risk: { paths, seed, factors, lower: cholesky.lower, correlation, confidence } };
}

function findFactorFaults(keys: readonly RiskFactorKey[], factors: readonly RiskFactor[]): CalculationFault[] {
  const moved = factors.map(({ factor }) => factor);
  return keys.flatMap((key, index) => {
    const first = moved.indexOf(moved[index]);
    return first < index
      ? [invalid(`risk.factors.${key}`, `moves ${moved[index]}, as ${keys[first]} does; give one of them`)]
      : [];
  });
}

function findWarnings(
  request: CalculationRequest,
  normal: readonly NormalScenario[],
  pool: CalculationPool,
  structure: Structure,
): string[] {
  const { assumptions = {}, scenarios = [] } = request;
  return [
    ...(pool.warnings ?? []),
    ...findUnread(assumptions, 'assumptions', pool.loanType),
    ...scenarios.flatMap((scenario, index) => findUnread(scenario, `scenarios[${index}]`, pool.loanType)),
    ...findFractions(assumptions, 'assumptions'),
    ...scenarios.flatMap((scenario, index) => findFractions(scenario, `scenarios[${index}]`)),
    ...normal.flatMap(({ scenario, wire }) => findCapped(wire, `scenario "${scenario}"`, pool.loanType)),
    ...findSegmentWarnings(request, pool),
    ...findUnpriced(request, structure),
    ...findIdleRisk(request, normal),
  ];
}

/** Prices and yields of tranches that have none. */
function findUnpriced(request: CalculationRequest, structure: Structure): string[] {
  const residuals = structure.tranches.filter((tranche) => tranche.notional === undefined && isResidual(structure, tranche));
  return (['prices', 'yields'] as const).flatMap((field) =>
    residuals
      .filter(({ tranche }) => Object.hasOwn(byTranche(request[field]), tranche))
      .map(({ tranche }) => `${field}.${tranche} is not read: the residual has no price`),
  );
}

/** Risk settings that move nothing. */
function findIdleRisk({ type, risk }: CalculationRequest, scenarios: readonly NormalScenario[]): string[] {
  if (type !== 'RISK') return risk ? [`risk is not read: the type is ${type}, only RISK simulates`] : [];
  const keys = Object.keys(risk?.factors ?? {}) as RiskFactorKey[];
  if (keys.length === 0) return ['risk.factors is empty: every path is the same'];
  return keys.flatMap((key) => {
    const idle = scenarios.filter((scenario) => isIdle(FACTOR_NAMES[key], scenario)).map(({ scenario }) => `"${scenario}"`);
    return idle.length === 0
      ? []
      : [`risk.factors.${key} moves nothing in scenario ${idle.join(', ')}: there is no ${FACTOR_NAMES[key]} to multiply`];
  });
}

/** Whether what a factor moves is 0 throughout; segments may have their own. */
function isIdle(
  factor: RiskFactorName,
  { netLoss, assumptions: { prepayment, default: defaults, severityPercent, card, segments } }: NormalScenario,
): boolean {
  if (segments || (netLoss && factor === 'default')) return false;
  const moved = {
    prepayment: card ? card.paymentRatePercent : prepayment.values,
    default: card ? card.chargeOffPercent : defaults.values,
    severity: [severityPercent].flat(),
  };
  return moved[factor].every((value) => value === 0);
}

/** Segments without loans, and loans whose segment cannot be decided. A list that divides the pool as an earlier one does is not repeated. */
function findSegmentWarnings(request: CalculationRequest, { segments: divided }: CalculationPool): string[] {
  const seen = new Set<string>();
  return segmentLists(request).flatMap(({ path, segments }) => {
    const segmentation = segmentationOf(segments);
    const numbers = divided?.get(segmentation);
    if (!numbers || seen.has(segmentation)) return [];
    seen.add(segmentation);
    const counts = new Map<number, number>();
    for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
    const undecided = counts.get(UNDECIDED_SEGMENT) ?? 0;
    return [
      ...segments.flatMap((_, index) => (counts.has(index) ? [] : [`${path}[${index}] has no loan`])),
      ...(undecided > 0
        ? [
            `${path}: ${undecided} loans lack a value that a rule needs: they are in no segment and have the assumptions of the request`,
          ]
        : []),
    ];
  });
}
