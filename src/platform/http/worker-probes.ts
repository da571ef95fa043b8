import type { Deps } from '../deps.ts';
import type { ProbeReply, Probes } from '../metrics-listener.ts';
import { readiness } from './readiness.ts';

/**
 * The probes of a worker. `/livez` fails when one of its loops is stalled, which a restart repairs. `/readyz` fails when a dependency is
 * unreachable, which a restart does not repair.
 */
export function workerProbes(deps: Deps): Probes {
  return {
    '/livez': async () => {
      const stalled = deps.heartbeat.stalled();
      if (stalled.length > 0) deps.log.error({ loops: stalled }, 'a loop of this worker is stalled');
      return json(stalled.length === 0, { status: stalled.length === 0 ? 'ok' : 'stalled', stalled });
    },
    '/readyz': async () => {
      const { ready, checks } = await readiness(deps);
      return json(ready, { status: ready ? 'ok' : 'unavailable', checks });
    },
  };
}

const json = (passed: boolean, body: unknown): ProbeReply => ({
  status: passed ? 200 : 503,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});
