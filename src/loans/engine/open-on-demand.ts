import type { ColumnEngine, EngineParameter } from '../../platform/column-engine.ts';
import type { Engine, EngineOptions } from './engine.ts';

/** The engine is a tenth of what a gateway reads at its start, and is read with the first query. */
const open = async (options: EngineOptions): Promise<Engine> => (await import('./engine.ts')).openEngine(options);

/** An engine that opens with its first query: a process that makes none needs no memory for it. */
export function openOnDemand(options: EngineOptions): ColumnEngine {
  return new EngineOnDemand(options);
}

class EngineOnDemand implements ColumnEngine {
  readonly #options: EngineOptions;
  #opened: Promise<Engine> | undefined;
  #closed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async run(sql: string, parameters?: readonly EngineParameter[], signal?: AbortSignal): Promise<void> {
    await (await this.#open()).run(sql, parameters, signal);
  }

  async rows<Row extends object>(sql: string, parameters?: readonly EngineParameter[], signal?: AbortSignal): Promise<Row[]> {
    return (await this.#open()).rows<Row>(sql, parameters, signal);
  }

  async first<Row extends object>(
    sql: string,
    parameters?: readonly EngineParameter[],
    signal?: AbortSignal,
  ): Promise<Row | undefined> {
    return (await this.#open()).first<Row>(sql, parameters, signal);
  }

  async *stream<Row extends object>(sql: string, parameters?: readonly EngineParameter[]): AsyncGenerator<Row[]> {
    yield* (await this.#open()).stream<Row>(sql, parameters);
  }

  async *columns(sql: string): AsyncGenerator<(bigint | null)[][]> {
    yield* (await this.#open()).columns(sql);
  }

  async texts(sql: string, signal?: AbortSignal): Promise<(string | null)[][]> {
    return (await this.#open()).texts(sql, signal);
  }

  async numbers(sql: string, signal?: AbortSignal): Promise<(number | null)[][]> {
    return (await this.#open()).numbers(sql, signal);
  }

  async withTable<Result>(query: string, work: (table: string) => Promise<Result>): Promise<Result> {
    return (await this.#open()).withTable(query, work);
  }

  async beside<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result> {
    return (await this.#open()).beside(work);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): Promise<Engine> {
    if (this.#closed) return Promise.reject(new Error('the engine is closed'));
    this.#opened ??= open(this.#options).catch((error: unknown) => {
      // A failure to open is this question's; the next one tries again.
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}
