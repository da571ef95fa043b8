import type { Answer, Gateway, Holder } from './gateway.ts';

export const LOANS = '/v1/api/originator/loans';
export const CSV = 'text/csv';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export const PARQUET = 'application/vnd.apache.parquet';

export type Sent = { deal_id: string; completed: Answer };

/** Sends a tape the way a client does: initiate, PUT to the signed address, complete. The checks are queued, not run. */
export async function sendTape(
  gateway: Gateway,
  holder: Holder,
  tape: { loanType: string; fileName?: string; fileFormat?: string; bytes: Buffer | string; name?: string },
): Promise<Sent> {
  const fileName = tape.fileName ?? 'tape.csv';
  const initiated = await gateway.call('POST', `${LOANS}/initiate`, {
    as: holder,
    body: { loanType: tape.loanType, fileFormat: tape.fileFormat ?? CSV, fileName, ...(tape.name ? { name: tape.name } : {}) },
  });
  if (initiated.status !== 201) throw new Error(`initiate answered ${initiated.status}: ${JSON.stringify(initiated.body)}`);
  await put(gateway, initiated, tape.bytes);
  const deal_id: string = initiated.body.data.deal_id;
  const completed = await gateway.call('POST', `${LOANS}/complete`, {
    as: holder,
    body: { dealId: deal_id, fileName },
  });
  return { deal_id, completed };
}

/** PUTs bytes to the signed address of an answer. */
export function put(gateway: Gateway, initiated: Answer, bytes: Buffer | string): Promise<Answer> {
  const { upload_url, upload_headers } = initiated.body.data as { upload_url: string; upload_headers: Record<string, string> };
  return gateway.call('PUT', new URL(upload_url).pathname, { headers: upload_headers, raw: bytes });
}

/** What `initiate` is asked for where a test does not say it. */
export const TAPE = { loanType: 'Auto', fileFormat: CSV, fileName: 'tape.csv' };

/** An organization and its calls about loan tapes; a name that others have too joins them. */
export async function seller(gateway: Gateway, name: string, role: 'originator' | 'both' = 'originator') {
  const as = await gateway.key(role, name);
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.call(method, `${LOANS}${path}`, { as, headers, ...(body === undefined ? {} : { body }) });
  const list = async (path: string) => (await gateway.call('GET', path, { as })).body.data;
  const initiate = (changes: Record<string, unknown> = {}): Promise<Answer> => call('POST', '/initiate', { ...TAPE, ...changes });
  const complete = (dealId: string, fileName = TAPE.fileName): Promise<Answer> => call('POST', '/complete', { dealId, fileName });
  /** Opens the upload of a further version and sends it; the answer of its completion. Its checks are queued, not run. */
  const sendVersion = async (dealId: string, bytes: Buffer | string, mode?: 'REPLACE' | 'MERGE'): Promise<Answer> => {
    const body = { fileName: 'next.csv', fileFormat: CSV, ...(mode ? { mode } : {}) };
    const opened = await call('POST', `/${dealId}/tapes`, body);
    if (opened.status !== 201) throw new Error(`tapes answered ${opened.status}: ${JSON.stringify(opened.body)}`);
    await put(gateway, opened, bytes);
    return complete(dealId, 'next.csv');
  };
  /** A deal whose tape was sent and completed; its checks are queued. */
  const sent = async (bytes: Buffer | string = autoTape(5), loanType = 'Auto'): Promise<string> => {
    const { deal_id, completed } = await sendTape(gateway, as, { loanType, bytes });
    if (completed.status !== 202) throw new Error(`complete answered ${completed.status}: ${JSON.stringify(completed.body)}`);
    return deal_id;
  };
  /** A deal whose tape was sent and checked. */
  const checked = async (bytes: Buffer | string = autoTape(5), loanType = 'Auto'): Promise<string> => {
    const dealId = await sent(bytes, loanType);
    await gateway.runJobs();
    return dealId;
  };
  return {
    as,
    call,
    initiate,
    complete,
    sendVersion,
    /** A DRAFT whose bytes were sent and not completed. */
    async uploaded(bytes: Buffer | string = autoTape(5), changes: Record<string, unknown> = {}): Promise<string> {
      const initiated = await initiate(changes);
      if (initiated.status !== 201) throw new Error(`initiate answered ${initiated.status}: ${JSON.stringify(initiated.body)}`);
      await put(gateway, initiated, bytes);
      return initiated.body.data.deal_id;
    },
    sent,
    checked,
    /** A further version, sent and checked; the deal afterwards. */
    async version(dealId: string, bytes: Buffer | string, mode?: 'REPLACE' | 'MERGE') {
      const completed = await sendVersion(dealId, bytes, mode);
      if (completed.status !== 202) throw new Error(`complete answered ${completed.status}: ${JSON.stringify(completed.body)}`);
      await gateway.runJobs();
      return (await call('GET', `/${dealId}`)).body.data;
    },
    /** The deal as its detail tells it. */
    deal: async (dealId: string) => (await call('GET', `/${dealId}`)).body.data,
    map: (dealId: string, ...mappings: unknown[]): Promise<Answer> => call('PUT', `/${dealId}/mapping`, { mappings }),
    /** Events of the organization about a deal, oldest first. */
    events: async (dealId: string): Promise<{ event: string; data: Record<string, unknown> }[]> =>
      (await list('/v1/api/events?limit=100')).filter((each: { data: { deal_id?: string } }) => each.data.deal_id === dealId),
    /** Alerts of the organization about a record, newest first. */
    alerts: async (entityId: string): Promise<{ type: string; priority: string; title: string; message: string }[]> =>
      (await list('/v1/api/alerts?limit=100')).filter((each: { entity_id: string }) => each.entity_id === entityId),
    /** Entries of the audit log about a record, newest first. */
    audited: (entityId: string): Promise<{ action: string; actor: string; before: unknown; after: Record<string, unknown> }[]> =>
      list(`/v1/api/audit?entity_id=${entityId}&limit=100`),
  };
}

export type Seller = Awaited<ReturnType<typeof seller>>;

/** How many jobs wait in the queue. */
export async function waitingJobs(gateway: Gateway): Promise<number> {
  const rows = await gateway.deps.db.direct<{ count: number }>(
    `select count(*)::int as count from pgboss.job where state < 'active'`,
  );
  return rows[0]?.count ?? 0;
}

/** A small clean Auto tape; `change` may spoil a row. */
export function autoTape(rows: number, change: (row: Record<string, string>, index: number) => void = () => {}): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const row: Record<string, string> = {
      'Loan ID': `A${String(index + 1).padStart(6, '0')}`,
      'Contract Date': `2025-0${(index % 9) + 1}-15`,
      Maturity: `2030-0${(index % 9) + 1}-15`,
      'Original Amount Financed': (20_000 + index * 10).toFixed(2),
      'Current Balance': (18_000 + index * 10).toFixed(2),
      'Original Term': '60',
      'Remaining Term': '50',
      'Contract Rate': '7.25',
      FICO: String(620 + (index % 200)),
      'Obligor State': ['TX', 'CA', 'FL', 'NY'][index % 4] ?? 'TX',
      'New/Used': index % 2 ? 'NEW' : 'USED',
      'Days Past Due': '0',
      'Collateral Value': (24_000 + index * 10).toFixed(2),
    };
    change(row, index);
    return row;
  });
  const header = Object.keys(lines[0] ?? {});
  return `${[header.join(','), ...lines.map((row) => header.map((name) => row[name]).join(','))].join('\n')}\n`;
}
