import type { Client, Data } from './client.ts';

/** A kind of record: where its owner lists it, and what names it there. */
const KINDS = {
  deal: { path: '/v1/api/originator/loans', id: 'id' },
  criteria: { path: '/v1/api/originator/sc/criteria', id: 'criteria_id' },
  receiver: { path: '/v1/api/webhooks/subscriptions', id: 'id' },
  indication: { path: '/v1/api/investor/iois', id: 'ioi_id' },
  subscription: { path: '/v1/api/investor/subscriptions', id: 'subscription_id' },
  order: { path: '/v1/api/investor/orders', id: 'order_id' },
  trade: { path: '/v1/api/investor/trades', id: 'trade_id' },
  alert: { path: '/v1/api/alerts', id: 'id' },
} as const;

export type Kind = keyof typeof KINDS;
/** Alerts are made by the platform: the books know only those that their owner changed. */
const MADE_BY_OTHERS = new Set<Kind>(['alert']);

export type Fields = Record<string, string | number>;
export type Line = { kind: Kind; acknowledged: number; lost: string[]; twice: string[] };

/** What each organization was told, record by record, with the last acknowledged content of each. */
export type Books = {
  /** Keeps what a response acknowledged: a new record, or a change of one. */
  acknowledge(client: Client, kind: Kind, id: string, fields: Fields): void;
  /** What another party's acknowledged act made of a record. */
  amend(kind: Kind, id: string, fields: Fields): void;
  records(client: Client, kind: Kind): ReadonlyMap<string, Fields>;
  count(): number;
  /** Reads everything back: what is gone or other than acknowledged is lost, what nobody was told of was made twice. */
  compare(): Promise<Line[]>;
};

export function openBooks(): Books {
  const books = new Map<Client, Map<Kind, Map<string, Fields>>>();
  let writes = 0;
  return {
    count: () => writes,
    records: (client, kind) => books.get(client)?.get(kind) ?? new Map(),
    acknowledge(client, kind, id, fields) {
      writes += 1;
      const own = books.get(client) ?? new Map<Kind, Map<string, Fields>>();
      const records = own.get(kind) ?? new Map<string, Fields>();
      books.set(client, own.set(kind, records.set(id, { ...records.get(id), ...fields })));
    },
    amend(kind, id, fields) {
      for (const own of books.values()) {
        const record = own.get(kind)?.get(id);
        if (record) own.get(kind)?.set(id, { ...record, ...fields });
      }
    },
    async compare() {
      const lines = new Map<Kind, Line>();
      for (const [client, own] of books) {
        for (const [kind, records] of own) {
          const line = lines.get(kind) ?? { kind, acknowledged: 0, lost: [], twice: [] };
          lines.set(kind, line);
          const found = new Map((await readAll(client, kind)).map((row) => [row[KINDS[kind].id] as string, row]));
          line.acknowledged += records.size;
          for (const [id, fields] of records) {
            const row = found.get(id);
            const differs = difference(row, fields);
            if (!differs) continue;
            const checks = row && kind === 'deal' ? await checksOf(client, id) : '';
            line.lost.push(`${kind} ${id} of ${client.organization}: ${differs}${checks}`);
          }
          if (MADE_BY_OTHERS.has(kind)) continue;
          for (const id of found.keys()) if (!records.has(id)) line.twice.push(`${kind} ${id} of ${client.organization}`);
        }
      }
      return [...lines.values()];
    },
  };
}

function difference(row: Data | undefined, fields: Fields): string | null {
  if (!row) return 'is not there';
  const wrong = Object.entries(fields).filter(([name, value]) => row[name] !== value);
  return wrong.length === 0
    ? null
    : wrong.map(([name, value]) => `${name} is ${row[name]}, acknowledged was ${value}`).join('; ');
}

/** Where the checks of a deal are: those that were given up leave its status as it is. */
async function checksOf(client: Client, dealId: string): Promise<string> {
  return `; its checks: ${JSON.stringify((await client.read(`${KINDS.deal.path}/${dealId}`)).data.qc)}`;
}

async function readAll(client: Client, kind: Kind): Promise<Data[]> {
  const rows: Data[] = [];
  for (let page = 1; ; page += 1) {
    const body = await client.read(`${KINDS[kind].path}?limit=100&page=${page}`);
    rows.push(...body.data);
    if (body.data.length < 100) return rows;
  }
}
