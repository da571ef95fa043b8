import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneDatabase } from '../../../test/support/postgres.ts';
import { connectAlone, OF_LIMITER } from './connection.ts';
import { listen } from './listen.ts';

test('a listener that cannot connect says so once, and again when it receives', async (context) => {
  const database = await cloneDatabase();
  context.after(() => database.drop());
  const refused = new Error('too many connections');
  let refusals = 2;
  const said: unknown[] = [];
  const connect = async () => {
    refusals -= 1;
    if (refusals >= 0) throw refused;
    return await connectAlone({ url: database.url, name: 'listener', patience: OF_LIMITER });
  };
  await new Promise<void>((resolve) => {
    const listener = listen({
      connect,
      channel: 'news',
      troubled: (reason) => said.push(reason),
      received: (payload) => {
        said.push(payload === null ? 'from now on' : payload);
        resolve();
      },
    });
    context.after(() => listener.close());
  });
  assert.deepEqual(said, [refused, null, 'from now on']);
});
