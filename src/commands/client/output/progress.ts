import type { UploadProgress } from 'sluice-sdk';

const WIDTH = 24;

/** A bar on standard error, on a terminal only. */
export function progressBar(): { show(progress: UploadProgress): void; end(): void } {
  if (!process.stderr.isTTY) return { show: () => {}, end: () => {} };
  const draw = (label: string, done: number, total: number | null): void => {
    const share = total ? Math.min(1, done / total) : 0;
    const filled = Math.round(share * WIDTH);
    const figure = total ? `${Math.floor(share * 100)} %` : String(done);
    process.stderr.write(`\r\u001b[K${label.padEnd(9)} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${figure}`);
  };
  return {
    show: (progress) => {
      if (progress.phase === 'UPLOAD') draw('UPLOAD', progress.sentBytes, progress.totalBytes);
      else if (progress.checks) draw(progress.checks.stage, progress.checks.done, progress.checks.total);
    },
    end: () => void process.stderr.write('\r\u001b[K'),
  };
}
