// Clients write while processes, the database, the disk and the receiver fail; then it looks for everything that was acknowledged.
import { runDrill } from '../test/faults/ledger/drill.ts';

const SECONDS = 300;

/** `npm run bench -- ledger [seconds] [seed]` */
export async function run(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? SECONDS);
  const seed = Number(args[1] ?? Date.now() % 2 ** 31);
  process.stderr.write(`seed ${seed}\n`);
  const startedAt = performance.now();
  const log = (line: string): void =>
    void process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`);
  const verdict = await runDrill({ extent: { seconds }, seed, log });
  const { lines, refused, events, ledger } = verdict;
  const row = (name: string, ...figures: unknown[]): void =>
    void process.stdout.write(`${name.padEnd(40)}${figures.map((figure) => String(figure).padStart(14)).join('')}\n`);
  row('record', 'acknowledged', 'lost', 'twice');
  for (const { kind, acknowledged, lost, twice } of lines) row(kind, acknowledged, lost.length, twice.length);
  row('fault', 'times');
  for (const [name, times] of Object.entries(verdict.faults)) row(name, times);
  for (const name of verdict.skipped) row(name, 'not here');
  row('attempts, and those without a response', verdict.attempts, verdict.unanswered);
  row('events, and deliveries of them', events.logged, events.deliveries);
  const { repeated, missing, undelivered } = events;
  const problems = [
    ...lines.flatMap(({ lost }) => lost.map((each) => `lost: ${each}`)),
    ...lines.flatMap(({ twice }) => twice.map((each) => `twice: ${each}`)),
    ...refused.map((each) => `refused: ${each}`),
    ...repeated.map((each) => `event recorded twice: ${each}`),
    ...missing.map((each) => `event never recorded: ${each}`),
    ...undelivered.map((each) => `never delivered: ${each}`),
    ...ledger.problems.map((each) => `ledger: ${each}`),
    ...(verdict.auditValid ? [] : ['the audit log does not verify']),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `${JSON.stringify({
      bench: 'ledger',
      seed,
      seconds,
      faults: Object.values(verdict.faults).reduce((sum, each) => sum + each, 0),
      acknowledged: verdict.acknowledged,
      lost: lines.reduce((sum, { lost }) => sum + lost.length, 0),
      twice: lines.reduce((sum, { twice }) => sum + twice.length, 0),
      events: events.logged,
      undelivered: undelivered.length,
      problems: problems.length,
    })}\n`,
  );
  if (problems.length > 0) process.exitCode = 1;
}
