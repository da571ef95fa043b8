import type pg from 'pg';
import Query from 'pg/lib/query.js';
import { prepareValue } from 'pg/lib/utils.js';
import { TYPES } from './connection.ts';
import { isBroken } from './pool.ts';

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

type Row = Record<string, unknown>;
type Answer = { resolve(rows: Row[]): void; reject(error: Error): void };

/**
 * Statements that are sent together and end with one Sync: one transaction without BEGIN and COMMIT, and one flush of the server's
 * output. For reads only: no message says whether a transaction without COMMIT succeeded. docs/decisions/0015-pipelined-reads.md says
 * what this relies on.
 */
export class PipelinedRead extends Query {
  /** Names of the statements that were asked for; undefined for one without a name. */
  readonly asked: (string | undefined)[] = [];
  /** Resolves with its last answer; rejects with the error that ended it. */
  readonly ended: Promise<void>;
  /** Another read is answered before it on its connection: what breaks the connection is not its failure. */
  isBehind = false;
  /** What is known of the statements of the connection that it is sent on; it adds what it learns. */
  shapes: Shapes = new Map();
  readonly #statements: Statement[] = [];
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
    this.#statements.push(new Statement(statement, null));
  }

  /** Adds a statement and gives its rows; call it before the read is handed to a client. */
  add(statement: pg.QueryConfig): Promise<Row[]> {
    this.asked.push(statement.name);
    return new Promise((resolve, reject) => {
      this.#statements.push(new Statement(statement, { resolve, reject }));
    });
  }

  /** The same read for another connection: its statements have the answer that comes first. */
  again(): PipelinedRead {
    const copy = new PipelinedRead(this.query_timeout);
    copy.asked.push(...this.asked);
    copy.#statements.push(...this.#statements.map((statement) => statement.again()));
    return copy;
  }

  /** Whether the server has prepared all of its statements on this connection. */
  isPrepared({ parsedStatements }: pg.Connection): boolean {
    return this.#statements.every(({ name }) => name !== undefined && parsedStatements[name] !== undefined);
  }

  /** Ends a read that could not be sent. */
  fail(error: Error): void {
    this.callback?.(error);
    for (const statement of this.#statements) statement.answer?.reject(error);
  }

  override submit(connection: pg.Connection): null {
    const messages: Buffer[] = [];
    const gathering: pg.Connection = Object.create(connection, { _send: { value: (message: Buffer) => messages.push(message) } });
    for (const statement of this.#statements) statement.send(gathering, this.shapes);
    // Each statement of the driver ends with a Sync, which would end the transaction: there is one, for all of them.
    gathering.sync();
    // One write: a dozen small ones together still take the system twice as long.
    connection._send(Buffer.concat(messages));
    this.#moveTo(0);
    return null;
  }

  override handleRowDescription({ fields }: RowDescription): void {
    this.#statements[this.#current]?.describe(fields);
  }

  override handleDataRow({ fields }: DataRow): void {
    try {
      this.#statements[this.#current]?.addRow(fields);
    } catch (error) {
      // Of one value that its type cannot read; the messages of the others go on.
      this.#unread ??= error as Error;
    }
  }
  #unread: Error | undefined;

  override handleCommandComplete(): void {
    this.#moveTo(this.#current + 1);
  }

  override handleEmptyQuery(): void {
    this.#moveTo(this.#current + 1);
  }

  override handleReadyForQuery(): void {
    if (this.#unread) return this.fail(this.#unread);
    this.callback?.(null);
    // Released, since the read itself may be among old objects by now, and would keep its rows until these are collected.
    for (const { answer, rows } of this.#statements.splice(0)) answer?.resolve(rows);
  }

  /** A failed statement fails the transaction: the server skips the others, so none of them may count as prepared. */
  override handleError(error: Error, connection: pg.Connection): void {
    for (const { name } of this.#statements.slice(this.#current)) if (name) delete connection.submittedNamedStatements[name];
    if (this.isBehind && isBroken(error)) this.callback?.(error);
    else this.fail(error);
  }

  /** The client remembers as prepared the name and text of the query whose ParseComplete arrives. */
  #moveTo(index: number): void {
    this.#current = index;
    this.name = this.#statements[index]?.name;
    this.text = this.#statements[index]?.text;
  }
}

type Column = { name: string; dataTypeID: number };
type RowDescription = { fields: readonly Column[] };
type DataRow = { fields: readonly (string | null)[] };

/** How the rows of a prepared statement are read. */
type Shape = { columns: { name: string; parse(text: string): unknown }[]; empty: Row };

/** Shapes by the names of their statements. A prepared statement has one on its connection for good: the server refuses it after a change of its columns. */
export type Shapes = Map<string, Shape>;

/** One statement of a read. */
class Statement {
  readonly name: string | undefined;
  readonly text: string;
  readonly answer: Answer | null;
  readonly rows: Row[] = [];
  readonly #values: readonly (string | Buffer | null)[];
  #shapes: Shapes | undefined;
  #shape: Shape | undefined;

  constructor({ name, text, values = [] }: pg.QueryConfig, answer: Answer | null) {
    this.name = name;
    this.text = text;
    this.answer = answer;
    // Converted to text here: a value that cannot be converted must not fail between two statements on the wire.
    this.#values = values.map(prepareValue);
  }

  again(): Statement {
    const { name, text, answer } = this;
    return new Statement({ ...(name ? { name } : {}), text, values: [...this.#values] }, answer);
  }

  /** Sends what the server does not know yet: the text of a statement once, and a question for its columns once. */
  send(connection: pg.Connection, shapes: Shapes): void {
    const { name = '', text } = this;
    this.#shapes = shapes;
    this.#shape = shapes.get(name);
    const known = connection.parsedStatements[name] ?? connection.submittedNamedStatements[name];
    if (name === '' || known === undefined) {
      connection.parse({ name, text, types: [] }, true);
      if (name) connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values: [...this.#values] }, true);
    if (this.answer && !this.#shape) connection.describe({ type: 'P' }, true);
    connection.execute({}, true);
  }

  describe(columns: readonly Column[]): void {
    const shape: Shape = {
      columns: columns.map(({ name, dataTypeID }) => ({ name, parse: TYPES.getTypeParser(dataTypeID) })),
      empty: Object.fromEntries(columns.map(({ name }) => [name, null])),
    };
    this.#shape = shape;
    if (this.name) this.#shapes?.set(this.name, shape);
  }

  addRow(fields: readonly (string | null)[]): void {
    const shape = this.#shape;
    if (!shape) return;
    const row = { ...shape.empty };
    shape.columns.forEach(({ name, parse }, index) => {
      const text = fields[index];
      if (text !== null && text !== undefined) row[name] = parse(text);
    });
    this.rows.push(row);
  }
}
