// The schema of a database as SQL to read: what the migrations, run one after another, have made.
import pg from 'pg';

type Table = {
  oid: number;
  name: string;
  kind: 'r' | 'p' | 'v';
  unlogged: boolean;
  options: string[] | null;
  partition_key: string | null;
  view: string | null;
  row_security: boolean;
  forced: boolean;
  grants: string[];
};
type OfTable = { oid: number; line: string };

const HEAD = `-- The schema that db/migrations make, on PostgreSQL 18. Made by \`npm run generate\`; edits are overwritten, and nothing runs this file.
-- Partitions are left out: their dates follow the day. The tables of the job queue are made by its library.`;

/** Tables with all that belongs to each, then sequences, functions and default rights, by name. */
export async function schemaSql(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set search_path = public');
    await refuseUnknown(client);
    return [
      HEAD,
      ...(await tables(client)),
      ...(await lines(client, SEQUENCES)),
      ...(await functions(client)),
      ...(await defaults(client)),
      '',
    ]
      .join('\n\n')
      .replace(/\n+$/, '\n');
  } finally {
    await client.end();
  }
}

/** Objects that this file would not show. */
async function refuseUnknown(client: pg.Client): Promise<void> {
  const unknown = await lines(
    client,
    `select 'type ' || typname as line from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd', 'r')
     union all select 'relation ' || relname from pg_class
       where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'v', 'i', 'I', 'S', 't')
     union all select 'rule ' || rulename from pg_rules where schemaname = 'public'
     order by 1`,
  );
  if (unknown.length > 0) throw new Error(`test/schema-sql.ts does not know how to write: ${unknown.join(', ')}`);
}

async function tables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Table>(TABLES);
  const [columns, constraints, indexes, triggers, policies] = [
    await ofTables(client, COLUMNS),
    await ofTables(client, CONSTRAINTS),
    await ofTables(client, INDEXES),
    await ofTables(client, TRIGGERS),
    await ofTables(client, POLICIES),
  ];
  return rows.map((table) => {
    const of = (parts: Map<number, string[]>): string[] => parts.get(table.oid) ?? [];
    return [
      created(table, [...of(columns), ...of(constraints)]),
      ...of(indexes),
      ...of(triggers),
      ...(table.row_security ? [`alter table ${table.name} enable row level security;`] : []),
      ...(table.forced ? [`alter table ${table.name} force row level security;`] : []),
      ...of(policies),
      ...table.grants.map((grant) => `grant ${grant};`),
    ].join('\n');
  });
}

function created(table: Table, parts: readonly string[]): string {
  if (table.view !== null) return `create view ${table.name} as\n${table.view}`;
  const partitioned = table.partition_key === null ? '' : ` partition by ${table.partition_key}`;
  const options = table.options === null ? '' : ` with (${table.options.join(', ')})`;
  const kind = table.unlogged ? 'unlogged table' : 'table';
  return `create ${kind} ${table.name} (\n${parts.map((part) => `  ${part}`).join(',\n')}\n)${partitioned}${options};`;
}

async function functions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ definition: string; grants: string[] }>(FUNCTIONS);
  return rows.map(({ definition, grants }) =>
    [`${definition.trimEnd()};`, ...grants.map((grant) => `grant ${grant};`)].join('\n'),
  );
}

async function defaults(client: pg.Client): Promise<string[]> {
  const rights = await lines(client, DEFAULT_RIGHTS);
  return rights.length > 0 ? [rights.join('\n')] : [];
}

async function ofTables(client: pg.Client, sql: string): Promise<Map<number, string[]>> {
  const { rows } = await client.query<OfTable>(sql);
  return new Map([...Map.groupBy(rows, (row) => row.oid)].map(([oid, parts]) => [oid, parts.map((part) => part.line)]));
}

const lines = async (client: pg.Client, sql: string): Promise<string[]> =>
  (await client.query<{ line: string }>(sql)).rows.map((row) => row.line);

/** Rights of everybody but the owner, as `select, insert on <object> to <role>`. */
const grants = (acl: string, owner: string, object: string): string => `array(
  select string_agg(lower(privilege_type), ', ' order by privilege_type) || ' on ' || ${object} || ' to '
    || case grantee when 0 then 'public' else grantee::regrole::text end
  from aclexplode(${acl}) where grantee <> ${owner} group by grantee order by 1)`;

const TABLES = `
  select c.oid::int as oid, c.relname as name, c.relkind as kind, c.relpersistence = 'u' as unlogged, c.reloptions as options,
    case c.relkind when 'p' then pg_get_partkeydef(c.oid) end as partition_key,
    case c.relkind when 'v' then pg_get_viewdef(c.oid, true) end as view,
    c.relrowsecurity as row_security, c.relforcerowsecurity as forced, ${grants('c.relacl', 'c.relowner', 'c.relname')} as grants
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
  order by c.relname`;

const COLUMNS = `
  select a.attrelid::int as oid, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then 'not null' end,
    case when a.attidentity <> '' then 'generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' end,
    case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
      when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid, true) end) as line
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped order by a.attrelid, a.attnum`;

const CONSTRAINTS = `
  select conrelid::int as oid, 'constraint ' || conname || ' ' || pg_get_constraintdef(oid, true) as line
  from pg_constraint where conrelid <> 0 and contype in ('p', 'u', 'f', 'c', 'x') and connamespace = 'public'::regnamespace
  order by conrelid, position(contype::text in 'pufcx'), conname`;

const INDEXES = `
  select i.indrelid::int as oid, pg_get_indexdef(i.indexrelid, 0, true) || ';' as line
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace and not exists (select 1 from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
  order by i.indrelid, c.relname`;

const TRIGGERS = `
  select tgrelid::int as oid, pg_get_triggerdef(oid, true) || ';' as line
  from pg_trigger where not tgisinternal order by tgrelid, tgname`;

const POLICIES = `
  select polrelid::int as oid, concat_ws(E'\\n  ',
    'create policy ' || polname || ' on ' || polrelid::regclass
      || case when polpermissive then '' else ' as restrictive' end
      || case polcmd when '*' then '' when 'r' then ' for select' when 'a' then ' for insert' when 'w' then ' for update' else ' for delete' end
      || case when polroles = '{0}' then '' else ' to ' || array_to_string(polroles::regrole[], ', ') end,
    'using (' || pg_get_expr(polqual, polrelid, true) || ')',
    'with check (' || pg_get_expr(polwithcheck, polrelid, true) || ')') || ';' as line
  from pg_policy order by polrelid, polname`;

const SEQUENCES = `
  select array_to_string('create sequence ' || c.relname || ' as ' || format_type(s.seqtypid, null)
    || ${grants('c.relacl', 'c.relowner', "'sequence ' || c.relname")}, E';\\ngrant ') || ';' as line
  from pg_class c join pg_sequence s on s.seqrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and not exists (select 1 from pg_depend where objid = c.oid and deptype = 'i')
  order by c.relname`;

const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as definition, ${grants("coalesce(p.proacl, acldefault('f', p.proowner))", 'p.proowner', "'function ' || p.oid::regprocedure")} as grants
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
  order by p.proname, pg_get_function_identity_arguments(p.oid)`;

const DEFAULT_RIGHTS = `
  select 'alter default privileges in schema ' || d.defaclnamespace::regnamespace || ' grant ' || string_agg(lower(x.privilege_type), ', ' order by x.privilege_type)
    || ' on ' || case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' else d.defaclobjtype::text end
    || ' to ' || x.grantee::regrole || ';' as line
  from pg_default_acl d cross join aclexplode(d.defaclacl) x
  where d.defaclnamespace = 'public'::regnamespace and x.grantee <> d.defaclrole group by d.defaclnamespace, d.defaclobjtype, x.grantee
  order by 1`;
