import type pg from 'pg';
import Query from 'pg/lib/query.js';
import { prepareValue } from 'pg/lib/utils.js';
import { TYPES } from './connection.ts';

declare module 'pg' {
  interface Connection {
    /** Texts of the statements that were sent on this connection to be prepared, by name. */
    submittedNamedStatements: Record<string, string>;
    /** Texts of those that the server said it prepared. */
    parsedStatements: Record<string, string>;
    /** Writes a message, unless the connection has ended. */
    _send(message: Buffer): void;
  }
}

type Answer = (error: Error | null, result: pg.QueryResult) => void;

/**
 * Statements that are sent together and end with one Sync: one transaction without BEGIN and COMMIT, and one flush of the server's
 * output. For reads only: no message says whether a transaction without COMMIT succeeded. docs/decisions/0015-pipelined-reads.md says
 * what this relies on.
 */
export class PipelinedRead extends Query {
  /** Names of the statements that were asked for, of the text of those without one. */
  readonly asked: string[] = [];
  /** Resolves with its last answer; rejects with the error that ended it. */
  readonly ended: Promise<void>;
  readonly #statements: Query[] = [];
  readonly #sent: [statement: pg.QueryConfig, answer: Answer][] = [];
  /** Index of the statement whose messages come next. */
  #current = 0;
  /** Timeout of the whole read, if it differs from the connection's. */
  readonly query_timeout: number | undefined;

  constructor(queryTimeoutMs?: number) {
    super({ text: '' });
    this.query_timeout = queryTimeoutMs;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    this.ended = promise;
    this.callback = (error) => (error ? reject(error) : resolve());
  }

  /** Adds a statement whose answer nobody reads; it comes before those that are asked for. */
  open(statement: pg.QueryConfig): void {
    this.#add(statement, () => {});
  }

  /** Adds a statement; call it before the read is handed to a client. */
  add(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.asked.push(statement.name ?? statement.text);
    return new Promise((resolve, reject) => {
      // Converted to text here: a value that cannot be converted must not fail between two statements on the wire.
      const values = statement.values?.map(prepareValue);
      this.#add(values ? { ...statement, values } : statement, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  #add(statement: pg.QueryConfig, answer: Answer): void {
    this.#sent.push([statement, answer]);
    this.#statements.push(new Query({ ...statement, types: TYPES }, answer));
  }

  /** The same read for another connection: its statements have the answer that comes first. */
  again(): PipelinedRead {
    const copy = new PipelinedRead(this.query_timeout);
    copy.asked.push(...this.asked);
    for (const [statement, answer] of this.#sent) copy.#add(statement, answer);
    return copy;
  }

  /** Whether the server has prepared all of its statements on this connection. */
  isPrepared({ parsedStatements }: pg.Connection): boolean {
    return this.#statements.every(({ name }) => name !== undefined && parsedStatements[name] !== undefined);
  }

  /** Ends a read that could not be sent. */
  fail(error: Error): void {
    this.callback?.(error);
    for (const { callback } of this.#statements) callback?.(error);
  }

  override submit(connection: pg.Connection): null {
    const messages: Buffer[] = [];
    const gathering: pg.Connection = Object.create(connection, { _send: { value: (message: Buffer) => messages.push(message) } });
    // Every statement ends with a Sync of its own, which would end the transaction: only the last one is sent.
    const withoutSync: pg.Connection = Object.create(gathering, { sync: { value: () => {} } });
    for (const statement of this.#statements) statement.prepare(withoutSync);
    gathering.sync();
    // One write: a dozen small ones together still take the system twice as long.
    connection._send(Buffer.concat(messages));
    this.#moveTo(0);
    return null;
  }

  override handleRowDescription(message: unknown): void {
    this.#statements[this.#current]?.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.#statements[this.#current]?.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#statements[this.#current]?.handleCommandComplete(message, connection);
    this.#moveTo(this.#current + 1);
  }

  override handleEmptyQuery(): void {
    this.#moveTo(this.#current + 1);
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    this.callback?.(null);
    for (const statement of this.#statements) statement.handleReadyForQuery(connection);
  }

  /** A failed statement fails the transaction: the server skips the others, so none of them may count as prepared. */
  override handleError(error: Error, connection: pg.Connection): void {
    for (const { name } of this.#statements.slice(this.#current)) if (name) delete connection.submittedNamedStatements[name];
    this.callback?.(error);
    for (const statement of this.#statements) statement.handleError(error, connection);
  }

  /** The client remembers as prepared the name and text of the query whose ParseComplete arrives. */
  #moveTo(index: number): void {
    this.#current = index;
    this.name = this.#statements[index]?.name;
    this.text = this.#statements[index]?.text;
  }
}
