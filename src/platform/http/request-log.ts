import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from './errors.ts';

/** What a request was answered with, as far as the log looks into it. */
export type Answered = { body: unknown } | { error: ApiError } | { file: true };

/**
 * The log of requests of each organization. A request is noted after its response has been made, and written with others in one statement
 * soon afterwards, so that no request waits for it. What cannot be written is dropped and counted. Disposal writes what waits.
 */
export type RequestLog = AsyncDisposable & {
  note(request: FastifyRequest, reply: FastifyReply): void;
  /** Resolves when everything that was noted before is written or dropped. */
  flush(): Promise<void>;
};
