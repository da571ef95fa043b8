import { readConfig } from '../config.ts';
import { openRuntime } from '../runtime.ts';

/** Opens everything a server needs and says of each part whether it works; 1 when one does not. */
export async function doctor(env: Record<string, string | undefined>, print: (line: string) => void): Promise<number> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...env });
  print(`ok    Node ${process.versions.node}`);
  print(`ok    settings: ${config.environment}, data in ${config.dataDir}`);
  try {
    await using runtime = await openRuntime(config);
    const [row] = await runtime.limits.direct<{ version: string; major: number }>(
      `select split_part(version(), ' on ', 1) as version, current_setting('server_version_num')::int / 10000 as major`,
    );
    print(
      `${(row?.major ?? 0) >= 15 ? 'ok   ' : 'FAIL '} database: ${row?.version}${config.databaseUrl ? '' : ' (embedded)'}, migrated`,
    );
    await runtime.store.ready();
    print(`ok    object store: ${runtime.store.kind}`);
    return (row?.major ?? 0) >= 15 ? 0 : 1;
  } catch (error) {
    print(`FAIL  ${(error as Error).message}`);
    return 1;
  }
}
