import type { Writable } from 'node:stream';
import type pg from 'pg';

/** Runs a `COPY … TO STDOUT` and writes its rows to `sink`, at the pace of the sink; returns the number of rows. */
export function copyOut(client: pg.Client, sql: string, sink: Writable): Promise<number> {
  return new Promise((resolve, reject) => void client.query(new CopyOut(sql, sink, resolve, reject)));
}

/** Runs a `COPY … FROM STDIN` on the bytes of `source`, at the pace of the server; returns the number of rows. */
export function copyIn(client: pg.Client, sql: string, source: AsyncIterable<Buffer>): Promise<number> {
  return new Promise((resolve, reject) => void client.query(new CopyIn(sql, source, resolve, reject)));
}

/** A connection of pg, with the members that its types leave out. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
};

type Settle = (rows: number) => void;
type Fail = (error: Error) => void;

/** The common part of the two directions: one statement that ends with the number of its rows, or with the first failure. */
abstract class Copy implements pg.Submittable {
  readonly #sql: string;
  readonly #resolve: Settle;
  readonly #reject: Fail;
  #rows = 0;
  protected failure: Error | undefined;

  constructor(sql: string, resolve: Settle, reject: Fail) {
    this.#sql = sql;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#sql);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0);
  }

  /** The client calls it for an error of the server, and again when the connection itself has ended. */
  handleError(error: Error, _connection: pg.Connection): void {
    this.failure ??= error;
    this.#reject(this.failure);
  }

  handleReadyForQuery(_connection: pg.Connection): void {
    if (this.failure) this.#reject(this.failure);
    else this.#resolve(this.#rows);
  }
}

const BATCH_BYTES = 64 * 1024;

class CopyOut extends Copy {
  readonly #sink: Writable;
  #batch: Buffer[] = [];
  #bytes = 0;

  constructor(sql: string, sink: Writable, resolve: Settle, reject: Fail) {
    super(sql, resolve, reject);
    this.#sink = sink;
  }

  override submit(connection: pg.Connection): void {
    // If the sink cannot be written any more, the rest of the table is not read: the connection ends.
    this.#sink.once('error', (error: Error) => {
      this.failure ??= error;
      connection.stream.destroy(error);
    });
    super.submit(connection);
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: pg.Connection): void {
    // The parser reuses its buffer, so data that is kept beyond this call must be copied.
    this.#batch.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= BATCH_BYTES) this.#flush(connection);
  }

  override handleCommandComplete(message: { text: string }): void {
    this.#sink.write(this.#takeBatch());
    super.handleCommandComplete(message);
  }

  /** A sink that is ended now never emits `drain`: the connection's next statement must not wait for it. */
  override handleReadyForQuery(connection: pg.Connection): void {
    connection.stream.resume();
    super.handleReadyForQuery(connection);
  }

  override handleError(error: Error, connection: pg.Connection): void {
    connection.stream.resume();
    super.handleError(error, connection);
  }

  #flush(connection: pg.Connection): void {
    const taken = this.#sink.write(this.#takeBatch());
    if (taken || connection.stream.isPaused()) return;
    connection.stream.pause();
    this.#sink.once('drain', () => connection.stream.resume());
  }

  #takeBatch(): Buffer {
    const bytes = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#bytes = 0;
    return bytes;
  }
}

class CopyIn extends Copy {
  readonly #source: AsyncIterable<Buffer>;

  constructor(sql: string, source: AsyncIterable<Buffer>, resolve: Settle, reject: Fail) {
    super(sql, resolve, reject);
    this.#source = source;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.#send(connection);
  }

  async #send(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.#source) {
        if (this.failure) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await drained(connection.stream);
      }
      connection.endCopyFrom();
    } catch (error) {
      this.failure ??= error as Error;
      connection.sendCopyFail((error as Error).message);
    }
  }
}

function drained(stream: pg.Connection['stream']): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}
