// Members that the published types of pg leave out, as far as pipelined reads rely on them (docs/decisions/0015-pipelined-reads.md).

declare module 'pg/lib/utils.js' {
  /** A parameter as it is sent. */
  export function prepareValue(value: unknown): string | Buffer | null;
}

declare module 'pg/lib/query.js' {
  import type { Connection, QueryConfig, QueryResult } from 'pg';

  /** A statement and the reader of the server's messages about it. */
  export default class Query {
    name: string | undefined;
    text: string | undefined;
    /** The client wraps it to stop watching for a silent connection. */
    callback: ((error: Error | null, result?: QueryResult) => void) | undefined;

    constructor(config: QueryConfig);

    submit(connection: Connection): Error | null;
    handleRowDescription(message: unknown): void;
    handleDataRow(message: unknown): void;
    handleCommandComplete(message: unknown, connection: Connection): void;
    handleEmptyQuery(connection: Connection): void;
    handleReadyForQuery(connection: Connection): void;
    handleError(error: Error, connection: Connection): void;
  }
}
