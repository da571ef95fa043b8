import type { Request } from './side.ts';
import { type Vector, vectorOf } from './vector.ts';

export const PREPAYMENT = ['cpr', 'psa', 'abs', 'smm'] as const;
export const DEFAULT = ['cdr', 'sda', 'mdr'] as const;
/** Measures of a scenario that are typed as vectors, in their order. */
export const VECTORS = ['prepayment', 'default', 'severity', 'delinquency'] as const;
export type VectorName = (typeof VECTORS)[number];
export const MOST_SCENARIOS = 4;

/** A scenario as it is typed. */
export type ScenarioDraft = Record<VectorName, string> & {
  name: string;
  prepaymentIn: (typeof PREPAYMENT)[number];
  defaultIn: (typeof DEFAULT)[number];
  lag: number | '';
  /** Whatever else a scenario may have. */
  more: unknown;
};

export const FACTORS = ['prepayment', 'default', 'severity'] as const;
export type Factor = (typeof FACTORS)[number];
export type Kind = Request['type'];
export type RequestDraft = {
  type: Kind;
  from: '' | 'LATEST' | 'CUT_OFF';
  tranche: string;
  ladder: string;
  paths: number | '';
  /** How far each factor is spread around what the scenario says. */
  sigmas: Record<Factor, number | ''>;
  more: unknown;
  scenarios: ScenarioDraft[];
};

export const newScenario = (name: string): ScenarioDraft => ({
  name,
  prepayment: '6',
  prepaymentIn: 'cpr',
  default: '1',
  defaultIn: 'cdr',
  severity: '40',
  delinquency: '',
  lag: '',
  more: undefined,
});

export const NEW: RequestDraft = {
  type: 'PRICING',
  from: '',
  tranche: '',
  ladder: '98, 99, 100, 101, 102',
  paths: 1_000,
  sigmas: { prepayment: 0.3, default: 0.4, severity: 0.3 },
  more: undefined,
  scenarios: [newScenario('base')],
};

/** What cannot be sent as it is typed, by where it stands: `scenarios.0.prepayment`. */
export type DraftProblems = ReadonlyMap<string, string>;

export function problemsOf({ scenarios }: RequestDraft): DraftProblems {
  const problems = new Map<string, string>();
  for (const [at, scenario] of scenarios.entries())
    for (const name of VECTORS) {
      const parsed = vectorOf(scenario[name]);
      if ('problem' in parsed) problems.set(`scenarios.${at}.${name}`, parsed.problem);
    }
  return problems;
}

export const vectorIn = (scenario: ScenarioDraft, name: VectorName): Vector | undefined => {
  const parsed = vectorOf(scenario[name]);
  return 'problem' in parsed ? undefined : parsed.vector;
};

/** The request as the API takes it; what it says of a field is about what was typed. */
export function requestOf(draft: RequestDraft): Request {
  const { type, from, tranche, ladder, paths, sigmas, more, scenarios } = draft;
  const prices = ladder
    .split(/[\s,;]+/)
    .filter((each) => each !== '')
    .map(Number);
  const request = {
    type,
    purpose: 'ANALYSIS',
    ...(from === '' ? {} : { from }),
    ...(type === 'PRICE_TABLE' ? { tranche, prices } : {}),
    ...(type === 'RISK' ? { risk: { ...(paths === '' ? {} : { paths }), factors: factorsOf(sigmas) } } : {}),
    scenarios: scenarios.map(scenarioOf),
    ...(more as object | undefined),
  };
  return request as Request;
}

const factorsOf = (sigmas: RequestDraft['sigmas']): Record<string, { sigma: number }> =>
  Object.fromEntries(Object.entries(sigmas).flatMap(([factor, sigma]) => (sigma === '' ? [] : [[factor, { sigma }]])));

function scenarioOf(scenario: ScenarioDraft): Record<string, unknown> {
  const { name, prepaymentIn, defaultIn, lag, more } = scenario;
  const given: [string, unknown][] = [
    [prepaymentIn, vectorIn(scenario, 'prepayment')],
    [defaultIn, vectorIn(scenario, 'default')],
    ['severity', vectorIn(scenario, 'severity')],
    ['delinquency', vectorIn(scenario, 'delinquency')],
    ['recovery_lag_months', lag === '' ? undefined : lag],
  ];
  return {
    scenario: name,
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    ...(more as object | undefined),
  };
}
