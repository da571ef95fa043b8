import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type SilentProxy = {
  /** The address of a server, by way of the proxy. */
  url(serverUrl: string): string;
  /** From now on nothing passes on the connections that there are, and nobody is told; new ones work. */
  silence(): void;
  /** Breaks the connections that there are and so many that follow, as a server that restarts. */
  refuse(connections: number): void;
  /** Lets the server commit so many transactions more, and breaks each connection in the place of telling so. */
  loseCommits(commits: number): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** What a server sends after a commit: the end of a command, and its name. */
const COMMITTED = 'COMMIT\0';

/** A way to a database on which connections can fall silent, as behind a firewall that forgot them: no FIN, no RST. */
export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let refused = 0;
  let lost = 0;
  const server = createServer((near) => {
    if (refused > 0) {
      refused -= 1;
      return void near.destroy();
    }
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    far.on('data', (bytes: Buffer) => {
      if (lost === 0 || !bytes.includes(COMMITTED)) return;
      lost -= 1;
      near.destroy();
    });
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  const breakAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href,
    silence: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    refuse: (connections) => {
      refused = connections;
      breakAll();
    },
    loseCommits: (commits) => {
      lost = commits;
    },
    [Symbol.asyncDispose]: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
