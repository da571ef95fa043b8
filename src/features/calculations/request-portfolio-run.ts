import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { localDate } from '../../finance/business-date.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import { balanceOf } from '../../finance/position-value.ts';
import { findContradictions } from '../../finance/structure/assumption-faults.ts';
import { segmentLists } from '../../finance/structure/assumptions.ts';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import { canonicalJson } from '../../finance/structure/canonical-json.ts';
import { ScenarioSchema } from '../../finance/structure/request.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { named } from '../../platform/http/named.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { refuseUnknownFields } from '../../platform/http/refuse-unknown-fields.ts';
import { date } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { completePortfolioRun, LEFT_OUT, type LeftOut } from './portfolio-run.ts';
import {
  type BookMark,
  type BookPosition,
  findRunOfKey,
  insertPortfolioRun,
  listBook,
  listBookMarks,
  lockPortfolioRun,
  releaseRunKey,
  type RunHolding,
} from './portfolio-run-queries.ts';
import { portfolioResults } from './portfolio-figures.ts';
import { cannotRun, invalid } from './request-calculation.ts';

export const NewPortfolioRunSchema = named('NewPortfolioScenarios', {
  scenarios: Type.Array(ScenarioSchema, {
    minItems: 1,
    maxItems: 12,
    description: 'What differs from the assumptions of each deal’s mark.',
  }),
  as_of: Type.Optional(date('Date of the business zone: the positions at its end. Default: today.')),
});
export type NewPortfolioRun = Static<typeof NewPortfolioRunSchema>;

/** Jobs of one run that are queued at a time, each for every so manieth deal. */
export const LANES = 4;
const MOST_DEALS = 1_000;

/**
 * Requests the settled positions of an organization under scenarios, deal by deal. The same request of the same book has one run; its id. Deals
 * that nothing values are left out from the start. 422 for scenarios that no deal can run, and for a book of too many deals.
 */
export async function requestPortfolioRun(
  tx: Tx,
  actor: Actor,
  body: NewPortfolioRun,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<Id<'calc'>> {
  refuseUnknownFields(NewPortfolioRunSchema, body);
  refuseScenarios(body);
  const { organization_id } = actor;
  const { scenarios } = body;
  const as_of = asOfDate(body, tx);
  const positions = await listBook(tx, organization_id, as_of, localDate(tx.now, tx.zone));
  const ofDeal = [...Map.groupBy(positions, ({ deal_id }) => deal_id)];
  const dealIds = ofDeal.map(([deal_id]) => deal_id);
  const marks = Map.groupBy(await listBookMarks(tx, dealIds, as_of), ({ deal_id }) => deal_id);
  const judged = ofDeal.map(([deal_id, held]) => ({ deal_id, ...judgeDeal(deal_id, held, marks.get(deal_id) ?? []) }));
  const deals = judged.flatMap(({ deal_id, holding }) => (holding ? [{ deal_id, holding }] : []));
  if (deals.length > MOST_DEALS) throw tooManyDeals(deals.length);
  const left_out = judged.flatMap((each) => each.left_out);
  const run_key = createHash('sha256')
    .update(
      canonicalJson({ scenarios, as_of, left_out, deals, versions: positions.map(({ version }) => version), ENGINE_VERSION }),
    )
    .digest('hex');
  const calculation_id = tx.newId('calc');
  const run = { calculation_id, organization_id, as_of, scenarios, left_out, created_at: tx.now };
  const insert = (): Promise<boolean> =>
    insertPortfolioRun(tx, { ...run, run_key, deals: deals.length, positions: positions.length }, deals);
  const inserted = (await insert()) || ((await releaseRunKey(tx, organization_id, run_key)) && (await insert()));
  if (!inserted) return (await findRunOfKey(tx, organization_id, run_key)) ?? calculation_id;
  for (let place = 0; place < Math.min(LANES, deals.length); place += 1)
    await jobs.enqueue(tx, 'run-calculation', { organization_id, calculation_id, place }, { id: calculation_id });
  if (deals.length === 0) await completeEmpty(tx, organization_id, calculation_id);
  return calculation_id;
}

/** A run of no deal has nothing to wait for. */
async function completeEmpty(tx: Tx, organizationId: Id<'org'>, calculationId: Id<'calc'>): Promise<void> {
  const run = await lockPortfolioRun(tx, organizationId, calculationId);
  if (!run) throw new Error(`${calculationId} was not stored`);
  const results = portfolioResults(
    run.scenarios.map(({ scenario }) => scenario),
    [],
  );
  await completePortfolioRun(tx, run, {
    result: { results, warnings: [], engine_version: ENGINE_VERSION },
    left_out: run.left_out,
  });
}

function refuseScenarios({ scenarios }: NewPortfolioRun): void {
  const names = scenarios.map(({ scenario }) => scenario);
  const faults = [
    ...scenarios.flatMap((scenario, index) => [
      ...findContradictions(scenario, `scenarios[${index}]`),
      ...(names.indexOf(scenario.scenario) < index
        ? [
            invalid(
              `scenarios[${index}].scenario`,
              `"${scenario.scenario}" is already the name of scenarios[${names.indexOf(scenario.scenario)}]`,
            ),
          ]
        : []),
    ]),
    ...segmentLists({ scenarios }).map(({ path }) =>
      invalid(path, 'chooses loans by their fields; the loans of the deals are not disclosed'),
    ),
  ];
  if (faults.length > 0) throw cannotRun(faults);
}

function asOfDate({ as_of }: NewPortfolioRun, tx: Tx): string {
  const today = localDate(tx.now, tx.zone);
  if (as_of === undefined || as_of <= today) return as_of ?? today;
  const message = `is ${as_of}, expected ${today}, the date in ${tx.zone}, or an earlier one`;
  throw new ApiError('UNPROCESSABLE', `${as_of} is ahead: in ${tx.zone} it is ${today}.`, {
    errors: [{ field: 'as_of', code: 'IN_THE_FUTURE', message }],
  });
}

function tooManyDeals(count: number): ApiError {
  const message = `has ${count} deals to calculate, expected at most ${MOST_DEALS}: calculate the deals one by one`;
  return new ApiError('UNPROCESSABLE', 'The book is too large for one calculation.', {
    errors: [{ field: 'scenarios', code: 'TOO_MANY_DEALS', message }],
  });
}

type Judged = { holding: RunHolding | null; left_out: LeftOut[] };

/** What of a deal can be valued, and why the rest cannot. */
function judgeDeal(deal_id: Id<'deal'>, positions: readonly BookPosition[], marks: readonly BookMark[]): Judged {
  const latest = marks.find(({ basis }) => basis !== null);
  const yields = new Map(
    marks.flatMap(({ tranche, basis, yield: rate }): [string, number][] =>
      rate !== null && basis === latest?.basis ? [[tranche, rate]] : [],
    ),
  );
  const codeOf = ({ tranche, tranche_id }: BookPosition): keyof typeof LEFT_OUT | null => {
    const mark = marks.find((each) => each.tranche_id === tranche_id);
    if (!mark) return 'NO_MARK';
    if (mark.basis === null) return 'NO_CALCULATION';
    if (mark.yield === null) return 'NO_YIELD';
    return yields.has(tranche) ? null : 'OTHER_BASIS';
  };
  const left_out = [...Map.groupBy(positions, codeOf)].flatMap(([code, each]): LeftOut[] =>
    code === null ? [] : [{ deal_id, tranche_ids: each.map(({ tranche_id }) => tranche_id), code, reason: LEFT_OUT[code] }],
  );
  const valued = positions.filter((each) => codeOf(each) === null);
  const [first] = valued;
  if (!first || !latest) return { holding: null, left_out };
  const holding: RunHolding = {
    asset_type: first.asset_type,
    originator: first.originator,
    // A mark of a state that was reported after the date has nothing to say of before.
    period: Math.max(first.period, latest.period),
    mark: latest.calculation_id,
    yields: Object.fromEntries(yields),
    positions: valued.map(({ tranche_id, tranche, class: className, face, factor, original_balance }) => ({
      tranche_id,
      tranche,
      class: className,
      face: formatCents(parseCents(face)),
      original_balance,
      balance: String(balanceOf(face, factor)),
    })),
  };
  return { holding, left_out };
}
