import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';

/**
 * Statements that leave together and end with one Sync: one transaction of its own, without BEGIN and COMMIT, and one flush of
 * the server's output. Reading only: nothing tells whether a COMMIT succeeded but the answers themselves.
 */
export class OneTrip extends pg.Query {
  readonly #parts: Part[] = [];
  #answering = 0;
  // What the client reads to remember which statements this connection has prepared.
  name: string | undefined;
  text: string | undefined;
  /** Set by the client: ends its watch for a connection that fell silent. */
  declare callback: ((error: Error | null) => void) | undefined;
  /** Bound of the whole trip where it is not the connection's. */
  readonly query_timeout: number | undefined;

  constructor(queryTimeoutMs?: number) {
    super({ text: '' });
    this.query_timeout = queryTimeoutMs;
  }

  /** Adds a statement; to be called before the trip is handed to a client. */
  add(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null | undefined, result: unknown): void =>
        error ? reject(error) : resolve(result as pg.QueryResult);
      // Written as text here: a value that cannot be must not be found out between two statements on the wire.
      const values = statement.values?.map(prepareValue);
      this.#parts.push(new pg.Query({ ...statement, ...(values ? { values } : {}) }, settle) as unknown as Part);
    });
  }

  override submit = (connection: pg.Connection): null => {
    // Every part ends with a Sync of its own, which would end the transaction: only the last one is sent.
    const withoutSync = Object.create(connection, { sync: { value: () => {} } }) as pg.Connection;
    connection.stream.cork();
    try {
      for (const part of this.#parts) part.prepare(withoutSync);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    this.#turnTo(0);
    return null;
  };

  handleRowDescription(message: unknown): void {
    this.#part?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#part?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#part?.handleCommandComplete(message, connection);
    this.#turnTo(this.#answering + 1);
  }

  handleEmptyQuery(): void {
    this.#turnTo(this.#answering + 1);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    this.callback?.(null);
    for (const part of this.#parts) part.handleReadyForQuery(connection);
  }

  /** A statement's failure is the transaction's: the server skips the rest, so that none of it may count as prepared. */
  handleError(error: Error, connection: pg.Connection): void {
    const { submittedNamedStatements } = connection as unknown as { submittedNamedStatements: Record<string, string> };
    for (const part of this.#parts.slice(this.#answering)) if (part.name) delete submittedNamedStatements[part.name];
    this.callback?.(error);
    for (const part of this.#parts) part.handleError(error, connection);
  }

  get #part(): Part | undefined {
    return this.#parts[this.#answering];
  }

  #turnTo(index: number): void {
    this.#answering = index;
    this.name = this.#part?.name;
    this.text = this.#part?.text;
  }
}

/** A query of pg with what its types leave out. */
type Part = {
  name?: string;
  text: string;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
};
