import Type, { type TSchema } from 'typebox';
import type { Route } from './route.ts';
import { MetaSchema, PaginationSchema } from './schemas.ts';

/** The whole answer of a route: its data in the envelope that its kind of answer has. */
export function replySchema(route: Route): TSchema {
  const success = Type.Literal(true);
  const reply = route.reply as TSchema;
  switch (route.replyKind ?? 'data') {
    case 'page':
      return Type.Object({ success, data: Type.Array(reply), pagination: PaginationSchema });
    case 'meta':
      return Type.Object({ success, data: Type.Array(reply), meta: MetaSchema });
    case 'message':
      return Type.Object({ success, message: Type.String() });
    case 'cursor':
      return Type.Object({ success, data: Type.Array(reply), next_after: Type.Union([Type.String(), Type.Null()]) });
    default:
      return Type.Object({ success, data: reply });
  }
}
