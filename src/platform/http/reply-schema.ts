import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { PendingApprovalSchema } from './approval-gate.ts';
import type { Reply, Route } from './route.ts';
import { MetaSchema, PaginationSchema } from './schemas.ts';

/** Suffix of a record's name in the name of its envelope. */
const SUFFIXES: Partial<Record<Reply, string>> = { data: 'Response', page: 'Page', meta: 'List', cursor: 'Slice' };

/** The whole response of a route: its data in the envelope of its reply kind. */
export function replySchema(route: Route): TSchema {
  const kind: Reply = route.replyKind ?? 'data';
  const reply = route.reply as TSchema & { title?: string; items?: { title?: string } };
  const record = reply.title ?? (reply.items?.title && `${reply.items.title}List`);
  const title = kind === 'message' ? 'MessageResponse' : record && SUFFIXES[kind] && `${record}${SUFFIXES[kind]}`;
  return envelope(kind, reply, title ? { title } : {});
}

/** The whole response of a route whose act waits for people. */
export const pendingReply = (): TSchema => envelope('data', PendingApprovalSchema, { title: 'PendingApprovalResponse' });

function envelope(kind: Reply, data: TSchema, options: { title?: string }): TObject<TProperties> {
  const success = Type.Literal(true);
  switch (kind) {
    case 'page':
      return Type.Object({ success, data: Type.Array(data), pagination: PaginationSchema }, options);
    case 'meta':
      return Type.Object({ success, data: Type.Array(data), meta: MetaSchema }, options);
    case 'message':
      return Type.Object({ success, message: Type.String() }, options);
    case 'cursor':
      return Type.Object({ success, data: Type.Array(data), next_after: Type.Union([Type.String(), Type.Null()]) }, options);
    default:
      return Type.Object({ success, data }, options);
  }
}
