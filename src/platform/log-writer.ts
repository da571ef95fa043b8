import { write } from 'node:fs';

export type LogWriter = {
  /** Takes a line with its line feed; never throws and never waits. */
  write(line: string): void;
  /** Resolves when every line is written or dropped, after `FLUSH_MS` at the latest. */
  flush(): Promise<void>;
};

export type LogWriterOptions = {
  fd: number;
  /** Called with the number of dropped lines. */
  onDropped(lines: number): void;
  write?: typeof write;
  /** How long a writer waits after a failure before it tries again. */
  retryMs?: number;
};

const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const BATCH_BYTES = 64 * 1024;
const RETRY_MS = 1_000;
const BUSY_MS = 50;
const FLUSH_MS = 1_000;
const BUSY_CODES = ['EAGAIN', 'EBUSY', 'EINTR'];
const LINE_FEED = 0x0a;

/**
 * Writes log lines to a descriptor without ever blocking the process. When the disk is full, or the reader has gone or is slower than the
 * log, lines are dropped and counted; once it works again, the first line is a warning with their number.
 */
export const createLogWriter = (options: LogWriterOptions): LogWriter => new DescriptorWriter(options);

type Written = (error: NodeJS.ErrnoException | null, written: number, buffer: Buffer) => void;

class DescriptorWriter implements LogWriter {
  readonly #options: LogWriterOptions;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #busy = false;
  /** Why nothing can be written at present; null when it works. */
  #failure: string | null = null;
  #dropped = 0;
  /** The last line was cut: the next one starts on a line of its own. */
  #torn = false;
  #flushed: (() => void)[] = [];

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#failure !== null || this.#waitingBytes + line.length > MOST_WAITING_BYTES) return this.#drop(1);
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#pump();
  }

  async flush(): Promise<void> {
    if (!this.#busy && this.#waiting.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#flushed.push(resolve);
      timer = setTimeout(resolve, FLUSH_MS);
    });
    clearTimeout(timer);
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#options.onDropped(lines);
  }

  #pump(): void {
    if (this.#busy || this.#failure !== null || (this.#waiting.length === 0 && this.#dropped === 0)) return;
    const warned = this.#dropped;
    const head = Buffer.from(this.#headOf(warned, 'the log could not keep up'));
    let text = '';
    while (this.#waiting.length > 0 && text.length < BATCH_BYTES) text += this.#waiting.shift() ?? '';
    this.#send(Buffer.concat([head, Buffer.from(text)]), (error, written, buffer) => {
      this.#waitingBytes = this.#waiting.reduce((sum, line) => sum + line.length, 0);
      if (!error || written >= head.length) this.#dropped -= warned;
      if (!error) return this.#pump();
      this.#drop(linesIn(buffer.subarray(Math.max(head.length, written))) + this.#waiting.splice(0).length);
      this.#waitingBytes = 0;
      this.#retry(error);
    });
  }

  /** Retries with only the warning until it can be written. */
  #retry(error: NodeJS.ErrnoException): void {
    const reason = error.code ?? error.message;
    this.#failure = reason;
    const probe = (): void => {
      const warned = this.#dropped;
      this.#send(Buffer.from(this.#headOf(warned, reason)), (again) => {
        if (again) return this.#retry(again);
        this.#failure = null;
        this.#dropped -= warned;
        this.#pump();
      });
    };
    setTimeout(probe, this.#options.retryMs ?? RETRY_MS).unref();
  }

  /** The start of a write: the end of a line that was cut, and a warning when some were dropped. */
  #headOf(lines: number, reason: string): string {
    return (this.#torn ? '\n' : '') + (lines > 0 ? warning(lines, reason) : '');
  }

  /** Writes the whole buffer, waiting for a slow reader. */
  #send(buffer: Buffer, done: Written): void {
    const { fd, write: writeTo = write } = this.#options;
    this.#busy = true;
    const end = (error: NodeJS.ErrnoException | null, written: number): void => {
      this.#busy = false;
      if (written > 0) this.#torn = buffer[written - 1] !== LINE_FEED;
      done(error, written, buffer);
      if (!this.#busy) for (const resolve of this.#flushed.splice(0)) resolve();
    };
    const from = (start: number): void =>
      writeTo(fd, buffer, start, buffer.length - start, null, (error, count) => {
        if (error && BUSY_CODES.includes(error.code ?? '')) setTimeout(from, BUSY_MS, start).unref();
        else if (error) end(error, start);
        else if (start + count < buffer.length) from(start + count);
        else end(null, buffer.length);
      });
    from(0);
  }
}

const linesIn = (buffer: Buffer): number => buffer.reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);

function warning(lines: number, reason: string): string {
  const line = { level: 40, time: new Date().toISOString(), dropped: lines, msg: `log lines were dropped: ${reason}` };
  return `${JSON.stringify(line)}\n`;
}
