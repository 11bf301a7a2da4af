/** A node's announcements on a clock that only the test moves, and what whoever listens hears of them. */

import type { Clock } from '../../src/basics/environment.ts';
import type { Address } from '../../src/basics/hex.ts';
import { type Announcements, createAnnouncements } from '../../src/node/messaging/announce.ts';
import { stateFrom } from '../../src/node/runtime/actors/kinds.ts';
import type { NodeSettings } from '../../src/node/runtime/parts.ts';
import type { Topic } from '../../src/partner/transport.ts';
import { DEFAULT_FEE_TERMS } from '../../src/protocol/fees/fee-terms.ts';
import type { SignedServiceMessage } from '../../src/protocol/services/service-message-types.ts';
import { decodeServiceMessages } from '../../src/protocol/services/service-messages.ts';
import { createSigner } from '../../src/signer/signer.ts';
import { anvilAccount } from './chain.ts';
import type { PlayedChannel } from './channel-makers.ts';
import { STRANGER } from './makers.ts';
import { NODE_FACTS } from './payment-makers.ts';

/** The key of OWN. */
const signer = createSigner(anvilAccount(1).getHdKey().privateKey ?? new Uint8Array());
export const REWARD = 80n;

type Parts = {
  channels?: Record<string, PlayedChannel>;
  fees?: NodeSettings['fees'];
  isMonitored?: boolean;
  /** The address of the monitoring contract; null: there is none. */
  monitoringService?: Address | null;
};

/** Time begins at one second. */
export function announcing(parts: Parts = {}) {
  const { fees = { byToken: new Map(), others: DEFAULT_FEE_TERMS } } = parts;
  const { monitoringService = STRANGER } = parts;
  const world = {
    now: 1_000,
    channels: new Map(Object.entries(parts.channels ?? {})),
    node: 'ready',
    maySpeak: true,
    /** Broadcasts the greeting of a service that begins to listen. */
    hello() {},
    /** What the user deposit holds; null: the chain cannot be asked. */
    deposit: REWARD as bigint | null,
  };
  const heard: { topic: Topic; messages: SignedServiceMessage[] }[] = [];
  const logged: string[] = [];
  const { clock, advance } = movedClock(world);
  const note = (_: unknown, text: string) => void logged.push(text);
  const announcements: Announcements = createAnnouncements({
    flush() {},
    settings: {
      fees,
      contracts: { userDepositAddress: STRANGER, monitoringServiceAddress: monitoringService },
      monitoringReward: parts.isMonitored === true ? REWARD : null,
    },
    own: signer.address,
    actors: {
      stateOf(id) {
        if (id === 'node') {
          const context = { ...NODE_FACTS, tokens: [], wakeBlock: null };
          return { kind: 'node', value: world.node, context };
        }
        const snapshot = world.channels.get(id)?.snapshot;
        return snapshot === undefined ? null : stateFrom(id, snapshot);
      },
    },
    directory: { ofToken: () => [...world.channels.keys()] },
    transport: {
      broadcast(topic, payload) {
        const { messages, refused } = decodeServiceMessages(payload);
        if (refused.length > 0) throw new Error(`not understood: ${refused[0]?.reason}`);
        heard.push({ topic, messages });
      },
      onBroadcast(topic, handler) {
        if (topic === 'hello') world.hello = () => handler(new Uint8Array());
      },
    },
    sign: signer.sign,
    maySpeak: () => world.maySpeak,
    reads: {
      effectiveDeposit: async () =>
        world.deposit === null
          ? { ok: false, code: 'chain_unavailable', detail: '' }
          : { ok: true, value: world.deposit },
    },
    clock,
    log: { info: note, warn: note },
  });
  return {
    world,
    announcements,
    logged,
    advance,
    /** The channel is now in this state, and a commit says so. */
    commit(id: string, channel: PlayedChannel) {
      world.channels.set(id, channel);
      announcements.changed(new Set([id]));
    },
    /** What was broadcast since the last call, on one topic or on all. */
    heard: (topic: Topic | null = null) =>
      heard
        .splice(0)
        .filter((one) => topic === null || one.topic === topic)
        .flatMap(({ messages }) => messages),
  };
}

/** Time goes in steps of 50 ms; work that is due is done in between. */
function movedClock(world: { now: number }) {
  const works = new Set<{ ms: number; next: number; work: () => void }>();
  const clock: Clock = {
    now: () => world.now,
    elapsed: () => world.now,
    every(ms, work) {
      const entry = { ms, next: world.now + ms, work };
      works.add(entry);
      return () => void works.delete(entry);
    },
  };
  async function advance(ms: number) {
    for (let gone = 0; gone < ms; gone += 50) {
      world.now += 50;
      for (const entry of works) {
        if (entry.next > world.now) continue;
        entry.next += entry.ms;
        entry.work();
      }
      // Lets the chain's answers arrive before the clock goes on.
      await Promise.resolve();
    }
    await new Promise(setImmediate);
  }
  return { clock, advance };
}
