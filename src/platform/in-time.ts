/** The result of the work, or an error when it takes longer than the timeout; the work itself continues. */
export async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
