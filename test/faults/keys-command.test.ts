import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../support/postgres.ts';
import { createMachine, issueKey } from './processes.ts';

const ISSUE = [
  'keys',
  'issue',
  '--organization',
  'Acme',
  '--role',
  'both',
  '--environment',
  'development',
  '--requester',
  'Ada',
  '--use-case',
  'Try',
];
const TOKEN = /^[\w-]+\.([\w-]+)\.[\w-]+\n$/;

test('the command for keys', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using machine = createMachine({ DATABASE_URL: database.url });
  const keyId = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

  await t.test('prints a token alone on standard output, and what else there is to say beside it', async () => {
    const { code, stdout, stderr } = await machine.run([...ISSUE, '--expires-in', '12h']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, TOKEN);
    assert.match(stderr, new RegExp(`key ${keyId(stdout)} of org_\\w+, expires \\d{4}-`));
    const { iat, exp } = JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(exp - iat, 12 * 3_600);
  });

  await t.test('lists, rotates and revokes keys', async () => {
    const token = await issueKey(machine, 'investor', 'Bolt');
    const rotated = await machine.run(['keys', 'rotate', keyId(token), '--overlap', '0s']);
    assert.deepEqual([rotated.code, TOKEN.test(rotated.stdout)], [0, true], rotated.stderr);
    const revoked = await machine.run(['keys', 'revoke', keyId(rotated.stdout)]);
    assert.deepEqual([revoked.code, JSON.parse(revoked.stdout).status], [0, 'REVOKED'], revoked.stderr);
    const listed = await machine.run(['keys', 'list']);
    const keys = JSON.parse(listed.stdout) as { key_id: string; status: string; rotated_from: string | null }[];
    const status = (id: string) => keys.find((key) => key.key_id === id)?.status;
    assert.deepEqual([status(keyId(token)), status(keyId(rotated.stdout))], ['REVOKED', 'REVOKED']);
    assert.equal(keys.find((key) => key.key_id === keyId(rotated.stdout))?.rotated_from, keyId(token));
    const organizations = await machine.run(['organizations', 'list']);
    assert.deepEqual(
      JSON.parse(organizations.stdout)
        .map(({ name }: { name: string }) => name)
        .sort(),
      ['Acme', 'Bolt'],
    );
  });

  await t.test('ends with 2 for what was asked wrongly, with nothing on standard output, and says what is right', async () => {
    const wrong: [args: string[], says: RegExp][] = [
      [
        ['keys', 'issue', '--organization', 'Acme'],
        /'--role <role>'[^]*'--environment <[^]*'--requester <[^]*'--use-case <why>'/,
      ],
      [['tape', 'check'], /required argument 'file'[^]*'--type <type>'/],
      [[...ISSUE, '--role', 'king'], /Allowed choices are originator, investor, both, operator/],
      [[...ISSUE, '--expires-in', 'soon'], /90d, 12h/],
      [[...ISSUE, '--expires-in', '366d'], /at most 365 days/],
      [[...ISSUE, '--expires-in', '0d'], /at least 1 second/],
      [['keys', 'rotate', 'key_x', '--overlap', '31d'], /at most 30 days/],
      [[...ISSUE, '--requester', ' '], /printable/],
      [[...ISSUE, '--organization', 'x'.repeat(201)], /1 to 200/],
      [[...ISSUE, '--colour', 'red'], /unknown option/],
      [['keys', 'lend'], /unknown command/],
    ];
    await Promise.all(
      wrong.map(async ([args, says]) => {
        const { code, stdout, stderr } = await machine.run(args);
        assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
        assert.match(stderr, says, args.join(' '));
      }),
    );
  });

  await t.test('ends with 2 and every problem listed when settings are wrong', async () => {
    const { code, stdout, stderr } = await machine.run(['keys', 'list'], {
      SLUICE_COLOUR: 'red',
      PORT: 'http',
      SLUICE_RATE_LIMIT: '-1',
    });
    assert.deepEqual([code, stdout], [2, '']);
    for (const name of ['SLUICE_COLOUR', 'PORT', 'SLUICE_RATE_LIMIT']) assert.match(stderr, new RegExp(name));
  });

  await t.test('issues no operator key where customer keys are, nor one for a name that looks like another', async () => {
    await issueKey(machine, 'investor', 'Delta');
    const issue = (role: string, organization: string) => machine.run([...ISSUE, '--role', role, '--organization', organization]);
    for (const [run, says] of [
      [issue('operator', 'Delta'), /Delta \(org_\w+\) holds customer keys/],
      [issue('investor', 'DELTA'), /"DELTA" looks like "Delta"/],
    ] as const) {
      const { code, stdout, stderr } = await run;
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
    }
  });

  await t.test('ends with 1 when what was asked rightly cannot be done, and says why', async () => {
    const unknown = await machine.run(['keys', 'revoke', 'key_nope']);
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert.match(unknown.stderr, /no such key/);
    const revoked = await issueKey(machine, 'both', 'Cargo');
    await machine.run(['keys', 'revoke', keyId(revoked)]);
    const again = await machine.run(['keys', 'rotate', keyId(revoked)]);
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /REVOKED/);
    const unreachable = await machine.run(['keys', 'list'], { DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:9/none' });
    assert.deepEqual([unreachable.code, unreachable.stdout], [1, '']);
    assert.match(unreachable.stderr, /database/i);
    assert.doesNotMatch(unreachable.stderr, /secret|\.ts:\d/);
  });
});

test('a list that is longer than a command prints says how much of it was left out', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(
    `insert into organizations (organization_id, name) select 'org_' || n, 'House ' || n from generate_series(1, 1001) n`,
  );
  await owner.end();
  await using machine = createMachine({ DATABASE_URL: database.url });
  const { code, stdout, stderr } = await machine.run(['organizations', 'list']);
  assert.deepEqual([code, (JSON.parse(stdout) as unknown[]).length], [0, 1_000]);
  assert.match(stderr, /the newest 1000 of 1001/);
});
