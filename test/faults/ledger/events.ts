import type { Books } from './books.ts';
import { type Client, type Data } from './client.ts';

export type EventVerdict = {
  logged: number;
  /** Events that tell of one change twice. */
  repeated: string[];
  /** Acknowledged changes that no event tells of. */
  missing: string[];
  /** Events that their receiver never took. */
  undelivered: string[];
  /** Requests that the receivers took: at least one for each event. */
  deliveries: number;
};

/** Event ids that each organization's receiver took, with how often. */
export type Taken = Map<string, Map<string, number>>;

/** Compares each organization's log of events with what was acknowledged to it, and with what its receiver took. */
export async function judgeEvents(clients: readonly Client[], books: Books, taken: Taken): Promise<EventVerdict> {
  const verdict: EventVerdict = { logged: 0, repeated: [], missing: [], undelivered: [], deliveries: 0 };
  for (const client of clients) {
    const events = await readEvents(client);
    const copies = taken.get(client.organization) ?? new Map<string, number>();
    verdict.logged += events.length;
    verdict.deliveries += [...copies.values()].reduce((sum, each) => sum + each, 0);
    const known = new Set<string>();
    for (const { id, event, data } of events) {
      const change = changeOf(event, data);
      if (known.has(change) && event !== 'demand.changed') verdict.repeated.push(`${change}: ${id} of ${client.organization}`);
      known.add(change);
      if (!copies.has(id)) verdict.undelivered.push(`${change}: ${id} of ${client.organization}`);
    }
    const expected = changesOf(client, books);
    verdict.missing.push(
      ...expected.filter((change) => !known.has(change)).map((change) => `${change} of ${client.organization}`),
    );
  }
  return verdict;
}

/** The event's name, its record and the status that it tells of. Demand is figures, which may come back to what they were. */
function changeOf(event: string, data: Data): string {
  const record =
    data.trade_id ?? data.allocation_id ?? data.subscription_id ?? data.order_id ?? data.calculation_id ?? data.deal_id;
  return `${event} ${record} ${data.current_status ?? data.current_market_status ?? data.status ?? ''}`;
}

function changesOf(client: Client, books: Books): string[] {
  const deals = [...books.records(client, 'deal')].flatMap(([id, { status }]) => {
    const moves = { QC_COMPLETED: ['IN_REVIEW', 'QC_COMPLETED'], APPROVED: ['IN_REVIEW', 'QC_COMPLETED', 'APPROVED'] };
    const reached = moves[status as keyof typeof moves] ?? [];
    return [
      ...reached.map((move) => `deal.status_changed ${id} ${move}`),
      ...(status === 'APPROVED' ? [`loan.approved ${id} `] : []),
    ];
  });
  const trades = [...books.records(client, 'trade')].flatMap(([id, { status }]) =>
    status === 'SETTLED' ? [`trade.settled ${id} `] : [],
  );
  const moved = (['subscription', 'order'] as const).flatMap((kind) =>
    [...books.records(client, kind)].flatMap(([id, { status }]) =>
      status === 'pending_confirmation' || status === 'OPEN' ? [] : [`${kind}.status_changed ${id} ${status}`],
    ),
  );
  return [...deals, ...trades, ...moved];
}

/** The whole log of an organization's events. */
async function readEvents(client: Client): Promise<{ id: string; event: string; data: Data }[]> {
  const events: { id: string; event: string; data: Data }[] = [];
  for (let after = ''; ; ) {
    const { data } = await client.read(`/v1/api/events?limit=100${after && `&after=${after}`}`);
    if (data.length === 0) return events;
    events.push(...data);
    after = data.at(-1).id;
  }
}
