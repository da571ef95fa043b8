import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../src/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded.ts';
import { insertListedDeal } from '../../support/market.ts';
import { startReceiver } from '../../support/receivers.ts';
import { until } from '../../support/until.ts';
import { ask, issueKey } from '../processes.ts';
import { type Line, openBooks } from './books.ts';
import { faultsOf, spread } from './chaos.ts';
import { type Client, createClient, type Tally } from './client.ts';
import { type EventVerdict, judgeEvents, type Taken } from './events.ts';
import { createRandom } from './random.ts';
import { createSite, type Site } from './site.ts';
import { approve, invest, type Offer, originate, trade, type Writing } from './writers.ts';

export type DrillOptions = {
  /** How long faults happen; or the names of those that happen, once each. */
  extent: { seconds: number } | { faults: readonly string[] };
  seed: number;
  log(line: string): void;
};

export type Verdict = {
  seed: number;
  faults: Record<string, number>;
  /** Faults that this machine cannot be made to have. */
  skipped: string[];
  acknowledged: number;
  attempts: number;
  unanswered: number;
  lines: Line[];
  /** Writes that were refused though nothing was wrong with them. */
  refused: string[];
  events: EventVerdict;
  ledger: { valid: boolean; problems: string[] };
  auditValid: boolean;
};

const SETTLED_MS = 180_000;
const LEAST_WRITES = 60;
const LAST_WRITE_MS = 120_000;
const RETRIES = ['500ms', '1s', '1s', '2s', '2s', '2s', ...Array.from({ length: 12 }, () => '5s')].join();
const ROLES = [
  ['Harbor', 'originator'],
  ['Mercer', 'originator'],
  ['Northgate', 'investor'],
  ['Southgate', 'investor'],
  ['Westgate', 'investor'],
] as const;
const DEAL_SIZE = 10_000_000_000;

/**
 * Clients write while processes, database, disk and receiver fail; then everything that was acknowledged is looked for, and every
 * event at its receiver. The clients know the public API alone.
 */
export async function runDrill(options: DrillOptions): Promise<Verdict> {
  const { extent, seed, log } = options;
  await using receiver = await openReceiver();
  await using site = await createSite({ SLUICE_WEBHOOK_RETRIES: RETRIES });
  const tally: Tally = { attempts: 0, unanswered: 0, refused: [] };
  const state = { over: false, deadline: Number.POSITIVE_INFINITY };
  const fleet = {
    addresses: () => site.apis.flatMap(({ running }) => (running ? [running.address] : [])),
    deadline: () => state.deadline,
  };
  const { clients, operator } = await openClients(site, (token, name) => createClient(fleet, tally, token, name));
  const books = openBooks();
  for (const client of clients) {
    const url = `${receiver.url}/${client.organization}`;
    const { id } = await client.write('POST', '/v1/api/webhooks/subscriptions', { url });
    books.acknowledge(client, 'receiver', id, { url });
  }
  const [harbor, mercer, northgate, southgate, westgate] = clients as [Client, Client, Client, Client, Client];
  const [market, ...offers] = (await listOffers(site, harbor, 'seconds' in extent ? 2 + Math.ceil(extent.seconds / 3) : 10)) as [
    Offer,
    ...Offer[],
  ];

  const random = createRandom(seed);
  const goesOn = (): boolean => !state.over;
  const writing = (): Writing => ({ books, random: createRandom(random.between(0, 2 ** 31)), goesOn });
  const approved = new Set<string>();
  const lanes = Promise.all([
    originate(harbor, writing()),
    originate(mercer, writing()),
    invest(northgate, market, writing()),
    invest(southgate, market, writing()),
    approve(operator, writing(), approved),
    trade(westgate, operator, offers, writing()),
  ]);
  // A lane that fails says so when it is awaited, after the last fault has been repaired.
  lanes.catch(() => {});
  const faults = await spread(site, faultsOf(site, receiver.refuse), random, extent, log);
  // On a slow machine the faults are over before there is much to look for.
  const isEnough = until(() => books.count() > LEAST_WRITES, LAST_WRITE_MS, `${LEAST_WRITES} acknowledged writes`);
  await Promise.race([isEnough, lanes]);
  state.over = true;
  state.deadline = Date.now() + LAST_WRITE_MS;
  await lanes;
  state.deadline = Number.POSITIVE_INFINITY;
  const { attempts, unanswered } = tally;
  for (const id of approved) books.amend('deal', id, { status: 'APPROVED' });

  log('the faults are over: looking for what was acknowledged');
  const lines = await settle(
    () => books.compare(),
    (seen) => seen.every(({ lost }) => lost.length === 0),
  );
  if (lines.some(({ lost }) => lost.length > 0)) for (const line of failedJobs(site)) log(line);
  const events = await settle(
    () => judgeEvents(clients, books, receiver.taken),
    ({ undelivered, missing }) => undelivered.length + missing.length === 0,
  );
  return {
    seed,
    faults,
    skipped: site.disk ? [] : ['the disk is full'],
    acknowledged: books.count(),
    attempts,
    unanswered,
    lines,
    refused: tally.refused,
    events,
    ledger: JSON.parse((await site.machine.run(['ledger', 'verify'])).stdout),
    auditValid: (await operator.read('/v1/operator/audit/verify')).data.valid,
  };
}

/** Looks until all is well: queued work goes on. What is not well by the deadline is so for good. */
async function settle<Seen>(look: () => Promise<Seen>, isWell: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = Date.now() + SETTLED_MS;
  for (;;) {
    const seen = await look();
    if (isWell(seen) || Date.now() > deadline) return seen;
    await sleep(1_000);
  }
}

/** What the processes logged of jobs that failed or were given up. */
function failedJobs({ machine }: Site): string[] {
  return machine
    .stderr()
    .split('\n')
    .filter((line) => /"msg":"(?:job failed|gave up)/.test(line));
}

/** Takes events, or refuses them, and counts those that it took. */
async function openReceiver(): Promise<{ url: string; taken: Taken; refuse(on: boolean): void } & AsyncDisposable> {
  let refusing = false;
  const taken: Taken = new Map();
  const receiver = await startReceiver((response, _request, { path, headers }) => {
    if (refusing) return void response.writeHead(503).end();
    const organization = path.split('/').at(-1) ?? '';
    const copies = taken.get(organization) ?? new Map<string, number>();
    const id = String(headers['webhook-id']);
    taken.set(organization, copies.set(id, (copies.get(id) ?? 0) + 1));
    response.writeHead(204).end();
  });
  return {
    url: receiver.url,
    taken,
    refuse: (on) => {
      refusing = on;
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

type Opened = { clients: Client[]; operator: Client };

/** The first key comes from the command line, the others from the operator's API. */
async function openClients(site: Site, open: (token: string, name: string) => Client): Promise<Opened> {
  const token = await issueKey(site.machine, 'operator', 'Platform');
  const [api] = site.apis;
  if (!api?.running) throw new Error('no API process runs');
  const clients: Client[] = [];
  for (const [organization, role] of ROLES) {
    const request = { organization, role, environment: 'development', requester: 'a drill', use_case: 'a drill' };
    const issued = await ask(api.running, 'POST', '/v1/operator/keys', { token, body: request });
    if (issued.status !== 201)
      throw new Error(`the key of ${organization} answered ${issued.status}: ${JSON.stringify(issued.body)}`);
    clients.push(open(issued.body.data.token, organization));
  }
  return { clients, operator: open(token, 'Platform') };
}

/** Deals on the market, as their issue leaves them. */
async function listOffers(site: Site, originator: Client, count: number): Promise<Offer[]> {
  const { organization_id } = (await originator.read('/v1/api/me')).data;
  const server = await startEmbeddedPostgres({ directory: join(site.machine.dataDir, 'postgres') });
  const database = openDatabase({ url: server.url, max: 1 });
  const offers: Offer[] = [];
  try {
    for (let number = 1; number <= count; number += 1) {
      const listed = { name: `Drill ${number}`, tranches: [{ balance: DEAL_SIZE }] };
      const { deal_id, tranches } = await database.tx({ platform: true }, (tx) => insertListedDeal(tx, organization_id, listed));
      offers.push({ deal_id, tranche_id: tranches[0] as string });
    }
    return offers;
  } finally {
    await database[Symbol.asyncDispose]();
    await server.stop();
  }
}
