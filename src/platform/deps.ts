import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Batchers } from './batcher.ts';
import type { ColumnEngine } from './column-engine.ts';
import type { Compute } from './compute/compute.ts';
import type { Threads } from './compute/threads.ts';
import type { Database } from './db/database.ts';
import type { Position, Reads } from './db/replica.ts';
import type { ObjectStore } from './files/store.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { CursorSigner } from './http/cursor-signer.ts';
import type { RateLimiter } from './http/rate-limit.ts';
import type { RequestLog } from './http/request-log.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Metrics } from './metrics.ts';
import type { Resolver } from './net/lookup.ts';
import type { AddressSigner } from './files/signed-address.ts';
import type { SecretBox } from './secret-box.ts';
import type { Slots } from './slots.ts';
import type { TokenKeys } from './tokens.ts';
import type { Tracing } from './tracing.ts';
import type { Watch } from './watch.ts';

/** Everything that operations need from outside; tests pass their own. */
export type Deps = {
  config: Config;
  db: Database;
  /** Reads that see everything up to the position: on a replica that has it, or else, and without a position, on the primary. */
  reads(position: Position | null): Reads;
  /** Connections of the rate limits and leases. A crash may lose their last commits, so these do not wait for the disk. */
  limits: Database;
  rateLimiter: RateLimiter;
  /** Groups requests that would wait for the same row into one transaction. */
  batchers: Batchers;
  store: ObjectStore;
  jobs: Jobs;
  /** Heavy work, in child processes. */
  compute: Compute;
  /** Calculations, in threads that keep the loans of their pools. */
  calculationThreads: Threads;
  /** Reads finished column files of the store; writes nothing. */
  columns: ColumnEngine;
  log: Logger;
  /** The log of the requests of each organization; null where it is switched off. */
  requestLog: RequestLog | null;
  /** Shows a developer what happens; null where nobody watches. */
  watch: Watch | null;
  metrics: Metrics;
  tracing: Tracing;
  heartbeat: Heartbeat;
  addresses: AddressSigner;
  cursors: CursorSigner;
  secrets: SecretBox;
  /** The key that loans of several organizations are compared under, hexadecimal, and a name of it that may be shown. */
  fingerprints: { key: string; keyId: string };
  tokens: TokenKeys;
  /** Open alert streams of each organization. */
  alertStreams: Slots;
  /** The addresses of a name that a customer gives. */
  resolveName: Resolver;
  /** The address at which customers reach this process. */
  publicUrl(): string;
  /** Folder for temporary files of running work. */
  workDir: string;
};
