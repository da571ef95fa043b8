// How well tapes are read: how many columns of the published tapes are mapped right, and what a thousand damaged tapes give.
// npm run bench -- tapes [VARIANTS] [SEED]
// The published tapes are in ../shared; without it only the damaged ones are read. Precision is the share of the mapped columns that are
// right, recall the share of the fields with a column on the tape that got it; a silent error is a wrong amount, rate or date that no finding
// names. What is right is in src/loans/testing/tape-truth.ts.
// A variant is RIGHT when every value is that of the undamaged tape, TOLD when every other value is missing or named by a finding, REFUSED
// when no loan is read and the reason is given, SILENT when a value is wrong without a word, INVISIBLE when nobody could tell. The undamaged tapes are generated.
import { LOAN_TYPES } from '../src/loans/types.ts';
import { randomStream } from '../src/finance/random.ts';
import { DAMAGE_KINDS, INVISIBLE } from '../src/loans/testing/damage/damage.ts';
import { generatedTable, type TruthfulTable } from '../src/loans/testing/damage/generated-table.ts';
import { judge, read, type Verdict } from '../src/loans/testing/damage/judge.ts';
import { type MappingScore, offenders, scoreTapes, sumOf, TAPE_FILES } from '../src/loans/testing/score-mapping.ts';
import { openRoom } from '../src/loans/testing/take-tape.ts';
import { sharedPath } from '../test/support/shared.ts';

export async function run(args: string[]): Promise<void> {
  const [variants = 1_000, seed = 1] = args.map(Number);
  await using room = await openRoom();
  const mapping = await publishedTapes(room);
  const bases: TruthfulTable[] = [];
  for (const loanType of LOAN_TYPES) bases.push(await generatedTable(room, loanType, seed));
  const random = randomStream(seed);
  const pick = { integer: (below: number) => Math.floor(random.uniform() * below) };
  const counts: Record<Verdict['verdict'] | 'INVISIBLE', number> = { RIGHT: 0, TOLD: 0, REFUSED: 0, SILENT: 0, INVISIBLE: 0 };
  const silent = new Map<string, string>();
  for (let tried = 0, turn = 0; tried < variants && turn < 3 * variants; turn += 1) {
    const kind = DAMAGE_KINDS[turn % DAMAGE_KINDS.length];
    const base = bases[pick.integer(bases.length)];
    const damaged = base && kind?.damage(base.table, pick);
    if (!kind || !base || !damaged) continue;
    tried += 1;
    const { verdict, faults } = judge(base.table, base.truth, damaged, await read(room, base.table.loanType, damaged.bytes));
    const seen = verdict === 'SILENT' && kind.name in INVISIBLE ? 'INVISIBLE' : verdict;
    counts[seen] += 1;
    if (seen === 'SILENT') silent.set(`${kind.name} (${base.table.loanType})`, faults.join('; '));
    if (args.includes('--all')) process.stdout.write(`${verdict} ${kind.name} (${base.table.loanType}) ${faults.join('; ')}\n`);
  }
  for (const [kind, fault] of silent) process.stdout.write(`SILENT ${kind}: ${fault}\n`);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'tapes', kinds: DAMAGE_KINDS.length, variants: total, ...counts, ratio: counts.RIGHT / total, mapping })}\n`,
  );
}

/** Scores the mapping of each published tape and of all; null where they are not on this machine. */
async function publishedTapes(room: Awaited<ReturnType<typeof openRoom>>): Promise<MappingScore | null> {
  if (TAPE_FILES.some((file) => sharedPath(file) === null)) {
    process.stdout.write('The published tapes are not here (../shared/data/tapes): only damaged tapes are read.\n');
    return null;
  }
  const scores = await scoreTapes(room, sharedPath);
  process.stdout.write(row('tape', ['right', 'wrong', 'missed', 'precision', 'recall', 'silent']));
  for (const score of scores) process.stdout.write(row(score.path, cellsOf(sumOf([score]))));
  process.stdout.write(row('all', cellsOf(sumOf(scores))));
  for (const offender of scores.flatMap(offenders)) process.stdout.write(`${offender}\n`);
  return sumOf(scores);
}

function cellsOf({ right, wrong, missed, precision, recall, silent }: MappingScore): string[] {
  return [right, wrong, missed, `${(100 * precision).toFixed(1)} %`, `${(100 * recall).toFixed(1)} %`, silent].map(String);
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(54)}${cells.map((cell) => cell.padStart(10)).join('')}\n`;
}
