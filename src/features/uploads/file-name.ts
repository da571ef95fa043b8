import { ApiError, invalidField } from '../../platform/http/errors.ts';
import { shown } from '../../platform/http/shown.ts';

/** The joiners, the selectors of variants and the letters of flags are invisible too, and belong to words of Persian and to emoji. */
const NOT_A_NAME =
  /[\\/:*?"<>|]|^\.+$|[. ]$|^\s|\p{Cc}|(?!\p{Join_Control}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/u;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Requires one plain file name: no folders, no reserved device names, no control, direction or invisible characters, and nothing that a file system
 * or a terminal would interpret.
 */
export function checkFileName(name: string): void {
  if (name.length > 255 || NOT_A_NAME.test(name) || RESERVED.test(name)) {
    throw invalidField(
      'fileName',
      'INVALID_FILE_NAME',
      'expected a plain file name of at most 255 characters, without folders, reserved names or invisible characters',
    );
  }
}

/** The form in which a name is kept: file systems spell the same letters in two ways. */
export const keptName = (name: string): string => name.normalize('NFC');

/** 400 when a request names another file than the upload was opened for. */
export function checkSameFileName(sent: string, upload: { file_name: string }): void {
  if (keptName(sent) === keptName(upload.file_name)) return;
  const message = `seen ${shown(sent)}, expected ${shown(upload.file_name)}, the name with which the upload was opened`;
  throw new ApiError('FILE_NAME_MISMATCH', `The file name is another one than the upload was opened for: fileName: ${message}.`, {
    errors: [{ field: 'fileName', code: 'FILE_NAME_MISMATCH', message }],
  });
}
