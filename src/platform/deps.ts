import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Compute } from './compute/compute.ts';
import type { Database } from './db/database.ts';
import type { ObjectStore } from './files/store.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Metrics } from './metrics.ts';
import type { AddressSigner } from './files/signed-address.ts';
import type { SecretBox } from './secret-box.ts';
import type { Slots } from './slots.ts';
import type { TokenKeys } from './tokens.ts';
import type { Tracing } from './tracing.ts';

/** Everything that the operations need from outside; a test passes its own. */
export type Deps = {
  config: Config;
  db: Database;
  /** Connections of the limiter: answers may be lost on a crash, never waited for. */
  limits: Database;
  store: ObjectStore;
  jobs: Jobs;
  /** Where tapes, rules and searches run: beside this process, never in it. */
  compute: Compute;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
  heartbeat: Heartbeat;
  addresses: AddressSigner;
  secrets: SecretBox;
  tokens: TokenKeys;
  /** Open alert streams of each organization. */
  alertStreams: Slots;
  /** Where this process answers, as customers reach it. */
  publicUrl(): string;
  /** Folder for files that live no longer than the work on them. */
  workDir: string;
};
