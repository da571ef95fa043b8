import { MAX_CARD_MONTHS } from '../card.ts';
import { formatDollars, roundHalfEven, toCents } from '../money.ts';
import type { Collateral } from '../types.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import type { WaterfallFlows } from './flows.ts';
import type { NormalScenario } from './normal-request.ts';

/** Collateral, and the waterfall that it ran through. */
type ScenarioRun = { structure: CompiledStructure; flows: WaterfallFlows; collateral: Collateral };

/** What a scenario leaves out or does not do, and a reader of its figures would not see in them. */
export function runWarnings({ scenario, assumptions, netLoss }: NormalScenario, run: ScenarioRun): string[] {
  const lags = [assumptions, ...(assumptions.segments?.each ?? [])].map((each) => each.recoveryLagMonths);
  // A curve of net losses is met whole, whatever its loans leave out.
  const late = netLoss ? [] : lateDefaults(run, Math.min(...lags), Math.max(...lags));
  const cut = assumptions.card ? unpaidCards(run) : [];
  return [...late, ...unpaidCall(run), ...cut].map((text) => `scenario "${scenario}": ${text}`);
}

/** Less than a cent is not an amount. */
const LEAST = 0.005;

/** `least` and `most`: the recovery lags of the segments. */
function lateDefaults({ collateral }: ScenarioRun, least: number, most: number): string[] {
  const { omittedDefaults = 0, opening } = collateral;
  if (omittedDefaults < LEAST) return [];
  const share = roundHalfEven((100 * omittedDefaults) / opening[0], 4);
  return [
    `${formatDollars(toCents(omittedDefaults))} of defaults (${share} % of the pool) are left out: the loans have no default in their last ` +
      `${least === most ? most : `${least} to ${most}`} months, since it would be liquidated after their last payment; "late_defaults": "KEEP" liquidates them`,
  ];
}

function unpaidCall({ structure, flows }: ScenarioRun): string[] {
  const { callShort, calledAt } = flows;
  if (!callShort) return [];
  const { paid } = structure.periods.dates[callShort.index];
  const later = calledAt === -1 ? 'is never exercised' : `is exercised in period ${calledAt + 1}`;
  return [
    `${callShort.call === null ? 'the clean-up call' : `the call "${callShort.call}"`} is due from period ${callShort.index + 1} (${paid}), where cash, accounts and pool lack ` +
      `${formatDollars(toCents(callShort.missing))} to pay fees, interest and notes; it ${later}`,
  ];
}

/** The balance with which the longest projection of a card pool ends, unless the pool is called before. */
function unpaidCards({ flows, collateral: { opening, closing } }: ScenarioRun): string[] {
  const left = closing.at(-1) ?? 0;
  if (left < LEAST || flows.calledAt !== -1) return [];
  const share = roundHalfEven((100 * left) / opening[0], 4);
  return [
    `${formatDollars(toCents(left))} of the pool (${share} %) is left after ${MAX_CARD_MONTHS} months, where the projection of a pool of credit cards ends: ` +
      'nothing that it pays later is in these figures',
  ];
}
