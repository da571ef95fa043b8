import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../test/support/postgres.ts';
import fc from '../../test/support/property.ts';
import { audit, type AuditEntry } from './audit.ts';
import { BEGINNING, type Link, walkChain } from './audit-chain.ts';
import { openDatabase } from './db/database.ts';

/** Values whose spelling as JSON differs between writers: numbers, escapes, astral characters, order and repetition of keys. */
const recorded = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.string({ unit: 'grapheme' }),
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ unit: 'grapheme' })),
    {
      noNullPrototype: true,
    },
  ),
);
// The database holds no NUL in text.
const storable = recorded.filter((value) => !JSON.stringify(value ?? null).includes('\\u0000'));
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => !value.includes('\0'));
const entry: fc.Arbitrary<AuditEntry> = fc.record({
  organization_id: text,
  actor: text,
  action: text,
  entity_type: text,
  entity_id: text,
  before: storable,
  after: storable,
  reason: fc.option(text, { nil: null }),
});

test('the chain of whatever was recorded', async (t) => {
  const { url, drop } = await cloneDatabase();
  const db = openDatabase({ url, max: 2 });
  t.after(async () => {
    await db[Symbol.asyncDispose]();
    await drop();
  });
  const headOf = () => db.tx({ platform: true }, (tx) => tx.one<Link>('select sequence, hash from audit_head'));

  await t.test('is whole, however its values are spelled as JSON and however many entries a transaction has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 5 }), async (entries) => {
        const before = (await headOf()) ?? BEGINNING;
        await db.tx({ platform: true }, async (tx) => audit(tx, ...entries));
        const head = (await headOf()) as Link;
        assert.equal(head.sequence, before.sequence + entries.length);
        const walked = await db.tx({ platform: true }, (tx) => walkChain(tx, before, head.sequence));
        assert.deepEqual(walked, { reached: head, problem: null });
      }),
      { numRuns: 60 },
    );
  });

  await t.test('is whole from its beginning, in one walk', async () => {
    const head = (await headOf()) as Link;
    const walked = await db.tx({ platform: true }, (tx) => walkChain(tx, BEGINNING, head.sequence));
    assert.deepEqual(walked, { reached: head, problem: null });
  });

  await t.test('does not follow from another entry, and says which entry is missing beyond its end', async () => {
    const head = (await headOf()) as Link;
    const walk = (from: Link, to: number) => db.tx({ platform: true }, (tx) => walkChain(tx, from, to));
    const other = await walk({ sequence: 3, hash: 'f'.repeat(64) }, head.sequence);
    assert.deepEqual([other.problem?.code, other.problem?.sequence, other.reached.sequence], ['ENTRY_CHANGED', 4, 3]);
    const beyond = await walk(head, head.sequence + 2);
    assert.deepEqual([beyond.problem?.code, beyond.problem?.sequence], ['ENTRY_MISSING', head.sequence + 1]);
  });
});
