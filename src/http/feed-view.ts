/** Events of the feed as the stream and the webhooks send them: one JSON text for both. */
import type { FeedEvent } from '../node/api.ts';
import { channelEventObject, logTime, notificationObject, recordObject } from './views.ts';

/** The data of one event, in the objects of the documented endpoints. */
export function feedText(event: FeedEvent): string {
  return JSON.stringify(feedObject(event));
}

/** Events that were dropped before they could be told, from the first to the last of them. */
export function gapText(from: number, to: number): string {
  return JSON.stringify({ type: 'gap', from: String(from), to: String(to) });
}

function feedObject(event: FeedEvent) {
  const common = { type: event.type, seq: String(event.seq), log_time: logTime(event.time) };
  switch (event.type) {
    case 'payment':
      return { ...common, payment: recordObject(event.record) };
    case 'channel':
      return {
        ...common,
        token_address: event.token,
        partner_address: event.partner,
        channel_event: channelEventObject({ type: 'chain', log: event.log }),
      };
    case 'notification':
      return { ...common, notification: notificationObject(event.notification) };
  }
}
