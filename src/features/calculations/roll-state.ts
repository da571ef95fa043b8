import { namedOneOf } from '../../platform/http/named.ts';
import { ENDED_STATES, LIVE_STATES } from '../../loans/analytics/loan-state.ts';

export const RollState = namedOneOf('RollState', [...LIVE_STATES, ...ENDED_STATES]);
