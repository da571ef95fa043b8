export type EngineParameter = string | number | bigint | boolean | null;
export type EngineValue = string | number | boolean | null | EngineValue[] | { [name: string]: EngineValue };
export type EngineRow = Record<string, EngineValue>;

/**
 * An engine for queries over column files. Integers of any width are returned as numbers while they are safe and as decimal strings
 * beyond; DECIMAL as an exact decimal string; DATE as `YYYY-MM-DD`; DOUBLE as a number (NaN and infinities as text); lists as arrays,
 * structs as objects.
 */
export interface ColumnEngine extends AsyncDisposable {
  /** Runs one statement or several; an aborted signal interrupts it and throws. */
  run(sql: string, parameters?: readonly EngineParameter[], signal?: AbortSignal): Promise<void>;
  /** All rows of a query, in memory. */
  rows<Row extends object = EngineRow>(
    sql: string,
    parameters?: readonly EngineParameter[],
    signal?: AbortSignal,
  ): Promise<Row[]>;
  /** The first row, or undefined. */
  first<Row extends object = EngineRow>(
    sql: string,
    parameters?: readonly EngineParameter[],
    signal?: AbortSignal,
  ): Promise<Row | undefined>;
  /** Rows in batches of some 2,048, on a connection of their own: memory does not grow with the result. */
  stream<Row extends object = EngineRow>(sql: string, parameters?: readonly EngineParameter[]): AsyncGenerator<Row[]>;
  /** Whole numbers of 64 bits of a query, batch by batch, in columns: a tenth of the time of rows. */
  columns(sql: string): AsyncGenerator<(bigint | null)[][]>;
  /** Texts of a query, all in memory, in columns: a tenth of the time of rows. */
  texts(sql: string, signal?: AbortSignal): Promise<(string | null)[][]>;
  /** The same of columns of DOUBLE. */
  numbers(sql: string, signal?: AbortSignal): Promise<(number | null)[][]>;
  /** Stores the rows of a query in a table of its own, passes its name to `work`, and drops the table afterwards. */
  withTable<Result>(query: string, work: (table: string) => Promise<Result>): Promise<Result>;
  /** Passes to `work` a connection of its own to the same tables: its statements do not wait for the engine's, and know none of its variables. */
  beside<Result>(work: (engine: ColumnEngine) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
