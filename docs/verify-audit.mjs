// Verifies an export of the audit log with Node alone: node verify-audit.mjs EXPORT.jsonl [SHA-256 OF THE PUBLIC KEY]
// Of the log of all every hash, link and signed checkpoint; of any export that it is whole and signed by the gateway.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
const [file, pinned] = process.argv.slice(2), digest = createHash('sha256');
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
let [number, entries, checkpoints, covered] = [0, 0, 0, 0], head, key, fingerprint, last, end;
const fail = (why) => (console.error(`NOT VALID${number ? `, line ${number}` : ''}: ${why}`), process.exit(1));
function attempt(work, why) {
  try { return work(); } catch (error) { return fail(`${why}: ${error.message}`); }
}
function signed(what, fields, signature) {
  const text = Buffer.from(`sluice audit ${what}\n${JSON.stringify(fields)}`);
  if (!verify(null, text, key, Buffer.from(String(signature), 'base64url'))) fail(`the ${what} is not signed by the key of the export`);
}
const kinds = {
  'audit-export'(line) {
    if (head) fail('a second beginning');
    const der = Buffer.from(line.public_key, 'base64');
    fingerprint = sha256(der);
    if (pinned && pinned.toLowerCase() !== fingerprint) fail(`the key is ${fingerprint}, not the one that you trust`);
    if (!line.series.endsWith(`-${fingerprint.slice(0, 16)}`)) fail('the series of checkpoints is of another key');
    key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    head = line;
    last = { sequence: line.from_sequence - 1, hash: line.previous_hash };
  },
  entry(line) {
    entries += 1;
    if (head.organization_id !== null) return line.organization_id === head.organization_id || fail('an entry of another organization');
    const { sequence, id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at, previous_hash } = line;
    const fields = [sequence, id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at, previous_hash];
    if (!isDeepStrictEqual(JSON.parse(line.hashed).slice(-12), fields)) fail(`entry ${sequence} shows other fields than were hashed`);
    if (sha256(line.hashed) !== line.hash) fail(`entry ${sequence} does not have the hash of its content`);
    if (sequence !== last.sequence + 1) fail(`entry ${sequence} follows entry ${last.sequence}`);
    if (previous_hash !== last.hash) fail(`entry ${sequence} does not carry the hash of the entry before it`);
    last = line;
  },
  checkpoint(line) {
    const { number, sequence, hash, at, signature } = line;
    if (sequence !== last.sequence || hash !== last.hash) fail(`checkpoint ${number} was signed over another entry ${sequence}`);
    signed('checkpoint', [head.series, number, sequence, hash, at], signature);
    [checkpoints, covered] = [checkpoints + 1, sequence];
  },
  end(line) {
    end = line;
    if (line.entries !== entries || line.sha256 !== digest.digest('hex')) fail(`the end speaks of ${line.entries} entries and other lines`);
    signed('export', [head.series, head.organization_id, line.entries, line.sha256, line.at], line.signature);
  },
};
for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
  number += 1;
  const line = attempt(() => JSON.parse(text), 'this is no JSON, the file was cut or changed');
  if (end || !Object.hasOwn(kinds, line.type) || (!head && line.type !== 'audit-export')) fail(`a line of type ${line.type} in the wrong place`);
  attempt(() => kinds[line.type](line), 'this is not what an export has');
  if (!end) digest.update(`${text}\n`);
}
if (!end) fail('the export has no end: it was cut off');
console.log(`VALID: ${entries} entries, ${checkpoints} signed checkpoints${covered ? ` up to entry ${covered}` : ''}, made ${end.at}, key ${fingerprint}`);
