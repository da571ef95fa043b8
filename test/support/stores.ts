import type { ObjectStore } from '../../src/platform/files/store.ts';

/** The store with some of its methods replaced, as one that fails or is slow in them. */
export function storeWith(store: ObjectStore, replaced: Partial<ObjectStore>): ObjectStore {
  return {
    kind: store.kind,
    put: (...given) => store.put(...given),
    get: (...given) => store.get(...given),
    stat: (...given) => store.stat(...given),
    localPath: (...given) => store.localPath(...given),
    list: (...given) => store.list(...given),
    delete: (...given) => store.delete(...given),
    removeUnfinished: (...given) => store.removeUnfinished(...given),
    removeCopies: (before) => store.removeCopies(before),
    localKeys: (...given) => store.localKeys(...given),
    ready: () => store.ready(),
    ...replaced,
  };
}
