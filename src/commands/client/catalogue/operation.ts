/** What the command line knows of an operation of the API; made from the description by `npm run generate`. */
export type Operation = {
  id: string;
  method: Method;
  path: string;
  summary: string;
  description: string;
  /** Names of the path's parameters, in their order. */
  path_fields: string[];
  query: Field[];
  headers: string[];
  body: Body | null;
  reply: Reply;
};

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** JSON with the fields of its object, or the bytes of a file. */
export type Body =
  | { kind: 'json'; required: boolean; fields: Field[]; example: Record<string, unknown> | null }
  | { kind: 'bytes' };

export type Field = {
  name: string;
  kind: FieldKind;
  /** Whether it takes several values. */
  list: boolean;
  required: boolean;
  values: string[];
  description: string;
};

export type FieldKind = 'text' | 'number' | 'boolean' | 'json';

export type Reply = {
  kind: 'list' | 'record' | 'file' | 'stream';
  /** Whether the list is read page by page. */
  paged: boolean;
  /** Fields of the record, or of each record of the list, that are neither lists nor objects. */
  columns: string[];
  /** Fields, on any level, that are amounts of money. */
  money: string[];
};
