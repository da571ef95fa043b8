import { audit } from '../audit.ts';
import type { Tx } from '../db/database.ts';
import type { Actor } from './own-organization.ts';

/** The audit entry of a customer's act: part of the route's configuration, written in the transaction of its operation. */
export type AuditedAct = {
  action: string;
  entity_type: string;
  /** Field of the response, or else of the path, with the id of the record. */
  id: string;
  /** Fields of the response that the entry records as the new state. */
  after?: readonly string[];
};

type Write = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
type Acting = { caller: Actor; params: unknown; write: Write };

/** The same handler, whose write also appends the entry, unless the operation had nothing to change. */
export function audited<Context extends Acting, Result>(
  act: AuditedAct,
  handler: (context: Context) => Promise<Result>,
): (context: Context) => Promise<Result> {
  return (context) => {
    const { caller, params, write } = context;
    const writeAndAudit: Write = (work) =>
      write(async (tx) => {
        const result = await work(tx);
        if (tx.unchanged) return result;
        audit(tx, { organization_id: caller.organization_id, actor: caller.actor_id, ...entryOf(act, result, params) });
        return result;
      });
    return handler({ ...context, write: writeAndAudit });
  };
}

function entryOf({ action, entity_type, id, after }: AuditedAct, result: unknown, params: unknown) {
  const record = (result ?? {}) as Record<string, unknown>;
  const entity_id = record[id] ?? (params as Record<string, unknown>)[id];
  if (typeof entity_id !== 'string') throw new Error(`${action} names no record: neither the response nor the path has ${id}`);
  return { action, entity_type, entity_id, after: Object.fromEntries((after ?? []).map((name) => [name, record[name] ?? null])) };
}
