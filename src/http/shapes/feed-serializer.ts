/** Events of the feed as JSON text, the same for the event stream and the webhooks. */
import type { FeedEvent } from '../../node/runtime/commits/feed.ts';
import type { PaymentRecord } from '../../node/runtime/commits/records.ts';
import type { Event } from './answers.ts';
import { channelEventObject, logTime, notificationObject, recordObject } from './serializers.ts';

/** The data of one event, with the same objects as in the documented endpoints. */
export function feedText(event: FeedEvent): string {
  return JSON.stringify(feedObject(event));
}

/** A `gap` event: the events from `from` to `to` were dropped before they could be sent. */
export function gapText(from: number, to: number): string {
  const gap: Event = { type: 'gap', from: String(from), to: String(to) };
  return JSON.stringify(gap);
}

function feedObject(event: FeedEvent): Event {
  const common = { seq: String(event.seq), log_time: logTime(event.time) };
  switch (event.type) {
    case 'payment':
      return { type: event.type, ...common, payment: toldRecord(event.record) };
    case 'channel':
      return {
        type: event.type,
        ...common,
        token_address: event.token,
        partner_address: event.partner,
        channel_event: channelEventObject({ type: 'chain', log: event.log }),
      };
    case 'notification':
      return { type: event.type, ...common, notification: notificationObject(event.notification) };
  }
}

/** A payment as in the history, and with its identifier when it failed, too: the history's failures have none. */
function toldRecord(record: PaymentRecord) {
  const shown = recordObject(record);
  return shown.event === 'EventPaymentSentFailed'
    ? { ...shown, identifier: String(record.paymentId) }
    : shown;
}
