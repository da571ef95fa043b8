// Forming a pool of 1,000,000 loans with its claims and fingerprints, beside its selection alone and a bare COPY of the same rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { writePoolTable } from '../src/loans/analytics/pool-table.ts';
import { openEngine } from '../src/loans/engine/engine.ts';
import { copyIn, copyOut } from '../src/platform/db/copy.ts';
import { startGateway } from '../test/support/gateway.ts';
import { formPool } from '../test/support/pools.ts';
import { dealOfLoans, writeLoans } from './gen-loans.ts';

const LOANS = 1_000_000;

export async function run(args: string[]): Promise<void> {
  const loans = Number(args[0] ?? LOANS);
  const workDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  await using gateway = await startGateway();
  try {
    const operator = await gateway.key('operator', 'Platform');
    const rows: Record<string, number>[] = [];
    for (const name of ['First', 'Second']) {
      const as = await gateway.key('originator', name);
      const loansPath = await writeLoans(workDir, name, loans);
      const dealId = await dealOfLoans(gateway, as, operator, loansPath);
      const selection = await seconds(() => selectAlone(workDir, dealId, loansPath));
      const forming = await seconds(async () => {
        const formed = await formPool(gateway, as, [dealId]);
        if (formed.status !== 201) throw new Error(JSON.stringify(formed.body));
      });
      const bare = await copyBare(gateway.deps.databaseUrl, as.organization_id);
      rows.push({ selection, forming, ...bare });
      print(
        `${name}: forming ${forming.toFixed(1)} s, selection alone ${selection.toFixed(1)} s, COPY ${bare.copy.toFixed(1)} s (without indexes ${bare.copy_without_indexes.toFixed(1)} s)`,
      );
    }
    const [, second = {}] = rows;
    const ratio = (second.forming ?? 0) / ((second.selection ?? 0) + (second.copy ?? 0));
    print(JSON.stringify({ bench: 'pools', ratio: Number(ratio.toFixed(2)), limit: 1.5, loans, ...second, limit_seconds: 20 }));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

/** What forming a pool took without claims: the selection and its figures. */
async function selectAlone(workDir: string, dealId: string, loansPath: string): Promise<void> {
  await using engine = await openEngine({ workDir, allowedDirectories: [] });
  await writePoolTable({
    engine,
    loanType: 'Auto',
    cutOff: '2026-11-30',
    sources: [{ deal_id: dealId, deal_number: 1, tape_version: 1, loansPath, outcomesPaths: [] }],
    condition: null,
    path: join(workDir, 'selection.parquet'),
  });
}

/** A table with the claims and digests of a pool, one row for each loan: what finds an identity or a digest is an index of its own. */
const BARE = `create table bare (like encumbered_loans, vin uuid, property uuid, contract_number uuid, invoice uuid)`;
const BARE_INDEXES = `alter table bare add primary key (holder_id, row_no);
  create unique index on bare (identity, generation) where generation is not null;
  create index on bare (vin) where vin is not null; create index on bare (property) where property is not null;
  create index on bare (contract_number) where contract_number is not null; create index on bare (invoice) where invoice is not null`;

/** The claims and digests of an organization copied into such a table, with its indexes and without. */
async function copyBare(databaseUrl: string, organizationId: string): Promise<{ copy: number; copy_without_indexes: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set sluice.scope = 'platform'`);
    const chunks: Buffer[] = [];
    const sink = new (await import('node:stream')).Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
    const digestOf = (kind: string): string =>
      `left join (select f.holder_id, d.row_no, d.digest as ${kind} from loan_fingerprints f, unnest(f.digests, f.row_nos) as d (digest, row_no)
         where f.kind = '${kind}') as of_${kind} using (holder_id, row_no)`;
    const kinds = ['vin', 'property', 'contract_number', 'invoice'];
    const loans = `select e.*, ${kinds.join(', ')} from encumbered_loans e ${kinds.map(digestOf).join(' ')} where e.organization_id = '${organizationId}' order by row_no`;
    await copyOut(client, `copy (${loans}) to stdout`, sink);
    const copied = async (indexes: string): Promise<number> => {
      await client.query(`drop table if exists bare; ${BARE}; ${indexes}`);
      return seconds(() =>
        copyIn(
          client,
          'copy bare from stdin',
          (async function* () {
            yield* chunks;
          })(),
        ),
      );
    };
    return { copy: await copied(BARE_INDEXES), copy_without_indexes: await copied('') };
  } finally {
    await client.end();
  }
}
