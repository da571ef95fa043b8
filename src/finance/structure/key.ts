import { createHash } from 'node:crypto';
import type { NormalRequest } from './normal-request.ts';
import { canonicalJson } from './canonical-json.ts';

/** Version of the engine: it is raised when the same inputs may give another result. */
export const ENGINE_VERSION = '1.11.0';

/** Identity of the inputs of a calculation besides its request. */
export type CalculationIdentity = {
  structureVersion: string | number;
  /** Identity of the set of loans, such as a hash of their ids. */
  loanSet: string;
  tapeVersions: unknown;
  cutOff: string;
  /** The state from which it starts, where that is not the closing date. */
  opening?: unknown;
  /** Warnings that are no consequence of the other inputs. */
  warnings?: readonly string[];
};

/**
 * Key under which a calculation is stored: sha-256 in hex over structure version, loan set, tape versions, cut-off, request after defaults
 * (assumptions, curves, prices, seed) and engine version. Equal keys mean the same result, to the bit.
 */
export function calculationKey(inputs: CalculationIdentity, request: NormalRequest): string {
  const { warnings: _warnings, ...parameters } = request;
  return createHash('sha256')
    .update(canonicalJson({ ...inputs, request: parameters, engineVersion: ENGINE_VERSION }))
    .digest('hex');
}
