import { type ApiFailure, send } from '../lib/api.ts';
import { put } from '../lib/files.ts';
import { html, type VNode } from '../lib/view.ts';
import { sendFile, type ReportProgress } from '../parts/send-file.ts';
import type { InitiatedTape } from '../wire/api.ts';

export type Start = (file: { fileName: string; fileFormat: string; fileSize: number }) => Promise<InitiatedTape>;
/** `sent` receives the deal's id when its checks have started; `blocked` says what the user still has to choose. */
type SendProps = { start: Start; sent: (dealId: string) => void; blocked?: string | null };

const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PARQUET = 'application/vnd.apache.parquet';

/** Uploads a tape: requests an upload address, sends the bytes there, and completes the upload. */
export const sendTape = ({ start, sent, blocked = null }: SendProps): VNode =>
  sendFile({
    // A browser compares the last extension alone: `.gz` is what offers `.csv.gz`.
    accept: '.csv,.gz,.txt,.tsv,.xlsx,.parquet,.pq,text/csv',
    title: 'Drop a tape here, or choose a file',
    hint: 'CSV, plain or packed with gzip, XLSX or Parquet, with the headers of your servicing system',
    button: 'Send the tape',
    upload: async (file, report) => sent(await uploadTape(file, start, report)),
    blocked,
    remedy: draftOf,
  });

async function uploadTape(file: File, start: Start, report: ReportProgress): Promise<string> {
  report({ name: 'Requesting an upload address', share: 0 });
  const upload = await start({ fileName: file.name, fileFormat: formatOf(file.name), fileSize: file.size });
  await put(upload, file, (share) => report({ name: `Sending: ${Math.round(share * 100)} %`, share }));
  report({ name: 'Reading the header', share: 1 });
  await send('POST', '/v1/api/originator/loans/complete', { dealId: upload.deal_id, fileName: file.name });
  return upload.deal_id;
}

/** The format that a file has by its name; text without a known one, also when it is packed. */
function formatOf(name: string): string {
  if (/\.xlsx$/i.test(name)) return XLSX;
  return /\.(?:parquet|pq)$/i.test(name) ? PARQUET : CSV;
}

/** Links to the draft of the same loan type that blocks a new one. */
function draftOf(failure: ApiFailure): VNode | null {
  const draft = failure.extra.existing_deal_id;
  return typeof draft === 'string'
    ? html`<p><a href="#/deals/${draft}">Open the draft</a> to send this file into it, or to delete it.</p>`
    : null;
}
