import type { Tx } from './db/database.ts';
import { inParts } from './db/in-parts.ts';
import { ApiError, invalidTransition } from './http/errors.ts';

/** From each status, the statuses that may follow it. */
export type Moves<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/** A kind of record with a status: its table and its moves. `Row` is the record as its queries read it. */
export type StateMachine<Row, StatusColumn extends keyof Row & string, Status extends Row[StatusColumn] & string> = {
  /** The name of the record in messages. */
  readonly noun: string;
  readonly table: string;
  /** Columns that together name one record. */
  readonly key: readonly (keyof Row & string)[];
  /** Columns that must not have changed since they were read, such as the number of a run: a superseded run moves nothing. */
  readonly fence?: readonly (keyof Row & string)[];
  readonly column: StatusColumn;
  readonly moves: Moves<Status>;
  /** Column that gets the time of the move. */
  readonly touches?: keyof Row & string;
  /** Columns whose values are stored as JSON. */
  readonly json?: readonly string[];
};

/** Values that a move writes beside the status. */
type Values<Row> = Partial<Row>;

/**
 * The moves of one kind of record. Nothing else writes its status. A move that the table does not have is refused with 409 and the
 * allowed moves, and a record that has changed since it was read is left unchanged.
 */
export class Mover<Row extends object, StatusColumn extends keyof Row & string, Status extends Row[StatusColumn] & string> {
  readonly machine: StateMachine<Row, StatusColumn, Status>;

  constructor(machine: StateMachine<Row, StatusColumn, Status>) {
    this.machine = machine;
  }

  allowed(from: Status): readonly Status[] {
    return this.machine.moves[from];
  }

  /** 409 with the allowed moves when the table has no such move. */
  check(from: Status, to: Status): void {
    if (!this.allowed(from).includes(to)) throw invalidTransition(this.machine.noun, from, this.allowed(from));
  }

  /** Moves a record that the caller has locked; returns the moved record. */
  async move(tx: Tx, row: Row, to: Status, values: Values<Row> = {}): Promise<Row> {
    const moved = await this.tryMove(tx, row, to, values);
    if (!moved) throw new ApiError('CONFLICT', `The ${this.machine.noun} was changed in the meantime: read it and try again.`);
    return moved;
  }

  /** Moves a record if it has not changed since it was read; null if it has. */
  async tryMove(tx: Tx, row: Row, to: Status, values: Values<Row> = {}): Promise<Row | null> {
    this.check(this.#status(row), to);
    const written = this.#written(tx, to, values);
    const sql = new Statement();
    const assignments = Object.entries(written).map(
      ([column, value]) => `${name(column)} = ${sql.bind(this.#stored(column, value))}`,
    );
    const { key, fence = [], column } = this.machine;
    const conditions = [
      ...[...key, column].map((each) => `${name(each)} = ${sql.bind(row[each])}`),
      ...fence.map((each) => `${name(each)} is not distinct from ${sql.bind(row[each])}`),
    ];
    const changed = await tx.exec(
      `update ${name(this.machine.table)} set ${assignments.join(', ')} where ${conditions.join(' and ')}`,
      sql.values,
    );
    return changed === 1 ? { ...row, ...written } : null;
  }

  /** Moves locked records, each to a status and with values of its own, many of those that write the same columns in one statement. */
  async moveAll(tx: Tx, moves: readonly { row: Row; to: Status; values?: Values<Row> }[]): Promise<void> {
    for (const { row, to } of moves) this.check(this.#status(row), to);
    const written = moves.map(({ row, to, values = {} }) => ({ row, written: this.#written(tx, to, values) }));
    for (const [columns, alike] of Map.groupBy(written, (move) => Object.keys(move.written).join()))
      for (const some of inParts(alike)) await this.#moveAlike(tx, columns.split(','), some);
  }

  async #moveAlike(
    tx: Tx,
    columns: readonly string[],
    moves: readonly { row: Row; written: Record<string, unknown> }[],
  ): Promise<void> {
    const { table, key, column } = this.machine;
    const records = moves.map(({ row, written }) => ({
      ...Object.fromEntries(key.map((each) => [each, row[each]])),
      ...written,
    }));
    const froms = [...new Set(moves.map(({ row }) => this.#status(row)))];
    const changed = await tx.exec(
      `update ${name(table)} t set ${columns.map((each) => `${name(each)} = m.${name(each)}`).join(', ')}
       from jsonb_populate_recordset(null::${name(table)}, $1) m
       where ${key.map((each) => `t.${name(each)} = m.${name(each)}`).join(' and ')} and t.${name(column)} = any($2)`,
      [JSON.stringify(records), froms],
    );
    if (changed !== moves.length)
      throw new ApiError('CONFLICT', `A ${this.machine.noun} was changed in the meantime: read it and try again.`);
  }

  /** Moves every record with these values from the status `from`; returns how many. */
  moveWhere(tx: Tx, where: Values<Row>, from: Status, to: Status): Promise<number> {
    const sql = new Statement();
    const update = this.updateSql(from, to);
    const assignments = Object.entries(this.#touched(tx, {})).map(
      ([column, value]) => `, ${name(column)} = ${sql.bind(this.#stored(column, value))}`,
    );
    const conditions = Object.entries({ ...where, [this.machine.column]: from }).map(
      ([column, value]) => `${name(column)} = ${sql.bind(value)}`,
    );
    return tx.exec(`${update}${assignments.join('')} where ${conditions.join(' and ')}`, sql.values);
  }

  /** The beginning of an UPDATE that makes one move of the table, for a statement of several parts; the caller adds its WHERE. */
  updateSql(from: Status, to: Status): string {
    this.check(from, to);
    return `update ${name(this.machine.table)} set ${name(this.machine.column)} = '${to}'`;
  }

  #status(row: Row): Status {
    const status = row[this.machine.column];
    if (!isKey(this.machine.moves, status)) throw new Error(`a ${this.machine.noun} cannot be ${String(status)}`);
    return status;
  }

  #written(tx: Tx, to: Status, values: Values<Row>): Record<string, unknown> {
    return { [this.machine.column]: to, ...this.#touched(tx, values) };
  }

  #touched(tx: Tx, values: Values<Row>): Record<string, unknown> {
    return this.machine.touches ? { ...values, [this.machine.touches]: tx.now } : values;
  }

  #stored(column: string, value: unknown): unknown {
    return this.machine.json?.includes(column) && value !== null ? JSON.stringify(value) : value;
  }
}

class Statement {
  readonly values: unknown[] = [];
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

function isKey<Keys extends string>(table: Readonly<Record<Keys, unknown>>, value: unknown): value is Keys {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

/** Table and column names come from code; anything else is a mistake. */
function name(identifier: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(identifier)) throw new Error(`${identifier} is not the name of a column`);
  return identifier;
}
