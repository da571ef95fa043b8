import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { buildApp } from '../../src/app.ts';
import { type Environment, readConfig } from '../../src/config.ts';
import type { Scope } from '../../src/features/keys/scopes.ts';
import { issueKey } from '../../src/features/keys/issue-key.ts';
import { createEngine, type DeliveryOptions } from '../../src/features/webhooks/engine.ts';
import { type Compute, openCompute } from '../../src/platform/compute/compute.ts';
import { connectAlone, OF_WORK } from '../../src/platform/db/connection.ts';
import type { Role } from '../../src/platform/http/caller.ts';
import { ISSUER, signToken } from '../../src/platform/tokens.ts';
import { openRuntime, type Runtime, TASKS_URL } from '../../src/runtime.ts';
import { jobHandlers } from '../../src/worker.ts';
import { cloneDatabase } from './postgres.ts';
import type { Id } from '../../src/platform/ids.ts';
import { platformActor } from '../../src/platform/http/platform-actor.ts';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Envelope;
  /** The body as it was sent, whatever its type. */
  text: string;
};

/** An id of the same form that is no other record's: its last character is another one. */
export const otherId = (id: string): string => `${id.slice(0, -1)}${id.endsWith('z') ? 'y' : 'z'}`;

/** Status and error code of an answer. */
export const codeOf = (answer: Answer): [number, string | undefined] => [answer.status, answer.body.code];

/** Any answer: a test reads any field of it. */
/* oxlint-disable typescript/no-explicit-any */
export type Envelope = {
  success: boolean;
  data: any;
  pagination?: any;
  meta?: any;
  message?: string;
  statusCode?: number;
  code?: string;
  errors?: any[];
  [extra: string]: any;
};
/* oxlint-enable typescript/no-explicit-any */

export type Holder = { token: string; key_id: Id<'key'>; actor_id: Id<'key'>; organization_id: Id<'org'> };

export type Gateway = {
  app: FastifyInstance;
  deps: Runtime;
  /** One request through the whole HTTP layer, without a socket. */
  call(
    method: string,
    path: string,
    options?: { as?: Holder | string | null; body?: unknown; headers?: Record<string, string>; raw?: string | Buffer },
  ): Promise<Answer>;
  key(
    role: Role,
    organization?: string,
    options?: { profile?: 'verified' | 'none'; environment?: Environment; scopes?: readonly Scope[] },
  ): Promise<Holder>;
  /** An operator's key for an organization that holds customer keys, as no key is issued any more. */
  mixedKey(holder: Holder): Promise<Holder>;
  /** Runs every queued job, in this process, until none is left. */
  runJobs(): Promise<number>;
  /** Sends every webhook delivery that is due, in this process, until none is left; how many attempts that were. */
  runDeliveries(options?: DeliveryOptions): Promise<number>;
  /** A connection as the owner of the tables; the caller ends it. */
  owner(): Promise<pg.Client>;
  /** Moves the platform's clock forward. */
  advance(seconds: number): Promise<void>;
  /** Sets the platform's clock to an instant; it goes on from there. */
  setClock(instant: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

let compute: Compute | undefined;

/** The gateways of a process share its children: starting one takes longer than most of what it does for a test. */
const sharedCompute = (): Compute => (compute ??= openCompute({ tableUrl: TASKS_URL }));

/** A whole gateway on a private database and folder; no process, no port. */
export async function startGateway(
  settings: Record<string, string> = {},
  options: Parameters<typeof buildApp>[1] = {},
): Promise<Gateway> {
  const database = await cloneDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const config = readConfig({
    DATABASE_URL: database.url,
    SLUICE_DATA_DIR: dataDir,
    SLUICE_RATE_LIMIT: '1000000',
    LOG_LEVEL: 'silent',
    ...settings,
  });
  const deps = await openRuntime(config, { migrate: false, supervise: false, compute: sharedCompute() });
  const app = await buildApp(deps, options);
  await app.ready();
  return {
    app,
    deps,
    async call(method, path, { as, body, headers = {}, raw } = {}) {
      const token = typeof as === 'string' ? as : as?.token;
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(raw === undefined ? (body === undefined ? {} : { payload: JSON.stringify(body) }) : { payload: raw }),
      });
      const json = /\bjson\b/.test(String(response.headers['content-type'])) && response.payload !== '';
      return {
        status: response.statusCode,
        headers: response.headers as Answer['headers'],
        body: json ? (JSON.parse(response.payload) as Envelope) : { success: response.statusCode < 400, data: null },
        text: response.payload,
      };
    },
    key: async (role, organization = `${role} house`, options = {}) => {
      const issued = await deps.db.tx({ platform: true }, (tx) =>
        issueKey(
          tx,
          platformActor('test'),
          {
            organization,
            role,
            environment: options.environment ?? config.environment,
            requester: 'a test',
            use_case: 'a test',
            ...(options.profile ? { profile: options.profile } : {}),
            ...(options.scopes ? { scopes: options.scopes } : {}),
          },
          deps,
        ),
      );
      return { ...issued, actor_id: issued.key_id };
    },
    mixedKey: async (holder) => {
      const issued = await deps.db.tx({ platform: true }, (tx) =>
        issueKey(
          tx,
          platformActor('test'),
          {
            organization: `before ${holder.organization_id}`,
            role: 'operator',
            environment: config.environment,
            requester: 'a test',
            use_case: 'a test',
          },
          deps,
        ),
      );
      await deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update keys set organization_id = $2 where key_id = $1', [issued.key_id, holder.organization_id]),
      );
      const { iat, exp } = JSON.parse(Buffer.from(issued.token.split('.')[1] ?? '', 'base64url').toString()) as {
        iat: number;
        exp: number;
      };
      const claims = {
        iss: ISSUER,
        aud: config.environment,
        sub: holder.organization_id,
        jti: issued.key_id,
        role: 'operator',
        iat,
        exp,
      };
      return {
        ...issued,
        actor_id: issued.key_id,
        organization_id: holder.organization_id,
        token: signToken(deps.tokens, claims),
      };
    },
    runJobs: () => deps.jobs.drain(jobHandlers(deps)),
    runDeliveries: async (options = {}) => {
      await using engine = createEngine(deps, options);
      return await engine.drain();
    },
    owner: () => connectAlone({ url: deps.databaseUrl, name: 'a test', patience: OF_WORK }),
    advance: async (seconds) => {
      await deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update platform_clock set advanced = advanced + make_interval(secs => $1)', [seconds]),
      );
    },
    setClock: async (instant) => {
      await deps.db.tx({ platform: true }, (tx) =>
        tx.exec('update platform_clock set advanced = $1::timestamptz - now()', [instant]),
      );
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await deps[Symbol.asyncDispose]();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
