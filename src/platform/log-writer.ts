import { write } from 'node:fs';

export type LogWriter = {
  /** Takes a line, its line feed included; never throws and never waits. */
  write(line: string): void;
  /** Resolves when everything that was taken is written or dropped, after `FLUSH_MS` at the latest. */
  flush(): Promise<void>;
};

export type LogWriterOptions = {
  fd: number;
  /** Hears how many lines were dropped. */
  onDropped(lines: number): void;
  write?: typeof write;
  /** How long a writer that failed waits before it tries again. */
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
 * Writes log lines to a descriptor without ever holding the process up. Where the disk is full, the reader gone or slower than the log,
 * lines are dropped and counted; a warning that says how many is the first line once it works again.
 */
export function createLogWriter(options: LogWriterOptions): LogWriter {
  const { fd, onDropped, retryMs = RETRY_MS } = options;
  const writeTo = options.write ?? write;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let busy = false;
  /** Why nothing is written at present; null when it works. */
  let failure: string | null = null;
  let dropped = 0;
  /** The last line was cut: the next one starts on a line of its own. */
  let torn = false;
  let idle: (() => void)[] = [];

  function drop(lines: number): void {
    dropped += lines;
    onDropped(lines);
  }

  function pump(): void {
    if (busy || failure !== null || (waiting.length === 0 && dropped === 0)) return;
    const warned = dropped;
    const head = Buffer.from(headOf(warned, 'the log could not keep up'));
    let text = '';
    while (waiting.length > 0 && text.length < BATCH_BYTES) text += waiting.shift() ?? '';
    send(Buffer.concat([head, Buffer.from(text)]), (error, written, buffer) => {
      waitingBytes = waiting.reduce((sum, line) => sum + line.length, 0);
      if (!error || written >= head.length) dropped -= warned;
      if (error) {
        drop(linesIn(buffer.subarray(Math.max(head.length, written))) + waiting.splice(0).length);
        waitingBytes = 0;
        retry(error);
      } else pump();
    });
  }

  /** Probes with the warning alone, again and again, until it can be written. */
  function retry(error: NodeJS.ErrnoException): void {
    const reason = error.code ?? error.message;
    failure = reason;
    const probe = (): void => {
      const warned = dropped;
      send(Buffer.from(headOf(warned, reason)), (again) => {
        if (again) return retry(again);
        failure = null;
        dropped -= warned;
        pump();
      });
    };
    setTimeout(probe, retryMs).unref();
  }

  /** What comes before the next lines: the end of one that was cut, and a warning when some were dropped. */
  const headOf = (lines: number, reason: string): string => (torn ? '\n' : '') + (lines > 0 ? warning(lines, reason) : '');

  /** Writes a buffer to its end, waiting for a reader that is only slow. */
  function send(buffer: Buffer, done: (error: NodeJS.ErrnoException | null, written: number, buffer: Buffer) => void): void {
    busy = true;
    const end = (error: NodeJS.ErrnoException | null, written: number): void => {
      busy = false;
      if (written > 0) torn = buffer[written - 1] !== LINE_FEED;
      done(error, written, buffer);
      if (!busy) settle();
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

  function settle(): void {
    for (const resolve of idle.splice(0)) resolve();
  }

  return {
    write(line) {
      if (failure !== null || waitingBytes + line.length > MOST_WAITING_BYTES) return drop(1);
      waiting.push(line);
      waitingBytes += line.length;
      pump();
    },
    async flush() {
      if (!busy && waiting.length === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        idle.push(resolve);
        timer = setTimeout(resolve, FLUSH_MS);
      });
      clearTimeout(timer);
    },
  };
}

const linesIn = (buffer: Buffer): number => buffer.reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);

function warning(lines: number, reason: string): string {
  const line = { level: 40, time: new Date().toISOString(), dropped: lines, msg: `log lines were dropped: ${reason}` };
  return `${JSON.stringify(line)}\n`;
}
