import { ApiFailure, send } from '../lib/api.ts';
import { put } from '../lib/files.ts';
import { bytes } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { bar } from '../parts/bars.ts';
import { problem } from '../parts/problem.ts';
import type { Upload } from '../wire/deal.ts';

export type Start = (file: { fileName: string; fileFormat: string; fileSize: number }) => Promise<Upload>;
/** `sent` is told the deal once its checks have begun; `blocked` says what is still to be chosen. */
type SendProps = { start: Start; sent: (dealId: string) => void; blocked?: string | null };
type Phase = { name: string; share: number };

const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Takes a file and brings it to the gateway: an address is asked for, the bytes go there, and the upload is completed. */
export function SendTape({ start, sent, blocked }: SendProps): VNode {
  const [file, setFile] = useState<File | null>(null);
  const [over, setOver] = useState(false);
  const [phase, setPhase] = useState<Phase | null>(null);
  const sending = useAction(async () => {
    if (!file) return;
    try {
      sent(await bring(file, start, setPhase));
    } finally {
      setPhase(null);
    }
  });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer?.files[0] && !sending.busy) setFile(event.dataTransfer.files[0]);
  };
  const drag = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  return html`
    <div class="send">
      <label class="drop ${over && 'over'}" onDragOver=${drag} onDragLeave=${() => setOver(false)} onDrop=${drop}>
        <input type="file" accept=".csv,.xlsx,.txt,text/csv" disabled=${sending.busy} onChange=${(event: Event) => setFile((event.target as HTMLInputElement).files?.[0] ?? null)} />
        ${
          file
            ? html`<strong>${file.name}</strong><span class="fine">${bytes(file.size)} · choose another</span>`
            : html`<strong>Drop a tape here, or choose a file</strong><span class="fine">CSV or XLSX, with the headers of your servicing system</span>`
        }
      </label>
      ${phase && html`<div class="progress" role="status"><span>${phase.name}</span>${bar(phase.share)}</div>`}
      ${problem(sending.problem)} ${sending.problem && draftOf(sending.problem)}
      <button type="button" class="primary" disabled=${!file || sending.busy || Boolean(blocked)} onClick=${() => void sending.run()}>
        ${sending.busy ? 'Sending…' : 'Send the tape'}
      </button>
      ${blocked && html`<p class="fine">${blocked}</p>`}
    </div>
  `;
}

async function bring(file: File, start: Start, tell: (phase: Phase) => void): Promise<string> {
  const fileFormat = /\.xlsx$/i.test(file.name) ? XLSX : CSV;
  tell({ name: 'Asking for an address', share: 0 });
  const upload = await start({ fileName: file.name, fileFormat, fileSize: file.size });
  tell({ name: 'Sending', share: 0 });
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
