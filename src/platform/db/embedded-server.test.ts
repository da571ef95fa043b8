import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, stopServer } from './embedded-server.ts';

test('a server comes back on the port that processes know it by, however long that is taken', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'));
  try {
    const portOf = (url: (database: string) => string): number => Number(new URL(url('postgres')).port);
    const port = portOf(await startServer({ directory }));
    assert.ok(port < 32_768, `${port} is a port that the system gives to clients`);
    await stopServer(directory);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    // The first refusal is told; only then does the other one leave.
    const log = (): void => void other.close();
    assert.equal(portOf(await startServer({ directory, port, log })), port);
    await stopServer(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
