// Documents of a deal room. The parts of the API's answers that the console shows; the reference at /docs has all of them.

export const DOCUMENT_TYPES = [
  'OFFERING_MEMORANDUM',
  'TERM_SHEET',
  'SERVICER_REPORT',
  'RATING_REPORT',
  'LEGAL_OPINION',
  'W9_FORM',
  'W8_FORM',
  'OTHER',
] as const;

export type Document = {
  document_id: string;
  deal_id: string | null;
  document_type: string;
  file_name: string;
  size: number;
  sha256: string;
  version: number;
  visibility: 'PRIVATE' | 'INVESTORS';
  created_at: string;
};

export type DocumentDetail = Document & { versions: Document[] };

export type Access = { reader_id: string; reader: string; key_id: string; act: string; at: string };

export type DocumentUpload = {
  file_name: string;
  file_key: string;
  upload_url: string;
  upload_headers: Record<string, string>;
};
