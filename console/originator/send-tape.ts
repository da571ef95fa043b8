import { type ApiFailure, send } from '../lib/api.ts';
import { put } from '../lib/files.ts';
import { html, type VNode } from '../lib/view.ts';
import { sendFile, type Tell } from '../parts/send-file.ts';
import type { InitiatedTape } from '../wire/api.ts';

export type Start = (file: { fileName: string; fileFormat: string; fileSize: number }) => Promise<InitiatedTape>;
/** `sent` is told the deal once its checks have begun; `blocked` says what is still to be chosen. */
type SendProps = { start: Start; sent: (dealId: string) => void; blocked?: string | null };

const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Takes a tape and brings it to the gateway: an address is asked for, the bytes go there, and the upload is completed. */
export const sendTape = ({ start, sent, blocked = null }: SendProps): VNode =>
  sendFile({
    accept: '.csv,.xlsx,.txt,text/csv',
    title: 'Drop a tape here, or choose a file',
    hint: 'CSV or XLSX, with the headers of your servicing system',
    button: 'Send the tape',
    bring: async (file, tell) => sent(await bring(file, start, tell)),
    blocked,
    wayOut: draftOf,
  });

async function bring(file: File, start: Start, tell: Tell): Promise<string> {
  const fileFormat = /\.xlsx$/i.test(file.name) ? XLSX : CSV;
  tell({ name: 'Asking for an address', share: 0 });
  const upload = await start({ fileName: file.name, fileFormat, fileSize: file.size });
  await put(upload, file, (share) => tell({ name: `Sending: ${Math.round(share * 100)} %`, share }));
  tell({ name: 'Reading the header', share: 1 });
  await send('POST', '/v1/api/originator/loans/complete', { dealId: upload.deal_id, fileName: file.name });
  return upload.deal_id;
}

/** A draft of the same loan type stands in the way: the way there. */
function draftOf(failure: ApiFailure): VNode | null {
  const draft = failure.extra.existing_deal_id;
  return typeof draft === 'string'
    ? html`<p><a href="#/deals/${draft}">Open the draft</a> to send this file into it, or to delete it.</p>`
    : null;
}
