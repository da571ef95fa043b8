import Type from 'typebox';
import { namedOneOf } from '../../platform/http/named.ts';
import { text } from '../../platform/http/schemas.ts';
import { TAPE_FORMATS } from '../uploads/upload.ts';

export const fileName = text(300, 'Original name of the file.');
export const fileFormat = namedOneOf(
  'TapeFormat',
  TAPE_FORMATS,
  'MIME type of the tape. A file of `text/csv` may be packed with gzip (`tape.csv.gz`).',
);
export const fileSize = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Size in bytes; when given, the address is bound to it.',
  }),
);
