import { setImmediate } from 'node:timers/promises';

/** The items of a source, of which up to `most` are read while earlier ones are used. Its failure is thrown in its place. */
export async function* ahead<Item>(source: AsyncIterable<Item>, most: number): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  const asked: Promise<IteratorResult<Item>>[] = [];
  // A generator gives its items one after the other, however many are asked for at once.
  const ask = (): void => {
    const next = iterator.next();
    // A failure is thrown when its turn has come.
    next.catch(() => undefined);
    asked.push(next);
  };
  try {
    for (let each = 0; each < most; each += 1) ask();
    for (;;) {
      const next = asked.shift();
      const result = await next;
      if (!result || result.done) return;
      ask();
      yield result.value;
    }
  } finally {
    // Nobody reads on: the source ends after what is under way.
    await iterator.return?.();
  }
}

/**
 * The items of several sources, one source after the other. Each is begun, up to its first item, while those of the source before are used: between two
 * items the event loop has a turn, in which what was begun goes on.
 */
export async function* overlapping<Item>(sources: AsyncIterable<AsyncGenerator<Item>>): AsyncGenerator<Item> {
  const iterator = sources[Symbol.asyncIterator]();
  const begin = async (): Promise<{ source: AsyncGenerator<Item>; first: Promise<IteratorResult<Item>> } | null> => {
    const next = await iterator.next();
    if (next.done) return null;
    const first = next.value.next();
    // A failure is thrown when its turn has come.
    first.catch(() => undefined);
    return { source: next.value, first };
  };
  let following = begin();
  try {
    for (let current = await following; current; current = await following) {
      let result = await current.first;
      following = begin();
      // A failure is thrown when its turn has come.
      following.catch(() => undefined);
      try {
        for (; !result.done; result = await current.source.next()) {
          yield result.value;
          await setImmediate();
        }
      } finally {
        await current.source.return(undefined);
      }
    }
  } finally {
    const left = await following.catch(() => null);
    await left?.source.return(undefined);
    await iterator.return?.();
  }
}
