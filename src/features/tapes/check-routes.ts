import { localDate } from '../../finance/business-date.ts';
import type { Readable } from 'node:stream';
import Type from 'typebox';
import { dictionary } from '../../loans/dictionary/dictionary.ts';
import { checkTapeTask } from '../../loans/tasks/tasks.ts';
import { runForRequest } from '../../platform/compute/run-for-request.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, money, nullable } from '../../platform/http/schemas.ts';
import { checkFile } from './check-file.ts';
import { rememberedFor } from './remembered.ts';
import { Issue, MappingSchema, wireMapping } from './mapping-schema.ts';
import { TAG } from './wire.ts';
import { LoanTypeSchema } from '../deals/fields.ts';

const MIB = 1024 * 1024;
const CHECK = {
  deadlineMs: 5 * 60_000,
  waitMs: 60_000,
  instead: 'Upload the tape with POST /v1/api/originator/loans/initiate: its checks then run as a job.',
};

/** The dictionary, and checks of a file without a deal. */
export const tapeCheckRoutes: Route[] = [
  route({
    operation: 'getLoanDictionary',
    method: 'GET',
    path: '/v1/api/originator/loans/dictionary',
    access: 'originator',
    tag: TAG,
    summary: 'Read the canonical fields of a loan type',
    query: Type.Object({ type: LoanTypeSchema }),
    reply: Type.Array(
      named('CanonicalField', {
        field: Type.String(),
        type: Type.String(),
        required: Type.Boolean(),
        unit: nullable(Type.String()),
        range: nullable(
          named('FieldRange', { min: Type.Unknown(), max: Type.Unknown(), min_exclusive: Type.Boolean(), text: Type.String() }),
        ),
        enum: nullable(Type.Array(Type.String())),
        aliases: Type.Array(Type.String()),
        description: Type.String(),
        source: nullable(Type.String()),
      }),
    ),
    handler: async ({ query }) =>
      dictionary(query.type).map((field) => ({
        ...field,
        enum: field.enum && [...field.enum],
        aliases: [...field.aliases],
      })),
  }),
  route({
    operation: 'checkTape',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/api/originator/loans/check',
    access: 'originator',
    tag: TAG,
    summary: 'Check a tape without keeping it',
    description:
      'Send the file as it is (`text/csv`, also packed with gzip, the XLSX or the Parquet type, `loanType` in the query) or as a form with `file` and `loanType`. Nothing is stored.',
    query: Type.Object({ loanType: Type.Optional(LoanTypeSchema) }),
    bodyKind: 'raw',
    body: Type.Unknown({ description: 'The bytes of the file, or a form.' }),
    bodyLimitBytes: 512 * MIB,
    reply: named('TapeCheck', {
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
    errors: [
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'EMPTY_FILE',
      'UNREADABLE_FILE',
      'NO_LOAN_ROWS',
      'TOO_EXPENSIVE',
      'COMPUTE_BUSY',
    ],
    handler: async ({ deps, caller, query, request, reply, body, read }) => {
      const asOf = await read(async (tx) => localDate(tx.now, tx.zone));
      const remembered = (loanType: string) =>
        read(async (tx) => (await rememberedFor(tx, caller.organization_id, loanType, caller.actor_id))?.entries ?? []);
      const report = await checkFile({
        workDir: deps.workDir,
        headers: request.headers,
        bytes: (body as Readable | undefined) ?? request.raw,
        loanType: query.loanType,
        asOf,
        remembered,
        run: (tape) => runForRequest({ deps, caller, reply }, checkTapeTask, tape, CHECK),
      });
      const { files: _files, mapping, total_balance, ...rest } = report;
      return { ...rest, mapping: wireMapping(mapping), total_balance: Number(total_balance) };
    },
  }),
];
