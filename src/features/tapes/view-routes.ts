import Type from 'typebox';
import { dictionary } from '../../loans/dictionary.ts';
import { diffTapes } from '../../loans/diff-tapes.ts';
import { writeIssuesFile } from '../../loans/issues-file.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Route, route } from '../../platform/http/route.ts';
import {
  date,
  id,
  LoanTypeSchema,
  money,
  nullable,
  oneOf,
  pageQuery,
  pathId,
  text,
  timestamp,
} from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { checkFile } from './check-file.ts';
import { mapTape } from './map-tape.ts';
import { findCurrentTape, findLatestTape, findMapping, findTape, listTapes, type StoredMapping, type Tape } from './queries.ts';
import { listIssues, listLoans, localFile, reader } from './read-tape-files.ts';

const MIB = 1024 * 1024;
const tag = 'Loan tapes';
const dealId = pathId('dealId', 'deal');

const Transform = Type.Object(
  {
    scale: Type.Optional(Type.Number({ description: 'The number is multiplied by it.' })),
    unit: Type.Optional(oneOf(['fraction', 'percent'], 'How a percent column is written.')),
    date: Type.Optional(text(40, 'Pattern of the dates, such as MMYYYY.')),
    values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))),
  },
  { description: 'How the column is read into its field where its values alone do not say it.' },
);

const MappingSchema = Type.Object({
  mappings: Type.Array(
    Type.Object({ source: Type.String(), target: Type.String(), transform: Type.Optional(Transform), confidence: Type.Number() }),
  ),
  unmapped: Type.Array(Type.String()),
  missing_required: Type.Array(Type.String()),
  suggestions: Type.Array(
    Type.Object({ source: Type.String(), target: Type.String(), confidence: Type.Number(), reason: Type.String() }),
  ),
});

const Issue = Type.Object({
  row_number: nullable(Type.Integer()),
  line: nullable(Type.Integer()),
  column: nullable(Type.String()),
  field: nullable(Type.String()),
  rule_id: Type.String(),
  severity: oneOf(['ERROR', 'WARNING']),
  message: Type.String(),
  actual: nullable(Type.String()),
  expected: nullable(Type.String()),
});

const Version = Type.Object({
  version: Type.Integer(),
  file_name: Type.String(),
  format: Type.String(),
  mode: oneOf(['REPLACE', 'MERGE']),
  size: Type.Integer(),
  sha256: Type.String(),
  state: oneOf(['RUNNING', 'NEEDS_MAPPING', 'DONE', 'FAILED']),
  rows: Type.Integer(),
  accepted: Type.Integer(),
  rejected: Type.Integer(),
  total_balance: money('Balance of the accepted rows.'),
  as_of_date: nullable(date()),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
});

const Loan = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Canonical fields of the loan type, with `row_number` (1 = first data row).',
});

export const tapeViewRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/dictionary',
    access: 'originator',
    tag,
    summary: 'Read the canonical fields of a loan type',
    query: Type.Object({ type: LoanTypeSchema }),
    reply: Type.Array(
      Type.Object({
        field: Type.String(),
        type: Type.String(),
        required: Type.Boolean(),
        unit: nullable(Type.String()),
        range: nullable(
          Type.Object({ min: Type.Unknown(), max: Type.Unknown(), min_exclusive: Type.Boolean(), text: Type.String() }),
        ),
        enum: nullable(Type.Array(Type.String())),
        aliases: Type.Array(Type.String()),
        description: Type.String(),
        source: nullable(Type.String()),
      }),
    ),
    handler: async ({ query }) => dictionary(query.type) as never,
  }),
  route({
    method: 'POST',
    path: '/v1/api/originator/loans/check',
    access: 'originator',
    tag,
    summary: 'Check a tape without keeping it',
    description:
      'Send the file as it is (`text/csv` or the XLSX type, `loanType` in the query) or as a form with `file` and `loanType`. Nothing is stored.',
    query: Type.Object({ loanType: Type.Optional(LoanTypeSchema) }),
    bodyKind: 'raw',
    body: Type.Unknown({ description: 'The bytes of the file, or a form.' }),
    bodyLimitBytes: 512 * MIB,
    reply: Type.Object({
      loan_type: Type.String(),
      rows: Type.Integer(),
      accepted: Type.Integer(),
      rejected: Type.Integer(),
      total_balance: money('Balance of the accepted rows.'),
      balance_basis: Type.String(),
      needs_mapping: Type.Boolean(),
      qc_failed: Type.Boolean({ description: 'More than 10 % of the rows were rejected.' }),
      issue_counts: Type.Object({ error: Type.Integer(), warning: Type.Integer() }),
      as_of_date: nullable(date()),
      mapping: MappingSchema,
      decisions: Type.Array(Type.String()),
      tape_findings: Type.Array(Type.Unknown()),
      statistics: Type.Unknown(),
      issues: Type.Array(Issue, { description: 'The first 1,000.' }),
    }),
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'EMPTY_FILE', 'UNREADABLE_FILE', 'NO_LOAN_ROWS'],
    handler: async ({ deps, caller, query, request, read }) => {
      const asOf = (await read(async (tx) => tx.now)).toISOString().slice(0, 10);
      const remembered = (loanType: string) =>
        read(async (tx) => (await findMapping(tx, caller.organization_id, loanType))?.entries ?? []);
      const report = await checkFile({ workDir: deps.workDir, request: request.raw, loanType: query.loanType, asOf, remembered });
      const { needsMapping, files: _files, total_balance, ...rest } = report;
      return { ...rest, needs_mapping: needsMapping, total_balance: Number(total_balance) } as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/loans',
    access: 'originator',
    tag,
    summary: 'List the accepted loans of the deal’s tape',
    params: dealId,
    query: pageQuery({
      outcome: Type.Optional(
        oneOf(['PASSED', 'FAILED', 'WAIVED'], 'Outcome in the deal’s newest completed selection criteria run.'),
      ),
    }),
    reply: Loan,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const found = await read(async (tx) => {
        const deal = await findDeal(tx, caller.organization_id, params.dealId as string);
        if (!deal) throw notFound('deal');
        return {
          deal,
          tape: await findCurrentTape(tx, caller.organization_id, deal.deal_id),
          outcomes: await newestOutcomes(tx, caller.organization_id, deal.deal_id),
        };
      });
      if (!found.tape?.loans_key || (query.outcome && !found.outcomes)) return { rows: [], total: 0 };
      return listLoans(deps, {
        ...query,
        loansKey: found.tape.loans_key,
        loanType: found.deal.loan_type,
        ...(query.outcome && found.outcomes
          ? { outcome: { value: query.outcome, outcomesKey: found.outcomes } }
          : { outcome: undefined as never }),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/issues',
    access: 'originator',
    tag,
    summary: 'List what the checks found in the rows of the newest tape',
    params: dealId,
    query: pageQuery({
      severity: Type.Optional(oneOf(['ERROR', 'WARNING'])),
      rule: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    reply: Issue,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const tape = await read((tx) => newestTape(tx, caller.organization_id, params.dealId as string));
      return (tape?.issues_key ? await listIssues(deps, tape.issues_key, query) : { rows: [], total: 0 }) as never;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/issues/file',
    access: 'originator',
    tag,
    summary: 'Download the rows with issues in a form that can be corrected and sent again',
    description:
      'The original columns in their order, then `_row,_rule,_reason,_actual,_expected`, which are ignored when the file comes back.',
    params: dealId,
    query: Type.Object({ format: Type.Unsafe<'csv' | 'xlsx'>({ type: 'string', enum: ['csv', 'xlsx'], default: 'csv' }) }),
    reply: Type.String(),
    replyKind: 'file',
    errors: ['NOT_FOUND'],
    handler: async ({ deps, caller, params, query, read }) => {
      const tape = await read((tx) => newestTape(tx, caller.organization_id, params.dealId as string));
      if (!tape?.raw_key || !tape.issues_key) throw notFound('issues file');
      const [rawPath, issuesPath, engine] = await Promise.all([
        localFile(deps, tape.raw_key),
        localFile(deps, tape.issues_key),
        reader(deps),
      ]);
      const stream = writeIssuesFile({ engine, rawPath, issuesPath, format: query.format });
      return { stream, contentType: contentType(query.format), fileName: `${params.dealId}-issues.${query.format}` };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/mapping',
    access: 'originator',
    tag,
    summary: 'Read how the columns of the newest tape were matched',
    params: dealId,
    reply: MappingSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ caller, params, read }) => {
      const tape = await read((tx) => newestTape(tx, caller.organization_id, params.dealId as string));
      return wireMapping(tape?.mapping ?? null);
    },
  }),
  route({
    method: 'PUT',
    path: '/v1/api/originator/loans/:dealId/mapping',
    access: 'originator',
    tag,
    summary: 'Change the mapping; the checks run again',
    description: 'Entries merge by `source`; `target: null` unmaps. Remembered for this organization and loan type.',
    params: dealId,
    body: Type.Object({
      mappings: Type.Array(
        Type.Object({
          source: Type.String({ minLength: 1, maxLength: 1_000 }),
          target: nullable(text(100)),
          transform: Type.Optional(Transform),
        }),
        {
          minItems: 1,
          maxItems: 2_000,
        },
      ),
    }),
    reply: Type.Object({
      deal_id: id('deal'),
      mapping_id: id('map'),
      qc: Type.Object({ state: oneOf(['RUNNING']) }),
      ...MappingSchema.properties,
    }),
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICT', 'RUN_IN_PROGRESS', 'MAPPING_INVALID'],
    example: { body: { mappings: [{ source: 'Face Amt', target: 'original_balance' }] } },
    handler: ({ deps, caller, params, body, write }) =>
      write(async (tx) => {
        const { tape, mapping } = await mapTape(tx, deps, caller, params.dealId as string, body.mappings as never);
        return {
          deal_id: tape.deal_id,
          mapping_id: tape.mapping_id ?? '',
          qc: { state: 'RUNNING' as const },
          ...wireMapping(mapping),
        };
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes',
    access: 'originator',
    tag,
    summary: 'List the versions of the deal’s tape, newest first',
    params: dealId,
    reply: Type.Array(Version),
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        if (!(await findDeal(tx, caller.organization_id, params.dealId as string))) throw notFound('deal');
        const tapes = await listTapes(tx, caller.organization_id, params.dealId as string);
        return tapes.map((tape) => ({ ...tape, total_balance: Number(tape.total_balance) })) as never;
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes/:version/diff',
    access: 'originator',
    tag,
    summary: 'Compare two versions of the tape: loans added, removed and changed, and the roll-forward of the balance',
    params: Type.Object({
      dealId: id('deal'),
      version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The newer version.' }),
    }),
    query: Type.Object({
      against: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The older version; the one before by default.' }),
      ),
    }),
    reply: Type.Object({
      added: Type.Integer(),
      removed: Type.Integer(),
      changed: Type.Integer(),
      roll_forward: Type.Object(
        Object.fromEntries(
          ['opening', 'added', 'removed', 'principal', 'charged_off', 'adjustment', 'closing'].map((name) => [
            name,
            Type.Number(),
          ]),
        ),
      ),
      breaks: Type.Array(
        Type.Unknown({ description: 'What cannot be: a balance that rose, a term that grew, a loan that came back.' }),
      ),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ deps, caller, params, query, read }) => {
      const version = Number(params.version);
      const [next, previous] = await read((tx) =>
        Promise.all(
          [version, query.against ?? version - 1].map((each) =>
            findTape(tx, caller.organization_id, params.dealId as string, each),
          ),
        ),
      );
      if (!next || !previous) throw notFound('tape version');
      if (!next.loans_key || !previous.loans_key)
        throw new ApiError('CONFLICT', 'The checks of one of the versions have not ended with loans.');
      const paths = await Promise.all([localFile(deps, previous.loans_key), localFile(deps, next.loans_key)]);
      const diff = await diffTapes({ engine: await reader(deps), previous: paths[0], next: paths[1] });
      return {
        ...diff,
        roll_forward: Object.fromEntries(Object.entries(diff.roll_forward).map(([name, value]) => [name, Number(value)])),
      } as never;
    },
  }),
];

async function newestTape(tx: Tx, organizationId: string, dealId: string): Promise<Tape | null> {
  if (!(await findDeal(tx, organizationId, dealId))) throw notFound('deal');
  return findLatestTape(tx, organizationId, dealId);
}

async function newestOutcomes(tx: Tx, organizationId: string, dealId: string): Promise<string | null> {
  const run = await tx.one<{ outcomes_key: string }>(
    `select outcomes_key from sc_jobs j join deals d using (deal_id) join tapes t on t.deal_id = d.deal_id and t.version = d.tape_version
     where j.organization_id = $1 and j.deal_id = $2 and j.status = 'COMPLETED' and j.tape_version = d.tape_version
       and coalesce(j.loans_key, t.loans_key) = t.loans_key and outcomes_key is not null order by j.created_at desc, sc_job_id desc limit 1`,
    [organizationId, dealId],
  );
  return run?.outcomes_key ?? null;
}

function wireMapping(mapping: StoredMapping | null) {
  return {
    mappings: mapping?.mappings ?? [],
    unmapped: mapping?.unmapped ?? [],
    missing_required: mapping?.missing_required ?? [],
    suggestions: mapping?.suggestions ?? [],
  } as never as { mappings: []; unmapped: string[]; missing_required: string[]; suggestions: [] };
}

export function contentType(format: 'csv' | 'xlsx' | 'json'): string {
  if (format === 'csv') return 'text/csv; charset=utf-8';
  return format === 'xlsx'
    ? 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    : 'application/json; charset=utf-8';
}
