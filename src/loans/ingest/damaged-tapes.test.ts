import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAMAGE_KINDS, INVISIBLE } from '../testing/damage/damage.ts';
import { judge, read } from '../testing/damage/judge.ts';
import { generatedTable, type TruthfulTable } from '../testing/damage/generated-table.ts';
import { openRoom } from '../testing/take-tape.ts';
import { LOAN_TYPES } from '../types.ts';
import { Random } from '../generate/random.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
let tapes: TruthfulTable[];
before(async () => {
  room = await openRoom();
  tapes = [];
  for (const loanType of LOAN_TYPES) tapes.push(await generatedTable(room, loanType, 7));
});
after(() => room[Symbol.asyncDispose]());

test('no damage of a tape gives a wrong value without a finding, and most of them do no harm', async () => {
  const random = new Random(2026);
  const pick = { integer: (below: number) => random.integer(0, below - 1) };
  const counts = new Map<string, number>();
  const silent: string[] = [];
  for (const kind of DAMAGE_KINDS) {
    const order = tapes.map((tape) => ({ tape, at: random.next() })).toSorted((a, b) => a.at - b.at);
    for (const { tape } of order) {
      const damaged = kind.damage(tape.table, pick);
      if (!damaged) continue;
      const { verdict, faults } = judge(tape.table, tape.truth, damaged, await read(room, tape.table.loanType, damaged.bytes));
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      if (verdict === 'SILENT' && !(kind.name in INVISIBLE))
        silent.push(`${kind.name} (${tape.table.loanType}): ${faults.join('; ')}`);
      break;
    }
  }
  assert.deepEqual(silent, []);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  assert.equal(total, DAMAGE_KINDS.length);
  assert.ok((counts.get('RIGHT') ?? 0) >= 0.7 * total, JSON.stringify([...counts]));
});
