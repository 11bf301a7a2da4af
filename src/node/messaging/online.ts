/** The node's life on the wire: when it begins to listen, what it repeats, whom it asks for. */
import type { Transport } from '../../partner/transport.ts';
import type { Clock } from '../../protocol/environment.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Outbox } from '../runtime/outbox.ts';
import type { createInbox } from './inbox.ts';
import type { Presence } from './presence.ts';
import type { Publisher } from './publish.ts';
import type { Sealing } from './sealing.ts';

const OUTBOX_TICK_MS = 100;
const PRESENCE_TICK_MS = 500;

type Options = {
  transport: Transport;
  /** This node's own, 65 bytes. */
  publicKey: Uint8Array;
  inbox: ReturnType<typeof createInbox>;
  outbox: Outbox;
  publisher: Publisher;
  presence: Presence;
  sealing: Pick<Sealing, 'renew'>;
  clock: Clock;
  /** Which messages were acknowledged is written at each tick, unless it was before. */
  writeDone(): void;
  onRival(): void;
  /** What is signed may leave from now on, or again after a pause; nothing has left since. */
  onSpeaking(): void;
};

export function createOnline(options: Options) {
  const { transport, inbox, outbox, publisher, presence, sealing, clock } = options;
  let timers: (() => void)[] = [];
  let listening = false;
  /** Nobody else speaks for this key, as far as the network could be asked. */
  let isAlone = false;
  let hasRival = false;

  async function checkRival() {
    if (await transport.findRival()) return giveWay();
    speak();
  }

  /** Silent from this very moment, and for good: ending in order takes a while. */
  function giveWay() {
    isAlone = false;
    hasRival = true;
    options.onRival();
  }

  function speak() {
    if (hasRival || !transport.isConnected()) return;
    isAlone = true;
    options.onSpeaking();
  }

  function repeatDue() {
    if (!isAlone) return;
    const due = outbox.due();
    if (due.length === 0) return;
    publisher.repeat(due);
    publisher.flush();
  }

  async function listen() {
    if (await transport.findRival()) return giveWay();
    speak();
    transport.onMessage(inbox.take, options.publicKey);
    if (await transport.findRival()) giveWay();
  }

  return {
    /** The node has caught up with the chain: from here on it can promise and be paid. */
    begin() {
      if (listening) return;
      listening = true;
      timers = [
        clock.every(OUTBOX_TICK_MS, () => {
          options.writeDone();
          repeatDue();
        }),
        clock.every(PRESENCE_TICK_MS, () => presence.tick()),
      ];
      transport.onStatus((status) => {
        presence.forgetAll();
        // Whoever put this machine back to an earlier moment cut its connections with it.
        sealing.renew();
        if (status === 'connected') void checkRival();
      });
      void listen();
    },
    /**
     * Whether a signed message may leave. Another process with this key may have signed something else
     * for the same place already, so the question whether there is one comes first.
     */
    maySpeak: () => isAlone,
    /** Sends what waits for somebody whom it can reach only now. */
    hurry(to: Address) {
      outbox.hurry(to);
      repeatDue();
    },
    end() {
      for (const stop of timers) stop();
    },
  };
}
