import type { Answer, Gateway, Holder } from './gateway.ts';

export const CSV = 'text/csv';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export type Sent = { deal_id: string; completed: Answer };

/** Sends a tape the way a client does: initiate, PUT to the signed address, complete. The checks are queued, not run. */
export async function sendTape(
  gateway: Gateway,
  holder: Holder,
  tape: { loanType: string; fileName?: string; fileFormat?: string; bytes: Buffer | string; name?: string },
): Promise<Sent> {
  const fileName = tape.fileName ?? 'tape.csv';
  const initiated = await gateway.call('POST', '/v1/api/originator/loans/initiate', {
    as: holder,
    body: { loanType: tape.loanType, fileFormat: tape.fileFormat ?? CSV, fileName, ...(tape.name ? { name: tape.name } : {}) },
  });
  if (initiated.status !== 201) throw new Error(`initiate answered ${initiated.status}: ${JSON.stringify(initiated.body)}`);
  await put(gateway, initiated, tape.bytes);
  const deal_id: string = initiated.body.data.deal_id;
  const completed = await gateway.call('POST', '/v1/api/originator/loans/complete', {
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
