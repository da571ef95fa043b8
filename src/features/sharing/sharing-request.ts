import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import type { Recipient } from './recipient.ts';

/** A request of a recipient. */
export type SharingRequest = {
  deps: Deps;
  recipient: Recipient;
  request: FastifyRequest;
  reply: FastifyReply;
  params: Record<string, string>;
  query: Record<string, unknown>;
};
