import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import type { Role } from '../../platform/http/route.ts';
import { issueKey } from '../keys/issue-key.ts';

const CALLS_PER_KEY = 40;

// oxlint-disable-next-line typescript/no-explicit-any
export type Data = any;

/** A member of the sandbox who speaks to the gateway as any client does, through the whole HTTP layer. */
export type Member = {
  organization: string;
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Data>;
  /** Sends bytes to a signed address. */
  put(answer: Data, bytes: Buffer): Promise<void>;
};

export class SandboxStepFailed extends Error {}

/** Keys are made as needed and live a short while: a member never meets the limit of a single key. */
export function createMember(app: FastifyInstance, deps: Deps, organization: string, role: Role): Member {
  let token = '';
  let left = 0;
  const freshToken = async (): Promise<string> => {
    if (left === 0) {
      const request = {
        organization,
        role,
        environment: deps.config.environment,
        requester: 'sandbox',
        use_case: 'seeding',
        expires_in_seconds: 900,
      };
      token = (await deps.db.tx({ platform: true }, (tx) => issueKey(tx, deps.tokens, request, 'sandbox'))).token;
      left = Math.min(CALLS_PER_KEY, deps.config.rateLimit);
    }
    left -= 1;
    return token;
  };
  return {
    organization,
    async call(method, path, body) {
      const response = await app.inject({
        method,
        url: path,
        headers: {
          authorization: `Bearer ${await freshToken()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      const answer = JSON.parse(response.payload || '{}') as { data?: Data; message?: string; errors?: unknown };
      if (response.statusCode >= 400) {
        throw new SandboxStepFailed(
          `${method} ${path} answered ${response.statusCode}: ${answer.message} ${JSON.stringify(answer.errors ?? '')}`,
        );
      }
      return answer.data;
    },
    async put(answer: { upload_url: string; upload_headers: Record<string, string> }, bytes) {
      const response = await app.inject({
        method: 'PUT',
        url: new URL(answer.upload_url).pathname,
        headers: answer.upload_headers,
        payload: bytes,
      });
      if (response.statusCode !== 200) throw new SandboxStepFailed(`an upload answered ${response.statusCode}`);
    },
  };
}
