import { type Command, InvalidArgumentError } from 'commander';
import { APPROVAL_ACTS, type ApprovalAct } from '../platform/http/approval-acts.ts';
import { platformActor } from '../platform/http/platform-actor.ts';
import type { Runtime } from '../runtime.ts';

type Means = {
  withRuntime(work: (runtime: Runtime) => Promise<void>): Promise<void>;
  printJson(value: unknown): void;
};

/** `sluice approval-policy [ACT=N …]`: the way back where nobody can decide any more. It is outside the policy and in the audit log. */
export function addApprovalCommand(program: Command, { withRuntime, printJson }: Means): void {
  program
    .command('approval-policy')
    .description('show or set how many people each act of the operators needs')
    .argument('[act=number...]', `acts: ${APPROVAL_ACTS.join(', ')}`, change)
    .action((changes: Partial<Record<ApprovalAct, number>> | undefined) =>
      withRuntime(async (runtime) => {
        const { listOperators } = await import('../events/queries.ts');
        const { readPolicy, setPolicy } = await import('../features/approvals/policy.ts');
        const policy = await runtime.db.tx({ platform: true }, async (tx) => {
          const { environment } = runtime.config;
          const { acts } = await readPolicy(tx, environment);
          const [organization_id] = await listOperators(tx);
          if (!organization_id) throw new Error('there is no operator yet: issue its first key (keys issue --role operator)');
          if (changes) await setPolicy(tx, { ...platformActor('command line'), organization_id }, { ...acts, ...changes });
          return readPolicy(tx, environment);
        });
        printJson(policy);
      }),
    );
}

function change(text: string, before: Partial<Record<ApprovalAct, number>> = {}): Partial<Record<ApprovalAct, number>> {
  const [, name, number] = /^(\w+)=([123])$/.exec(text) ?? [];
  const act = APPROVAL_ACTS.find((each) => each === name);
  if (!act) throw new InvalidArgumentError('expected an act and 1, 2 or 3, such as SETTLE=2');
  return { ...before, [act]: Number(number) };
}
