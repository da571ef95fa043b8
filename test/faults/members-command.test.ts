import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../support/postgres.ts';
import { createMachine, issueKey } from './processes.ts';

test('the command for the approval policy', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using machine = createMachine({ DATABASE_URL: database.url });
  const policy = (...changes: string[]) => machine.run(['approval-policy', ...changes]);
  const early = await policy('SETTLE=2');
  assert.deepEqual([early.code, /no operator yet/.test(early.stderr)], [1, true], early.stderr);
  await issueKey(machine, 'operator', 'Platform');
  const set = await policy('SETTLE=2', 'ALLOCATE=3');
  assert.equal(set.code, 0, set.stderr);
  const { acts, advice } = JSON.parse(set.stdout);
  assert.deepEqual([acts.SETTLE, acts.ALLOCATE, acts.KEY_ISSUE, advice.length], [2, 3, 1, 2]);
  assert.equal(JSON.parse((await policy('SETTLE=1')).stdout).acts.ALLOCATE, 3, 'acts that are not named stay');
  assert.match((await policy('SETTLE=4')).stderr, /an act and 1, 2 or 3/);
});

test('the command for members', async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  await using machine = createMachine({ DATABASE_URL: database.url });
  await issueKey(machine, 'both', 'Acme');
  const add = (...more: string[]) => machine.run(['members', 'add', '--organization', 'Acme', ...more]);
  const ada = await add('--email', 'Ada@example.com', '--rights', 'APPROVE', 'ADMIN');

  await t.test('adds the first member of an organization', async () => {
    assert.equal(ada.code, 0, ada.stderr);
    const { member_id, created_at, ...member } = JSON.parse(ada.stdout);
    assert.match(`${member_id} ${created_at}`, /^mem_\w{26} \d{4}-/);
    assert.deepEqual(member, {
      organization: 'Acme',
      email: 'ada@example.com',
      name: 'ada@example.com',
      rights: ['ADMIN', 'APPROVE'],
      status: 'INVITED',
      invited_by: 'command line',
      last_sign_in_at: null,
    });
  });

  await t.test('lists, changes and removes members', async () => {
    const added = await add('--email', 'bob@example.com', '--name', 'Bob', '--rights', 'VIEW');
    const { member_id } = JSON.parse(added.stdout);
    const changed = await machine.run(['members', 'change', member_id, '--rights', 'EDIT', '--status', 'SUSPENDED']);
    const { name, rights, status } = JSON.parse(changed.stdout);
    assert.deepEqual([name, rights, status], ['Bob', ['EDIT'], 'SUSPENDED'], changed.stderr);
    const list = async (...args: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await machine.run(['members', 'list', ...args]);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout).map((each: { email: string }) => each.email);
    };
    assert.deepEqual(await list('--organization', 'Acme'), ['bob@example.com', 'ada@example.com']);
    const again = await machine.run(['members', 'invite-again', member_id]);
    assert.equal(JSON.parse(again.stdout).status, 'SUSPENDED', again.stderr);
    const removed = await machine.run(['members', 'remove', member_id]);
    assert.equal(removed.code, 0, removed.stderr);
    assert.deepEqual(await list(), ['ada@example.com']);
  });

  await t.test('says why it refuses', async () => {
    const { member_id } = JSON.parse(ada.stdout);
    const carl = ['--email', 'carl@example.com', '--rights', 'VIEW'];
    const cases: [args: string[], code: number, says: RegExp][] = [
      [['add', '--organization', 'Nobody', ...carl], 1, /no organization "Nobody": its first key makes it/],
      [['add', '--organization', 'ACME', ...carl], 1, /one is called "Acme"/],
      [['list', '--organization', 'Nobody'], 1, /no organization/],
      [['add', '--organization', 'Acme', '--email', 'ada@example.com', '--rights', 'VIEW'], 1, /has a member with the address/],
      [['add', '--organization', 'Acme', '--email', 'nobody', '--rights', 'VIEW'], 1, /e-mail address/],
      [['remove', member_id], 1, /the last member of Acme with the right ADMIN/],
      [['change', 'mem_none', '--name', 'X'], 1, /no member mem_none/],
      [['add', '--organization', 'Acme', ...carl, '--rights', 'KING'], 2, /Allowed choices are ADMIN, EDIT, APPROVE, VIEW/],
      [['add', '--organization', 'Acme', '--email', 'carl@example.com'], 2, /required option/],
      [['change', member_id, '--status', 'INVITED'], 2, /Allowed choices are ACTIVE, SUSPENDED/],
    ];
    for (const [args, code, says] of cases) {
      const refused = await machine.run(['members', ...args]);
      assert.deepEqual([args, refused.code, refused.stdout], [args, code, ''], refused.stderr);
      assert.match(refused.stderr, says);
    }
  });
});
