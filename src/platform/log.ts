import pino from 'pino';
import { safeError } from './safe-error.ts';

/** The log of a process, in lines of JSON. An error that is logged as `err` is one that `safeError` has made safe. */
export const createLog = (level: string, lines: pino.DestinationStream): pino.Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (thrown: unknown) => safeError(thrown) },
    },
    lines,
  );
