/** Endpoints for operators, and for programs that wait for events, beside the documented API. */
import * as v from 'valibot';
import { integer, object } from '../shapes/fields.ts';
import { endpoint } from './endpoint.ts';

const watching = { method: 'GET', tag: 'Operations', status: 200, atOnce: true } as const;

export const getLiveness = endpoint({
  ...watching,
  path: '/livez',
  summary: 'Whether the process serves',
  scope: 'open',
  answer: v.strictObject({ status: v.literal('ok') }),
  refusals: [],
});

export const getReadiness = endpoint({
  ...watching,
  path: '/readyz',
  summary: 'Whether the node takes calls',
  scope: 'open',
  answer: v.strictObject({ status: v.literal('ready'), warning: v.exactOptional(v.string()) }),
  refusals: ['syncing', 'chain_unavailable'],
});

export const getMetrics = endpoint({
  ...watching,
  path: '/metrics',
  summary: 'Numbers for Prometheus',
  scope: 'metrics',
  media: 'text/plain',
  answer: v.string(),
  refusals: [],
});

export const streamEvents = endpoint({
  ...watching,
  path: '/events/stream',
  summary: 'Payments, channel events and notifications as they happen',
  description:
    'Server-sent events. After `last_event_id`, or the header `Last-Event-ID`, nothing that is still kept ' +
    'is missed; an event `gap` tells what is not kept any more. Without it from now on. The data of each event ' +
    'is an `Event` as JSON, as webhooks get it.',
  scope: 'read',
  query: object({ last_event_id: v.optional(integer) }),
  media: 'text/event-stream',
  answer: v.string(),
  refusals: ['too_many_calls'],
});
