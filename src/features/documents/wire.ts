import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { VISIBILITIES } from './queries.ts';

export const TAG = 'Deal room';

const Document = {
  document_id: id('doc'),
  status: oneOf(['uploaded']),
  document_type: Type.String(),
  deal_id: nullable(id('deal')),
  file_name: Type.String(),
  content_type: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  sha256: Type.String({ description: 'Of the content, lower-case hexadecimal.' }),
  version: Type.Integer({ description: 'Incremented when the same name is uploaded for the same deal again.' }),
  visibility: namedOneOf('DocumentVisibility', VISIBILITIES),
  created_at: timestamp(),
};
export const DocumentSchema = named('DealDocument', { ...Document, file_key: Type.String() });
export const InvestorDocument = named('DocumentSummary', Document);
export const DocumentWithVersions = named('DocumentWithVersions', {
  ...Document,
  file_key: Type.String(),
  versions: Type.Array(InvestorDocument),
});

export const Address = named('DocumentAddress', {
  document_id: id('doc'),
  file_name: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  download_url: Type.String({ description: 'GET it without a key before it expires.' }),
  expires_at: timestamp('When the address stops working: five minutes after it was made.'),
});
