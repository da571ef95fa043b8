import { createInterface } from 'node:readline/promises';
import type { Operation } from './catalogue/operation.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { safeText } from './output/safe-text.ts';

const DESTRUCTIVE = new Set([
  'withdrawLoanDeal',
  'withdrawOperatorDeal',
  'rejectDeal',
  'closeDeal',
  'revokeKey',
  'suspendOrganization',
  'rejectSubscription',
  'cancelSubscription',
  'declineAllocation',
  'cancelTrade',
  'failTrade',
  'resetSandbox',
  'denyWaiver',
  'rotateWebhookSecret',
  'rotateOperatorWebhookSecret',
  'releasePledge',
]);
const HARMLESS = new Set(['unwatchDeal']);

export const isDestructive = ({ id, method }: Operation): boolean =>
  DESTRUCTIVE.has(id) || (method === 'delete' && !HARMLESS.has(id));

/** Asks on a terminal; elsewhere the command needs --yes. */
export async function confirm(what: string, yes: boolean, signal: AbortSignal): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure(`${what}: add --yes, because there is no terminal to ask on`, EXIT.usage);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`${safeText(what)}? [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('nothing was done');
  } finally {
    lines.close();
  }
}
