import type { Deps } from '../deps.ts';
import type { ProbeReply, Probes } from '../metrics-listener.ts';
import { readiness } from './readiness.ts';

/**
 * The probes of a process that works. `/livez` fails when one of its loops stands still: a restart helps. `/readyz` fails when what it needs
 * is away: a restart does not.
 */
export function workerProbes(deps: Deps): Probes {
  return {
    '/livez': async () => {
      const late = deps.heartbeat.late();
      if (late.length > 0) deps.log.error({ loops: late }, 'a loop of this worker stands still');
      return json(late.length === 0, { status: late.length === 0 ? 'ok' : 'stalled', stalled: late });
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
