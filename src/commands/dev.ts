import type { FastifyInstance } from 'fastify';
import { readConfig } from '../config.ts';
import { issueKey } from '../features/keys/issue-key.ts';
import { INVESTOR, OPERATOR, ORIGINATOR, seedSandbox } from '../features/sandbox/seed-sandbox.ts';
import type { Role } from '../platform/http/caller.ts';
import type { Runtime } from '../runtime.ts';
import { endOnDefects, notice, outliveReaders } from './notice.ts';
import { start, untilStopped } from './serve.ts';
import type { Running } from './start-parts.ts';
import { SANDBOX_AGENT } from '../features/sandbox/client.ts';
import { linesOf } from '../platform/watch.ts';
import { platformActor } from '../platform/http/platform-actor.ts';

const ROLES: readonly { role: Role; organization: string }[] = [
  { role: 'originator', organization: ORIGINATOR },
  { role: 'investor', organization: INVESTOR },
  { role: 'operator', organization: OPERATOR },
];

const print = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Runs everything on one machine, from an empty folder: database, API, worker, API reference, console, and a seeded sandbox. */
export async function dev(env: Record<string, string | undefined>): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...env });
  if (config.environment === 'production') throw new Error('dev is for development: use serve and work in production');
  outliveReaders();
  endOnDefects();
  const stopped = untilStopped();
  const running = await start(config, { api: true, worker: true }, { log: notice, watch: linesOf(print, SANDBOX_AGENT) });
  try {
    print(`API        ${running.address}`);
    const { pages, metricsListen } = config;
    print(`Console    ${pages.console ? `${running.address}/console` : 'off (SLUICE_CONSOLE)'}`);
    print(`Reference  ${pages.docs ? `${running.address}/docs` : 'off (SLUICE_DOCS)'}`);
    const noMetrics = metricsListen ? 'none: the address is in use (SLUICE_METRICS_LISTEN)' : 'off (SLUICE_METRICS_LISTEN)';
    print(`Metrics    ${running.metricsAddress ? `${running.metricsAddress}/metrics` : noMetrics}`);
    print(`Data       ${config.dataDir}`);
    await Promise.race([stopped, welcome(running)]);
    await stopped;
  } finally {
    await running.stop();
  }
}

async function welcome(running: Running): Promise<void> {
  const tokens = await issueKeys(running.runtime);
  print();
  for (const { role, organization } of ROLES) print(`${role.padEnd(10)} ${organization}\n  ${tokens.get(role)}\n`);
  print('Try it:\n');
  print(`  export KEY='${tokens.get('originator')}'`);
  print(`  curl -s -H "Authorization: Bearer $KEY" '${running.address}/v1/api/originator/loans?limit=3'\n`);
  const began = performance.now();
  notice('seeding the sandbox …');
  try {
    const seeded = await seedSandbox(running.app as FastifyInstance, running.runtime);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    print(
      seeded.created
        ? `The sandbox has ${seeded.loan_deals.length} loan deals and ${seeded.securitization_deal_ids.length} issued deals: one with its past months, one on the market (${seconds} s).`
        : 'The sandbox has its data from before.',
    );
  } catch (error) {
    notice(`the sandbox could not be seeded: ${(error as Error).message}`);
  }
}

async function issueKeys(runtime: Runtime): Promise<Map<Role, string>> {
  const tokens = new Map<Role, string>();
  for (const { role, organization } of ROLES) {
    const request = {
      organization,
      role,
      environment: runtime.config.environment,
      requester: 'sluice dev',
      use_case: 'local development',
    };
    tokens.set(
      role,
      (await runtime.db.tx({ platform: true }, (tx) => issueKey(tx, platformActor('sluice dev'), request, runtime))).token,
    );
  }
  return tokens;
}
