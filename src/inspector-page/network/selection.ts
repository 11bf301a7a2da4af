/**
 * Which channel and which payment are open on the page over all nodes; kept in the address, so that a link opens
 * them.
 */
import { type Signal, signal } from '@preact/signals';

export type NetworkSelection = {
  /** Id of the channel's actor; null: none was chosen. */
  channel: Signal<string | null>;
  /** Name of the payer's node and id of its actor, with a blank between; null: none was chosen. */
  payment: Signal<string | null>;
  choose(part: { channel: string } | { payment: string }): void;
};

export function readSelection(): NetworkSelection {
  const query = new URLSearchParams(location.hash.replace(/^#/, ''));
  const channel = signal(query.get('channel'));
  const payment = signal(query.get('payment'));
  return {
    channel,
    payment,
    choose(part) {
      if ('channel' in part) channel.value = part.channel;
      else payment.value = part.payment;
      for (const [name, value] of Object.entries(part)) query.set(name, value);
      history.replaceState(null, '', `#${query}`);
    },
  };
}
