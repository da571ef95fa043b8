/** What the work brings, or an error when it has not ended in time; the work itself goes on. */
export async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
