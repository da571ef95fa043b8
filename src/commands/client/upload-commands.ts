import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { notice } from '../notice.ts';
import { type Asked, settingsOf } from './account/settings.ts';
import { connect, loadClient } from './connection.ts';
import { CommandFailure, EXIT, tellLost } from './failure.ts';
import { requireFile } from './local-file.ts';
import { askSigned } from './lost-connection.ts';
import { writeBytes } from './output/bytes.ts';
import { print, terminalWidth } from './output/print.ts';
import { safeJson, safeText } from './output/safe-text.ts';
import { tableOf } from './output/table.ts';
import { progressBar } from './output/progress.ts';
import { refusalOf } from './refused.ts';
import type { Run } from './run.ts';

type TapeOptions = Asked & { type?: string; deal?: string; name?: string; mode?: string; wait?: boolean; json?: boolean };

const FIRST_FINDINGS = 10;

/** `tapes upload`: a tape from a file to its findings. */
export function addTapeUpload(parent: Command, run: Run): void {
  parent
    .command('upload <file>')
    .description(
      'upload a tape; with --wait until its checks have ended. Exit code 0: accepted, 10: accepted with findings, 11: it needs a mapping or a confirmation, 1: failed',
    )
    .option('--type <type>', 'loan type of a new deal: Auto, Mortgage, …')
    .option('--name <name>', 'name of the new deal')
    .option('--deal <id>', 'the deal that gets a further version of its tape')
    .addOption(new Option('--mode <mode>', 'what a further version does').choices(['REPLACE', 'MERGE']))
    .option('--wait', 'wait for the checks and show the findings')
    .option('--json', 'print JSON')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText(
      'after',
      '\nExamples:\n  sluice tapes upload auto.csv --type Auto --wait\n  sluice tapes upload corrected.csv --deal DEAL_ID --mode MERGE --wait',
    )
    .action((file: string, options: TapeOptions) => run((signal) => uploadTape(file, options, signal)));
}

async function uploadTape(file: string, options: TapeOptions, signal: AbortSignal): Promise<number> {
  if ((options.type === undefined) === (options.deal === undefined))
    throw new CommandFailure('say --type for a new deal, or --deal for a further version of one', EXIT.usage);
  await requireFile(file);
  const { TAPE_ENDINGS, tapeFormatOf } = await loadClient();
  if (tapeFormatOf(file) === null)
    throw new CommandFailure(
      `${file}: the name does not tell the format: give the file one that ends in ${TAPE_ENDINGS}`,
      EXIT.usage,
    );
  const { sluice } = await connect(settingsOf(process.env, options), signal);
  const bar = progressBar();
  const target =
    options.deal === undefined ? { loanType: options.type, name: options.name } : { dealId: options.deal, mode: options.mode };
  // The API checks the type and the mode, and says which there are.
  const asked = { ...defined(target), signal, onProgress: bar.show, onLost: tellLost } as unknown as Parameters<
    typeof sluice.uploadTape
  >[1];
  if (!options.wait) {
    const started = await sluice.uploadTape(file, { ...asked, wait: false }).finally(bar.end);
    if (options.json) print(safeJson(started.deal, 2));
    else print(`deal ${safeText(started.dealId)}: the checks have begun (job ${safeText(started.jobId)})`);
    return EXIT.ok;
  }
  const { deal, check, findings } = await sluice.uploadTape(file, { ...asked, wait: true }).finally(bar.end);
  if (options.json) print(safeJson(deal, 2));
  else {
    print(
      `deal ${safeText(deal.deal_id)}: ${check.state}; ${check.rows} rows, ${check.accepted} accepted, ${check.rejected} rejected`,
    );
    await showFindings(check.by_rule ?? [], findings);
  }
  if (check.reason) notice(safeText(check.reason));
  if (check.state === 'FAILED' || check.state === null) return EXIT.failure;
  if (check.state !== 'DONE') return EXIT.needsAnswer;
  return deal.issue_counts.error + deal.issue_counts.warning > 0 ? EXIT.findings : EXIT.ok;
}

const defined = (target: object): object => Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined));

async function showFindings(byRule: readonly object[], findings: AsyncIterable<object>): Promise<void> {
  if (byRule.length === 0) return;
  const rules = byRule.map((each) => ({ ...each }));
  print(`\n${tableOf(rules, Object.keys(rules[0] ?? {}), new Set(), terminalWidth()).lines.join('\n')}\n`);
  const first: object[] = [];
  let more = false;
  for await (const finding of findings) {
    more = first.length === FIRST_FINDINGS;
    if (more) break;
    first.push(finding);
  }
  const table = tableOf(
    first.map((each) => ({ ...each })),
    ['row_number', 'line', 'column', 'rule_id', 'severity', 'message'],
    new Set(),
    terminalWidth(),
  );
  print(table.lines.join('\n'));
  if (more) notice(`the first ${FIRST_FINDINGS} findings; all: sluice tapes findings DEAL_ID --all`);
  if (table.cut > 0 || table.left.length > 0) notice('… marks cut text: sluice tapes findings DEAL_ID --json has all of it');
}

type DocumentOptions = Asked & { type?: string; deal?: string; json?: boolean };

/** `documents upload` and `documents download`. */
export function addDocumentCommands(parent: Command, run: Run): void {
  parent
    .command('upload <file>')
    .description('upload a document to the deal room')
    .option('--type <type>', 'such as OFFERING_MEMORANDUM')
    .option('--deal <id>', 'the deal it belongs to')
    .option('--json', 'print JSON')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText('after', '\nExample:\n  sluice documents upload memorandum.pdf --type OFFERING_MEMORANDUM --deal DEAL_ID')
    .action((file: string, options: DocumentOptions) => run((signal) => uploadDocument(file, options, signal)));
  parent
    .command('download <document>')
    .description('download a document; an investor names its deal, too')
    .option('--deal <id>', 'the deal on the market, for an investor')
    .option('-o, --output <file>', 'where to write it')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText('after', '\nExample:\n  sluice documents download DOCUMENT_ID -o memorandum.pdf')
    .action((document: string, options: Asked & { deal?: string; output?: string }) =>
      run((signal) => downloadDocument(document, options, signal)),
    );
}

async function uploadDocument(file: string, options: DocumentOptions, signal: AbortSignal): Promise<number> {
  await requireFile(file);
  const { sluice } = await connect(settingsOf(process.env, options), signal);
  const fileName = basename(file);
  const about = {
    fileName,
    ...(options.type ? { documentType: options.type } : {}),
    ...(options.deal ? { dealId: options.deal } : {}),
  };
  const opened = await sluice.post('/v1/api/deals/documents/initiate', { body: about, signal });
  const sent = await askSigned('the upload to', opened.upload_url, {
    method: 'PUT',
    headers: opened.upload_headers,
    body: await openAsBlob(file),
    signal,
  });
  if (!sent.ok) throw await refusalOf('the upload', sent, opened.upload_url);
  const document = await sluice.post('/v1/api/deals/documents/complete', {
    body: { ...about, fileKey: opened.file_key },
    signal,
  });
  print(options.json ? safeJson(document, 2) : `document ${safeText(document.document_id)}: ${safeText(fileName)}`);
  return EXIT.ok;
}

async function downloadDocument(
  documentId: string,
  options: Asked & { deal?: string; output?: string },
  signal: AbortSignal,
): Promise<number> {
  const { sluice } = await connect(settingsOf(process.env, options), signal);
  const address =
    options.deal === undefined
      ? await sluice.post('/v1/api/deals/documents/{documentId}/download', { params: { path: { documentId } }, signal })
      : await sluice.post('/v1/api/investor/deals/{dealId}/documents/{documentId}/download', {
          params: { path: { dealId: options.deal, documentId } },
          signal,
        });
  const received = await askSigned('the download from', address.download_url, { signal });
  if (!received.ok || !received.body) throw await refusalOf('the download', received, address.download_url);
  await writeBytes(received.body, received.headers.get('content-type') ?? '', options.output);
  return EXIT.ok;
}
