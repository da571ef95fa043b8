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
