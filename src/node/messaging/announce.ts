/**
 * What this node tells services: path-finding services and nodes that route for themselves about its
 * channels, monitoring services about the balance proofs that it holds.
 */

import type { Clock, Log } from '../../basics/environment.ts';
import type { Address, Signature } from '../../basics/hex.ts';
import type { Topic, Transport } from '../../partner/transport.ts';
import type { Result } from '../../protocol/codes.ts';
import type { ServiceMessage } from '../../protocol/services/service-message-types.ts';
import {
  encodeServiceMessage,
  serviceMessageDigest,
} from '../../protocol/services/service-messages.ts';
import { payloadsOf } from '../../protocol/wire/lines.ts';
import type { Actors } from '../runtime/actors/actors.ts';
import { channelState, isServing } from '../runtime/actors/channel-states.ts';
import type { Directory } from '../runtime/actors/directory.ts';
import type { ContractAddresses, NodeSettings } from '../runtime/parts.ts';
import { createChannelUpdates } from './channel-updates.ts';
import { createMonitoringRequests } from './monitoring-requests.ts';
import { createRewardCover } from './reward-cover.ts';

/** How often delayed updates and answers to hellos are sent. */
const TICK_MS = 100;
/** How often everything is announced again, for services that missed it. */
const REPEAT_MS = 180_000;
/** Least time between two answers to a hello, because anybody can send hellos as often as they like. */
const HELLO_PAUSE_MS = 5_000;

type Options = {
  settings: Pick<NodeSettings, 'fees' | 'monitoringReward'> & {
    contracts: Pick<ContractAddresses, 'userDepositAddress' | 'monitoringServiceAddress'>;
  };
  own: Address;
  actors: Pick<Actors, 'stateOf'>;
  directory: Pick<Directory, 'ofToken'>;
  transport: Pick<Transport, 'broadcast' | 'onBroadcast'>;
  sign(digest: Uint8Array): Signature;
  /** Whether signed messages may be sent at all. */
  maySpeak(): boolean;
  /** Returns when everything that was handled is on disk: what is told is taken from the actors as they are now. */
  flush(): void;
  reads: { effectiveDeposit(contract: Address, owner: Address): Promise<Result<bigint>> };
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
};

export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements(options: Options) {
  const { settings, actors, directory, transport, sign, clock, maySpeak } = options;
  const channels = () => directory.ofToken(null);
  const stateOf = (id: string) => channelState(actors, id);
  const now = () => clock.now();
  const updates = createChannelUpdates({ stateOf, fees: settings.fees, now });
  const monitoring = createMonitoring(options, () => askAll());
  let timers: (() => void)[] = [];

  function say(topic: Topic, messages: readonly ServiceMessage[]) {
    if (messages.length === 0) return;
    options.flush();
    const lines = messages.map((message) =>
      encodeServiceMessage({ message, signature: sign(serviceMessageDigest(message)) }),
    );
    for (const payload of payloadsOf(lines)) transport.broadcast(topic, Buffer.from(payload));
  }

  /** A node that is behind the chain may not know of a close yet. */
  const isReady = () => maySpeak() && isServing(actors);

  function askAll() {
    if (maySpeak()) say('monitoring', monitoring.all(channels()));
  }

  let answeredAt = -Infinity;
  let isAsked = false;

  /** Announces everything again after a hello, by which a service or node says that it has just begun to listen. */
  function answerHello() {
    if (!isAsked || Math.abs(now() - answeredAt) < HELLO_PAUSE_MS) return;
    isAsked = false;
    answeredAt = now();
    askAll();
    repeat();
  }

  function tick() {
    answerHello();
    if (updates.hasWaiting() && isReady()) say('pathfinding', updates.due());
  }

  function repeat() {
    updates.doubt(channels());
  }

  return {
    /**
     * Called when these actors were written, before anything of that commit is sent: monitoring services are asked
     * before the balance proof is used.
     */
    changed(ids: ReadonlySet<string>) {
      if (!maySpeak()) return;
      const changed = [...ids].filter((id) => id.startsWith('channel:'));
      if (changed.length === 0) return;
      say('monitoring', monitoring.changed(changed));
      if (isReady()) say('pathfinding', updates.changed(changed));
      else updates.doubt(changed);
    },
    /** Called when this node may send from now on, or again after a pause in which nothing was sent. */
    begin() {
      askAll();
      repeat();
      tick();
      if (timers.length > 0) return;
      transport.onBroadcast('hello', () => {
        isAsked = true;
      });
      timers = [clock.every(TICK_MS, tick), clock.every(REPEAT_MS, repeat), monitoring.watch()];
    },
    /** Everything is announced again, such as other fees. */
    repeat,
    monitoringTrouble: monitoring.trouble,
    end() {
      for (const stop of timers) stop();
    },
  };
}

const UNCOVERED = 'The user deposit does not cover the reward of a monitoring service.';

/** `trouble`: why none looks after the channels though that is wanted, for people; null: nothing; undefined: not known yet. */
function createMonitoring(options: Options, onCovered: () => void) {
  const { settings, own, actors, sign, reads, clock, log } = options;
  const { userDepositAddress, monitoringServiceAddress } = settings.contracts;
  const amount = settings.monitoringReward;
  if (amount === null) return { ...unasked, trouble: () => null };
  if (userDepositAddress === null || monitoringServiceAddress === null) {
    const trouble = 'The contract of monitoring services or the user deposit is not known.';
    log.warn({}, `no monitoring service is asked: ${trouble}`);
    return { ...unasked, trouble: () => trouble };
  }
  const requests = createMonitoringRequests({
    stateOf: (id) => channelState(actors, id),
    sign,
    reward: { monitoringService: monitoringServiceAddress, amount },
  });
  const effectiveDeposit = () => reads.effectiveDeposit(userDepositAddress, own);
  const cover = createRewardCover({ reward: amount, effectiveDeposit, clock, log, onCovered });
  // Nothing is known yet: a request in vain costs nothing, a missing one can cost a channel.
  const mayAsk = () => cover.isCovered() ?? true;
  return {
    changed: (ids: readonly string[]) => (mayAsk() ? requests.changed(ids) : []),
    all: (ids: readonly string[]) => (mayAsk() ? requests.all(ids) : []),
    watch: cover.watch,
    trouble(): string | null | undefined {
      const isCovered = cover.isCovered();
      return isCovered === undefined ? undefined : isCovered ? null : UNCOVERED;
    },
  };
}

const unasked = { changed: () => [], all: () => [], watch: () => () => {} };
