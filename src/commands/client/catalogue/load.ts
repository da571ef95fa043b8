import { readFileSync } from 'node:fs';
import type { Operation } from './operation.ts';

/** Every operation of the API by its id. */
export function loadOperations(): Map<string, Operation> {
  const operations: Operation[] = JSON.parse(readFileSync(new URL('operations.json', import.meta.url), 'utf8'));
  return new Map(operations.map((each) => [each.id, each]));
}

export function operationNamed(operations: ReadonlyMap<string, Operation>, id: string): Operation {
  const operation = operations.get(id);
  if (!operation) throw new Error(`the catalogue has no ${id}: npm run generate`);
  return operation;
}
