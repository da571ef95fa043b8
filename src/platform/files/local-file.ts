import type { ObjectStore } from './store.ts';

/** Local path of a stored object; throws if it is missing. */
export async function localFile({ store }: { store: ObjectStore }, key: string): Promise<string> {
  const path = await store.localPath(key);
  if (!path) throw new Error(`${key} is not in the store`);
  return path;
}
