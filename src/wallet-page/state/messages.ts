/** What the node told while the page was open: its notifications, and payments that came in. */
import { type Signal, signal } from '@preact/signals';
import type { Event } from '../../http/shapes/answers.ts';

/** `id`: of this page alone. */
export type WalletMessage = { id: number; time: string; isUrgent: boolean } & (
  | { kind: 'notification'; summary: string; body: string }
  | { kind: 'received'; token: string; from: string; amount: string; identifier: string }
);
type Notification = { summary: string; body: string; urgency: 'normal' | 'high' };
export type Messages = {
  list: Signal<readonly WalletMessage[]>;
  take(event: Event): void;
  /** Adds what the node answered when it was asked for its notifications. */
  add(notifications: readonly Notification[], time: string): void;
  forget(id: number): void;
};

const MOST = 100;

export function createMessages(): Messages {
  const list = signal<readonly WalletMessage[]>([]);
  let newest = 0;
  const put = (message: WalletMessage) => {
    list.value = [message, ...list.value].slice(0, MOST);
  };
  const next = () => {
    newest += 1;
    return newest;
  };
  function note({ summary, body, urgency }: Notification, time: string): void {
    const isUrgent = urgency === 'high';
    // It comes over the stream, and again when it is asked for.
    const isKnown = list.value.some(
      (one) => one.kind === 'notification' && one.summary === summary && one.body === body,
    );
    if (!isKnown) put({ kind: 'notification', id: next(), time, isUrgent, summary, body });
  }
  return {
    list,
    take(event) {
      if (event.type === 'notification') note(event.notification, `${event.log_time}Z`);
      if (event.type !== 'payment') return;
      const { payment } = event;
      if (payment.event !== 'EventPaymentReceivedSuccess') return;
      const { token_address: token, initiator: from, amount, identifier } = payment;
      const common = { id: next(), time: `${event.log_time}Z`, isUrgent: false };
      put({ kind: 'received', ...common, token, from, amount, identifier });
    },
    add(notifications, time) {
      for (const one of notifications) note(one, time);
    },
    forget(id) {
      list.value = list.value.filter((one) => one.id !== id);
    },
  };
}
