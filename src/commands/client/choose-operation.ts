import type { Operation } from './catalogue/operation.ts';
import { CommandFailure, EXIT } from './failure.ts';

export const ROLES = ['originator', 'investor', 'operator'] as const;

/** Whether a key of the role can call it, by the part of the API in which it is. */
function isFor(operation: Operation, role: string): boolean {
  if (operation.path.startsWith('/v1/operator/')) return role === 'operator';
  if (role === 'operator') return false;
  const part = partOf(operation);
  return part === undefined || role === 'both' || part === role;
}

const partOf = ({ path }: Operation): string | undefined => /^\/v1\/api\/(originator|investor)\//.exec(path)?.[1];

/** The operation of a command for a role: that of its own part of the API before one for all; of a key of both roles, the originator's. */
export function chooseOperation(operations: readonly Operation[], role: string | null): Operation {
  const [first] = operations;
  if (first && operations.length === 1) return first;
  if (role === null) throw new CommandFailure(`the key does not say its role: add --as ${ROLES.join(', --as ')}`, EXIT.usage);
  const found = operations.find((each) => partOf(each) === role) ?? operations.find((each) => isFor(each, role));
  if (!found)
    throw new CommandFailure(
      `a key of role ${role} cannot do this: ${operations.map((each) => each.summary).join(' / ')}`,
      EXIT.refused,
    );
  return found;
}
