import type { ApiFailure } from '../lib/api.ts';
import { bytes } from '../lib/format.ts';
import { useAction } from '../lib/load.ts';
import { type Content, h, html, useState, type VNode } from '../lib/view.ts';
import { bar } from './bars.ts';
import { problem } from './problem.ts';

type Phase = { name: string; share: number };
export type ReportProgress = (phase: Phase) => void;

export type SendOptions = {
  accept: string;
  title: string;
  hint: string;
  button: string;
  /** Uploads the file and reports its progress. */
  upload: (file: File, report: ReportProgress) => Promise<void>;
  /** The choice that is still missing; null when there is none. */
  blocked?: string | null;
  /** What the user can do about a refusal, if anything. */
  remedy?: (failure: ApiFailure) => Content;
};

/** A field for a file, dropped or chosen, and a button that uploads it. */
export const sendFile = (options: SendOptions): VNode => h(SendFile, options);

function SendFile({ accept, title, hint, button, upload, blocked, remedy }: SendOptions): VNode {
  const [file, setFile] = useState<File | null>(null);
  const [over, setOver] = useState(false);
  const [phase, setPhase] = useState<Phase | null>(null);
  const sending = useAction(async () => {
    if (!file) return;
    await upload(file, setPhase).finally(() => setPhase(null));
    setFile(null);
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
  const choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    setFile(input.files?.[0] ?? null);
    // Without this, choosing the same file again after a correction would fire no event.
    input.value = '';
  };
  return html`
    <div class="send">
      <label class="drop ${over && 'over'}" onDragOver=${drag} onDragLeave=${() => setOver(false)} onDrop=${drop}>
        <input type="file" accept=${accept} disabled=${sending.busy} onChange=${choose} />
        ${
          file
            ? html`<strong>${file.name}</strong><span class="fine">${bytes(file.size)} · choose another</span>`
            : html`<strong>${title}</strong><span class="fine">${hint}</span>`
        }
      </label>
      ${phase && html`<div class="progress" role="status"><span>${phase.name}</span>${bar(phase.share)}</div>`}
      ${problem(sending.problem)} ${sending.problem && remedy?.(sending.problem)}
      <button type="button" class="primary" disabled=${!file || sending.busy || Boolean(blocked)} onClick=${() => void sending.run()}>
        ${sending.busy ? 'Sending…' : button}
      </button>
      ${blocked && html`<p class="fine">${blocked}</p>`}
    </div>
  `;
}
