/** Sits between a node and its transport, for the attacker who has the node's key. */

import type { Address, Hash, Secret } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { SentMessage } from '../../protocol/messages/table.ts';
import type { Group, Memory, Program } from './program.ts';
import type { Wiretap } from './wiretap.ts';

type Options = { own: Address; wiretap: Wiretap; program: Program };
export type Interceptor = ReturnType<typeof createInterceptor>;

/** Messages that are remembered: enough for all balance proofs of a channel in a run, and a bound for long runs. */
const KEPT = 2_000;

export function createInterceptor({ own, wiretap, program }: Options) {
  const sent: Memory['sent'][number][] = [];
  const heard: Memory['heard'][number][] = [];
  const payloads: Memory['payloads'][number][] = [];
  const secrets = new Map<Hash, Secret>();
  let publish: Transport['publish'] = () => {};

  function keep<T>(list: T[], item: T) {
    list.push(item);
    if (list.length > KEPT) list.shift();
  }

  function learn({ message }: SentMessage) {
    if ('secret' in message) secrets.set(secrethashOf(message.secret), message.secret);
    for (const change of message.type === 'Update' ? message.changes : [])
      if (change.type === 'unlock') secrets.set(secrethashOf(change.secret), change.secret);
  }

  function say({ to, messages }: Group) {
    const payload = wiretap.seal(to, messages);
    if (payload === null) return;
    for (const line of messages) keep(sent, { to, line });
    keep(payloads, { to, payload });
    publish(to, payload);
  }

  return {
    memory: { sent, heard, payloads, secrets } satisfies Memory,
    say,
    replay: (to: Address, payload: Uint8Array) => publish(to, payload),
    /** The transport that the node gets; a new one for each of its processes. */
    around(transport: Transport): Transport {
      publish = transport.publish;
      return {
        ...transport,
        publish(to, payload) {
          const messages = wiretap.sent(to, payload);
          messages.forEach(learn);
          if (program.outgoing === undefined || messages.length === 0) {
            for (const line of messages) keep(sent, { to, line });
            keep(payloads, { to, payload });
            return transport.publish(to, payload);
          }
          for (const group of program.outgoing(own, { to, messages })) say(group);
        },
        onMessage: (handler, publicKey) =>
          transport.onMessage((payload) => {
            const { from, messages } = wiretap.received(payload);
            messages.forEach(learn);
            for (const line of messages) if (from !== null) keep(heard, { from, line });
            const isKept =
              from === null ||
              messages.length === 0 ||
              (program.incoming?.({ from, by: own, messages }) ?? true);
            if (isKept) handler(payload);
          }, publicKey),
      };
    },
  };
}
