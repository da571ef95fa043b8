import type { Settings } from './settings.ts';
import { isPassing } from './errors.ts';

/** A restart of the gateway takes less; what is away for longer is told. */
const LONGEST_ABSENCE_MS = 2 * 60_000;

/** How one that has read before reads again: null where the gateway is away, which is waited for for two minutes; the first read fails as any other. */
export function overAbsences(
  { clock }: Settings,
  { signal, onLost }: { signal?: AbortSignal | null | undefined; onLost?: ((error: unknown) => void) | undefined },
): <Result>(read: () => Promise<Result>) => Promise<Result | null> {
  let hasRead = false;
  let lostAt: number | null = null;
  return async (read) => {
    const askedAt = clock.now();
    try {
      const result = await read();
      hasRead = true;
      lostAt = null;
      return result;
    } catch (error) {
      lostAt ??= askedAt;
      const isAwayForLong = !hasRead || clock.now() - lostAt > LONGEST_ABSENCE_MS;
      if (isAwayForLong || signal?.aborted || !isPassing(error)) throw error;
      onLost?.(error);
      return null;
    }
  };
}
