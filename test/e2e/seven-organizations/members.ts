import assert from 'node:assert/strict';
import type { Role } from '../../../src/platform/http/caller.ts';
import { housekeeping, tellNotices } from '../../../src/worker.ts';
import { type Answer, codeOf, type Envelope, type Gateway, type Holder, startGateway } from '../../support/gateway.ts';
import { type Received, type Receiver, startReceiver } from '../../support/receivers.ts';
import { put } from '../../support/tapes.ts';

export type Data = Envelope['data'];

/** An act by a key that the platform acknowledged, or refused and wrote down; in the order of the responses. */
export type Act = {
  key_id: string;
  request: string;
  /** Actions of the audit log that it leaves, in their order. */
  audited: readonly string[];
  /** Everything that its response said. */
  response: string;
};

type Audited = string | readonly string[];

/** An organization with a key and a receiver of its own, and what it sees: every response and every post. */
export type Member = {
  name: string;
  role: Role;
  holder: Holder;
  hook: Receiver;
  /** The posts that its receiver took. */
  taken: Received[];
  /** Secret of its webhook subscription. */
  secret: string;
  /** The body of every response to its keys. */
  heard: string[];
  get(path: string): Promise<Envelope>;
  post(path: string, body?: object, audited?: Audited): Promise<Data>;
  put(path: string, body: object, audited?: Audited): Promise<Data>;
  patch(path: string, body: object, audited?: Audited): Promise<Data>;
  remove(path: string, audited?: Audited): Promise<Data>;
  /** A request that must be refused so. */
  refused(request: [method: string, path: string, body?: object], refusal: [number, string], audited?: Audited): Promise<Answer>;
  /** The same organization with another key. */
  withKey(holder: Holder): Member;
};

export type Market = Awaited<ReturnType<typeof openMarket>>;

const ORGANIZATIONS = {
  harbor: ['Harbor Lending', 'originator'],
  ridge: ['Ridge Credit', 'originator'],
  twin: ['Twin Capital', 'both'],
  northgate: ['Northgate Partners', 'investor'],
  elm: ['Elm Street Fund', 'investor'],
  summit: ['Summit Insurance', 'investor'],
  platform: ['Platform Operations', 'operator'],
} as const satisfies Record<string, [string, Role]>;

export type Organization = keyof typeof ORGANIZATIONS;
export const NAMES = Object.keys(ORGANIZATIONS) as Organization[];
export const INVESTORS = ['twin', 'northgate', 'elm', 'summit'] as const satisfies Organization[];
export const SELLERS = ['harbor', 'ridge', 'twin'] as const satisfies Organization[];

/** A gateway with seven organizations, each with a key and a receiver that gets every event; it opens on the first of December 2026. */
export async function openMarket() {
  const gateway = await startGateway();
  await gateway.setClock('2026-12-01T15:00:00Z');
  const acts: Act[] = [];
  const outages = new Set<Organization>();
  const open = async (name: Organization): Promise<[Organization, Member]> => {
    const [organization, role] = ORGANIZATIONS[name];
    const taken: Received[] = [];
    const hook = await startReceiver((response, _request, received) => {
      const isDown = outages.has(name);
      if (!isDown) taken.push(received);
      response.writeHead(isDown ? 503 : 204).end();
    });
    const holder = await gateway.key(role, organization);
    const member = memberOf(gateway, acts, { name: organization, role, holder, hook, taken });
    const { secret } = await member.post('webhooks/subscriptions', { url: hook.url }, 'webhook_subscription.create');
    return [name, Object.assign(member, { secret })];
  };
  const opened: [Organization, Member][] = [];
  for (const name of NAMES) opened.push(await open(name));
  const members = Object.fromEntries(opened) as Record<Organization, Member>;
  /** Does what workers do: jobs, notices, what is due with time, and deliveries. */
  const work = async (): Promise<void> => {
    await gateway.runJobs();
    await tellNotices(gateway.deps);
    await housekeeping(gateway.deps);
    await gateway.runDeliveries();
  };
  return {
    ...members,
    members,
    gateway,
    acts,
    /** Organizations whose receivers answer 503 now. */
    outages,
    work,
    /** The clock goes on to an instant, and workers do what became due by then. */
    async reach(instant: string): Promise<void> {
      await gateway.setClock(instant);
      await work();
    },
    async [Symbol.asyncDispose]() {
      for (const { hook } of Object.values(members)) await hook[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

function memberOf(gateway: Gateway, acts: Act[], own: Pick<Member, 'name' | 'role' | 'holder' | 'hook' | 'taken'>): Member {
  const base = own.role === 'operator' ? '/v1/operator/' : '/v1/api/';
  const heard: string[] = [];
  const speakerOf = (holder: Holder): Member => {
    const send = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await gateway.call(method, `${base}${path}`, { as: holder, ...(body === undefined ? {} : { body }) });
      heard.push(answer.text);
      return answer;
    };
    const keep = (request: string, answer: Answer, audited: Audited): void => {
      acts.push({ key_id: holder.key_id, request, audited: [audited].flat(), response: answer.text });
    };
    const act = async (method: string, path: string, body: object | undefined, audited: Audited = []): Promise<Data> => {
      const answer = await send(method, path, body);
      assert.ok(answer.status < 300, `${own.name}: ${method} ${path} answered ${answer.status}: ${answer.text}`);
      keep(`${method} ${path}`, answer, audited);
      return answer.body.data;
    };
    return {
      ...own,
      holder,
      secret: '',
      heard,
      async get(path) {
        const answer = await send('GET', path);
        assert.equal(answer.status, 200, `${own.name}: GET ${path} answered ${answer.status}: ${answer.text}`);
        return answer.body;
      },
      post: (path, body, audited) => act('POST', path, body, audited),
      put: (path, body, audited) => act('PUT', path, body, audited),
      patch: (path, body, audited) => act('PATCH', path, body, audited),
      remove: (path, audited) => act('DELETE', path, undefined, audited),
      async refused([method, path, body], refusal, audited = []) {
        const answer = await send(method, path, body);
        assert.deepEqual(codeOf(answer), refusal, `${own.name}: ${method} ${path}: ${answer.text}`);
        keep(`${method} ${path}`, answer, audited);
        return answer;
      },
      withKey: speakerOf,
    };
  };
  return speakerOf(own.holder);
}

/** Sends bytes to the signed address of a response. */
export async function upload(gateway: Gateway, opened: Data, bytes: Buffer | string): Promise<void> {
  const answer = { status: 201, headers: {}, body: { success: true, data: opened }, text: '' };
  const sent = await put(gateway, answer, bytes);
  assert.equal(sent.status, 200, sent.text);
}
