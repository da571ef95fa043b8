import { CARD_FIELDS, DEFAULT_GROUP, DEFAULT_MEASURES, DELINQUENCY_FIELDS, PREPAYMENT_MEASURES } from './assumptions.ts';
import { indexCurvesOf } from './normalize.ts';
import type { CalculationRequest, WireAssumptions, WireSegment } from './request.ts';

/** Assumptions with those of a scenario in their place: a measure of the scenario replaces its whole group. */
export function assumptionsOver(base: WireAssumptions, own: WireAssumptions): WireAssumptions {
  const groups: readonly (readonly (keyof WireAssumptions)[])[] = [PREPAYMENT_MEASURES, DEFAULT_GROUP];
  const replaced = groups.filter((group) => group.some((measure) => own[measure] !== undefined)).flat();
  const kept = { ...base };
  for (const name of replaced) delete kept[name];
  return { ...kept, ...own };
}

/** What has passed between two starts of calculations: months of collateral, and payment periods. */
export type Elapsed = { months: number; periods: number };

const MONTHLY = [...PREPAYMENT_MEASURES, ...DEFAULT_MEASURES, 'severity', ...CARD_FIELDS] as const;

/** The values from a later month or period on, the last of which persists. */
const later = <Values extends number | number[] | undefined>(values: Values, passed: number): Values | number[] =>
  Array.isArray(values) ? values.slice(Math.min(passed, values.length - 1)) : values;

/** Assumptions as a calculation reads them that starts later: values by projected month or period begin where it does. */
export function assumptionsLater(base: WireAssumptions, elapsed: Elapsed): WireAssumptions {
  const { months, periods } = elapsed;
  const moved = speedsLater(base, months, base.by);
  for (const field of DELINQUENCY_FIELDS) if (base[field] !== undefined) moved[field] = later(base[field], months);
  if (base.billed_fees)
    moved.billed_fees = Object.fromEntries(
      Object.entries(base.billed_fees).map(([fee, amounts]) => [fee, later(amounts, periods)]),
    );
  if (base.segments) moved.segments = base.segments.map((segment) => speedsLater(segment, months, segment.by ?? base.by));
  return moved;
}

/** Values by age of the loan stay as they are. */
function speedsLater<Fields extends WireAssumptions | WireSegment>(
  fields: Fields,
  months: number,
  by: WireAssumptions['by'],
): Fields {
  const moved = { ...fields };
  if (by === 'AGE') return moved;
  for (const field of MONTHLY) if (fields[field] !== undefined) Object.assign(moved, { [field]: later(fields[field], months) });
  return moved;
}

/** Index curves as a calculation reads them that starts later. */
export function indexCurvesLater(
  request: Pick<CalculationRequest, 'index_curves'>,
  { months }: Pick<Elapsed, 'months'>,
): CalculationRequest['index_curves'] {
  if (months === 0 || !request.index_curves) return request.index_curves;
  return Object.fromEntries(
    Object.entries(indexCurvesOf(request)).map(([index, rates]) => [
      index,
      rates.slice(Math.min(months, rates.length - 1)).map((rate, place) => ({ period: place + 1, rate })),
    ]),
  );
}
