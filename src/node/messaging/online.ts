/** The node on the network: when it begins to listen, what it repeats, and whose presence it asks for. */

import type { Clock } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import type { Outbox } from '../runtime/outbox/outbox.ts';
import type { createInbox } from './inbox.ts';
import type { Presence } from './presence.ts';
import type { Publisher } from './publish.ts';
import type { Sealing } from './sealing.ts';

const OUTBOX_TICK_MS = 100;
const PRESENCE_TICK_MS = 500;

type Options = {
  transport: Transport;
  /** This node's own public key, 65 bytes. */
  publicKey: Uint8Array;
  inbox: Pick<ReturnType<typeof createInbox>, 'take'>;
  outbox: Pick<Outbox, 'due' | 'hurry'>;
  publisher: Pick<Publisher, 'repeat' | 'flush'>;
  presence: Pick<Presence, 'tick' | 'forgetAll'>;
  sealing: Pick<Sealing, 'renew'>;
  clock: Clock;
  /** Called for channels whose partners did not answer in time: each is told what this node holds, and asked for the same. */
  onUnanswered(channels: readonly string[]): void;
  /** Whether deadlines need the time more than messages do: then nothing is repeated. */
  isPressed(): boolean;
  /** Called at each tick: writes which messages were acknowledged, if that is not written yet. */
  writeDone(): void;
  /** Called when another process has this key and nothing keeps it from going on: this node says nothing more. */
  onRival(error: null): void;
  /** Called when another process with this key listens, whose records the stream of both refuses. */
  onFenced(): void;
  /** See `ReplicaWatch`: then this node speaks before it has looked for another process with its key. */
  hasTakenOver: boolean;
  /** Called when signed messages may be sent from now on, or again after a pause in which nothing was sent. */
  onSpeaking(): void;
};

export function createOnline(options: Options) {
  const { transport, inbox, outbox, publisher, presence, sealing, clock } = options;
  let timers: (() => void)[] = [];
  let hasBegun = false;
  let isListening = false;
  /** Whether no other process uses this key, as far as the network could be asked. */
  let isAlone = false;
  let hasRival = false;

  async function checkRival() {
    // Who was replaced may listen for seconds, and the stream refuses what it writes.
    if (options.hasTakenOver) speak();
    if (!(await givesWay()) && !options.hasTakenOver) speak();
  }

  /** Looks for another process with this key. If it must, stops all sending at once and for good: to end takes a while. */
  async function givesWay(): Promise<boolean> {
    const rival = await transport.findRival();
    if (rival === 'fenced') options.onFenced();
    if (rival !== 'free') return false;
    isAlone = false;
    hasRival = true;
    // Until it has ended it would prove its key to the other, which would give way as well.
    void transport.close();
    options.onRival(null);
    return true;
  }

  function speak() {
    if (hasRival || !transport.isConnected()) return;
    isAlone = true;
    options.onSpeaking();
  }

  /** The timer of the question, where one answer does not last. */
  function watchForRivals(): (() => void)[] {
    const { rivalIntervalMs } = transport;
    if (rivalIntervalMs === undefined) return [];
    const ask = () => {
      if (isListening && !hasRival && transport.isConnected()) void givesWay();
    };
    return [clock.every(rivalIntervalMs, ask)];
  }

  function repeatDue() {
    if (!isAlone || options.isPressed()) return;
    const { entries, unanswered } = outbox.due();
    publisher.repeat(entries);
    if (unanswered.length > 0) options.onUnanswered(unanswered);
    publisher.flush();
  }

  async function listen() {
    if (!options.hasTakenOver && (await givesWay())) return;
    speak();
    transport.onMessage(inbox.take, options.publicKey);
    isListening = true;
    await givesWay();
  }

  return {
    /** Called when the node has caught up with the chain: from then on it can promise locks and be paid. */
    begin() {
      if (hasBegun) return;
      hasBegun = true;
      timers = [
        clock.every(OUTBOX_TICK_MS, () => {
          options.writeDone();
          repeatDue();
        }),
        clock.every(PRESENCE_TICK_MS, () => presence.tick()),
        ...watchForRivals(),
      ];
      transport.onStatus((status) => {
        presence.forgetAll();
        // If this machine was put back to an earlier snapshot, its connections were cut: new salts keep the seals safe.
        sealing.renew();
        if (status === 'connected') void checkRival();
      });
      void listen();
    },
    /**
     * Whether a signed message may be sent. Another process with this key may have signed another message with the same
     * nonce already, so the network is asked first whether there is one.
     */
    maySpeak: () => isAlone,
    /** See `NodeApi`. */
    isListening: () => isListening,
    /** Sends what waits for a node that can be reached only now. */
    hurry(to: Address) {
      outbox.hurry(to);
      repeatDue();
    },
    end() {
      for (const stop of timers) stop();
    },
  };
}
