import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, nullable, oneOf, text, timestamp } from '../../platform/http/schemas.ts';
import { SHOWN_VERSIONS, VISIBILITIES } from './queries.ts';

export const TAG = 'Deal room';

export const fileName = text(1_000, 'A plain file name of at most 255 characters.');
export const fileKey = Type.String({ minLength: 1, maxLength: 300, description: 'file_key of the initiate step.' });
export const InitiateContentType = Type.Optional(
  Type.String({ maxLength: 200, description: 'Content type that the PUT will have; any by default.' }),
);

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
  versions: Type.Array(InvestorDocument, {
    description: `The newest first, at most ${SHOWN_VERSIONS}; the list of documents has all with versionsOf.`,
  }),
});

export const AddressFields = {
  document_id: id('doc'),
  file_name: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  download_url: Type.String({ description: 'GET it without a key before it expires.' }),
  expires_at: timestamp('When the address stops working: five minutes after it was made.'),
};
export const Address = named('DocumentAddress', AddressFields);
