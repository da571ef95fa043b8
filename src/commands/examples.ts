import type { Command } from 'commander';

/** Of the commands that are not of the client, which make theirs from the description of the API. */
const EXAMPLES: Record<string, readonly string[]> = {
  serve: ['sluice serve', 'PORT=9000 sluice serve --no-worker'],
  work: ['sluice work', 'DATABASE_URL=postgres://… sluice work'],
  dev: ['sluice dev', 'PORT=9000 SLUICE_DATA_DIR=/tmp/sluice sluice dev'],
  migrate: ['sluice migrate', 'DATABASE_URL=postgres://… sluice migrate'],
  backup: ['sluice backup /backups/2026-11-16'],
  restore: ['SLUICE_DATA_DIR=/srv/sluice sluice restore /backups/2026-11-16'],
  openapi: ['sluice openapi > openapi.json'],
  'keys issue': [
    'sluice keys issue --organization "Harbor Lending" --role originator \\\n    --environment development --requester ops@example.com --use-case "tape delivery"',
    'sluice keys issue … --scope loans:read --network 10.1.0.0/16',
  ],
  'keys list': ['sluice keys list'],
  'keys revoke': ['sluice keys revoke KEY_ID'],
  'keys rotate': ['sluice keys rotate KEY_ID'],
  'members add': ['sluice members add --organization "Harbor Lending" \\\n    --email ada@example.com --rights ADMIN EDIT'],
  'members list': ['sluice members list --organization "Harbor Lending"'],
  'members change': ['sluice members change MEMBER_ID --rights VIEW', 'sluice members change MEMBER_ID --status SUSPENDED'],
  'members invite-again': ['sluice members invite-again MEMBER_ID'],
  'members remove': ['sluice members remove MEMBER_ID'],
  'approval-policy': ['sluice approval-policy', 'sluice approval-policy KEY_ISSUE=2 DEAL_APPROVE=2'],
  'tape check': ['sluice tape check auto.csv --type Auto'],
  'tape generate': [
    'sluice tape generate --type Auto --rows 1000 > auto.csv',
    'sluice tape generate --type Mortgage --rows 1000 --defects > mortgage.csv',
  ],
  doctor: ['sluice doctor'],
  'ledger verify': ['sluice ledger verify'],
  'fingerprints rebuild': ['sluice fingerprints rebuild'],
  'destructions apply': ['sluice destructions apply'],
  'encryption-key forget': ['sluice encryption-key forget --yes'],
  'webhooks verify': ['sluice webhooks verify body.json --secret-file secret.txt \\\n    --signature "sha256=…"'],
  mcp: ['sluice mcp', 'sluice mcp --allow-writes'],
  'organizations list': ['sluice organizations list'],
};

/** Adds to each command's help how it is called. */
export function addExamples(program: Command): void {
  const walk = (command: Command, path: readonly string[]): void => {
    const examples = EXAMPLES[path.join(' ')];
    if (examples) command.addHelpText('after', `\nExamples:\n${examples.map((each) => `  ${each}`).join('\n')}`);
    for (const sub of command.commands) walk(sub, [...path, sub.name()]);
  };
  walk(program, []);
}
