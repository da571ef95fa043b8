import './allocator.ts';
import {
  type DuckDBConnection,
  DuckDBDecimalValue,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import type { ColumnEngine, EngineParameter, EngineValue } from '../../platform/column-engine.ts';
import { ComputeExhausted } from '../../platform/compute/failures.ts';
import { machineMemory } from '../../platform/memory.ts';
import { sqlText } from './sql.ts';

export interface EngineOptions {
  /** An existing directory, to which the engine spills when it runs out of memory. */
  workDir: string;
  /** The only directories whose files a statement may read or write; the working directory is always one of them. */
  allowedDirectories: string[];
  /** For example `512MB`; 1 GB by default, on a small machine a quarter of it. The process needs some 300 MB beside it. */
  memoryLimit?: string;
  /** Columns of the widest file that will be written; 60 by default. */
  columns?: number;
  /** Rows of the largest table that statements will read, where that is known: of few, they are planned in less time. */
  rows?: number;
  threads?: number;
}

/** What a thread of the engine reserves for each column of a file that it writes; it hardly uses it. */
const COLUMN_BYTES = 1.1 * 2 ** 20;
const USUAL_COLUMNS = 60;
/** A wider file is written by one thread: each has all its columns in memory. */
const WIDE_COLUMNS = 500;
/**
 * So few rows are two batches of the engine at most: a second thread finds no work, and compiles each pattern of a statement once more. And finding
 * what expressions share takes a third of the planning of a long statement, and is worth it from some 4,000 rows.
 */
const FEW_ROWS = 3_000;

export type Engine = ColumnEngine;

/**
 * Opens the columnar engine in memory, closed to everything but the directories named: no network, no extension, no change of settings.
 * One statement runs at a time, others wait their turn, streams and what is done with `beside` beside them.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { columns = USUAL_COLUMNS, rows = Infinity } = options;
  const threads = options.threads ?? (columns > WIDE_COLUMNS || rows <= FEW_ROWS ? 1 : 2);
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: options.memoryLimit ?? `${memoryLimit(columns, threads)}B`,
    temp_directory: `${options.workDir}/spill`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // Otherwise every file read would stay in memory up to the limit, in addition to the cache of the operating system.
    enable_external_file_cache: 'false',
    ...(rows <= FEW_ROWS && { disabled_optimizers: 'common_subexpressions' }),
  });
  const connection = await instance.connect();
  await lockDown(connection, [options.workDir, ...options.allowedDirectories]);
  return new Session({ instance, tables: 0 }, connection, () => release(instance));
}

/** A process that holds more than this gives back what it can; a task in a process of its own begins with some 170 MiB. */
const HELD_BYTES = 300 * 2 ** 20;

/**
 * Gives the memory of an engine back. Closing one gives back all that the process has free, which the next engine takes again page by page: of a
 * small tape that is two fifths of the time. So a process that holds little leaves it to the garbage collector, which closes several at once.
 */
function release(instance: DuckDBInstance): void {
  if (process.memoryUsage.rss() > HELD_BYTES) instance.closeSync();
}

function memoryLimit(columns: number, threads: number): number {
  const reserved = Math.max(0, columns - USUAL_COLUMNS) * COLUMN_BYTES * threads;
  return Math.floor(Math.min(1e9, machineMemory() / 4) + reserved);
}

async function lockDown(connection: DuckDBConnection, directories: string[]): Promise<void> {
  const allowed = `SET allowed_directories = [${directories.map(sqlText).join(', ')}]`;
  await connection.run(`${allowed}; SET enable_external_access = false; SET lock_configuration = true`);
}

/** What the connections of an engine share. */
type Shared = { instance: DuckDBInstance; tables: number };

class Session implements Engine {
  readonly #shared: Shared;
  readonly #connection: DuckDBConnection;
  readonly #afterClose: () => void;
  readonly #beside = new Set<Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(shared: Shared, connection: DuckDBConnection, afterClose = (): void => {}) {
    this.#shared = shared;
    this.#connection = connection;
    this.#afterClose = afterClose;
  }

  async run(sql: string, parameters: readonly EngineParameter[] = [], signal?: AbortSignal): Promise<void> {
    await this.#inTurn(signal, () => this.#connection.run(sql, bound(parameters)));
  }

  async rows<Row extends object>(sql: string, parameters: readonly EngineParameter[] = [], signal?: AbortSignal): Promise<Row[]> {
    return await this.#inTurn(signal, async () => {
      const reader = await this.#connection.runAndReadAll(sql, bound(parameters));
      return reader.convertRowObjects(plainValue) as Row[];
    });
  }

  async first<Row extends object>(
    sql: string,
    parameters: readonly EngineParameter[] = [],
    signal?: AbortSignal,
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, parameters, signal))[0];
  }

  async *stream<Row extends object>(sql: string, parameters: readonly EngineParameter[] = []): AsyncGenerator<Row[]> {
    yield* this.#streamed(sql, parameters, (result) => result.yieldConvertedRowObjects(plainValue) as AsyncIterable<Row[]>);
  }

  async *columns(sql: string): AsyncGenerator<(bigint | null)[][]> {
    for await (const chunk of this.#streamed(sql, [], (result) => result)) yield chunk.convertColumns(wholeNumber);
  }

  async texts(sql: string, signal?: AbortSignal): Promise<(string | null)[][]> {
    return await this.#inTurn(signal, async () => (await this.#connection.runAndReadAll(sql)).convertColumns(text));
  }

  async numbers(sql: string, signal?: AbortSignal): Promise<(number | null)[][]> {
    return await this.#inTurn(signal, async () => (await this.#connection.runAndReadAll(sql)).convertColumns(double));
  }

  async withTable<Result>(query: string, work: (table: string) => Promise<Result>): Promise<Result> {
    this.#shared.tables += 1;
    const table = `work_${this.#shared.tables}`;
    try {
      await this.run(`CREATE TABLE ${table} AS ${query}`);
      return await work(table);
    } finally {
      await this.run(`DROP TABLE IF EXISTS ${table}`);
    }
  }

  async beside<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Error('the engine is closed');
    const working = this.#workBeside(work);
    this.#beside.add(working);
    try {
      return await working;
    } finally {
      this.#beside.delete(working);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled([this.#last, ...this.#beside]);
    this.#connection.closeSync();
    this.#afterClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #workBeside<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result> {
    await using session = new Session(this.#shared, await this.#shared.instance.connect());
    return await work(session);
  }

  /** What a streamed result gives, on a connection of its own. */
  async *#streamed<Item>(
    sql: string,
    parameters: readonly EngineParameter[],
    read: (result: DuckDBResult) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    if (this.#closed) throw new Error('the engine is closed');
    const connection = await this.#shared.instance.connect();
    try {
      yield* read(await connection.stream(sql, bound(parameters)));
    } catch (error) {
      throw asFailure(error);
    } finally {
      connection.closeSync();
    }
  }

  async #inTurn<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Error('the engine is closed');
    const turn = this.#last.then(async () => {
      signal?.throwIfAborted();
      const interrupt = () => this.#connection.interrupt();
      signal?.addEventListener('abort', interrupt, { once: true });
      try {
        return await work();
      } finally {
        signal?.removeEventListener('abort', interrupt);
      }
    });
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (error) {
      signal?.throwIfAborted();
      // Made here, where its stack has the caller.
      throw asFailure(error);
    }
  }
}

/**
 * What the engine refused, and at which line of a file. Its own messages quote the rows that it reads and the statement with the values in it: they
 * would carry the data of borrowers into logs and records of failures.
 */
export class EngineError extends Error {
  override name = 'EngineError';
}

/** A figure has more digits than the widest type of the engine, or than that of its column. */
class EngineOverflow extends EngineError {
  override name = 'EngineOverflow';
}

/** Computes with the engine's widest type, and where a sum has more digits than that (amounts out of all measure) in parts: that takes longer. */
export async function inPartsIfTooLong<Result>(compute: (inParts: boolean) => Promise<Result>): Promise<Result> {
  try {
    return await compute(false);
  } catch (error) {
    if (!(error instanceof EngineOverflow)) throw error;
    return await compute(true);
  }
}

/** Running out of memory is a failure of the task, not of the engine. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  if (message.startsWith('Out of Memory Error')) return new ComputeExhausted('the engine reached its memory limit');
  const kind = /^[A-Za-z ]{1,40} Error(?=:)/.exec(message)?.[0] ?? 'an error';
  const line = /: CSV Error on Line: (\d+)$/m.exec(message)?.[1];
  const Failure = kind === 'Out of Range Error' ? EngineOverflow : EngineError;
  return new Failure(
    [
      `the column engine reports ${kind}`,
      line && `line ${line} of a text file`,
      FIXED.exec(message)?.[0],
      aboutStatement(kind, message),
    ]
      .filter(Boolean)
      .join(': '),
  );
}

/** Said by the system, where waiting helps (`platform/unavailable.ts`), or of a statement that is not allowed. */
const FIXED = /no space left on device|disk quota exceeded|disabled by configuration|configuration has been locked/i;

/** A name that a statement got wrong: its first line alone, since the statement itself follows. */
const aboutStatement = (kind: string, message: string): string | undefined =>
  kind === 'Binder Error' || kind === 'Catalog Error' ? message.slice(kind.length + 2).split('\n', 1)[0] : undefined;

function wholeNumber(value: DuckDBValue): bigint | null {
  if (value === null || typeof value === 'bigint') return value;
  throw new Error(`a column of whole numbers has ${typeof value}`);
}

function text(value: DuckDBValue): string | null {
  if (value === null || typeof value === 'string') return value;
  throw new Error(`a column of texts has ${typeof value}`);
}

function double(value: DuckDBValue): number | null {
  if (value === null || typeof value === 'number') return value;
  throw new Error(`a column of numbers has ${typeof value}`);
}

function bound(parameters: readonly EngineParameter[]): DuckDBValue[] | undefined {
  return parameters.length === 0 ? undefined : [...parameters];
}

const WIDE_INTEGERS = new Set<DuckDBTypeId>([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);

function plainValue(value: DuckDBValue, type: DuckDBType): EngineValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint' && WIDE_INTEGERS.has(type.typeId)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof DuckDBDecimalValue) return value.toString();
  return JsonDuckDBValueConverter(value, type, plainValue);
}
