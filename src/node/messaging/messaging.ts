/**
 * Everything between this node and other nodes: messages of its actors are sealed and sent, received ones are opened
 * and delivered to the actors, and it is known which partners are online.
 */
import type { Address } from '../../basics/hex.ts';
import type { Actors } from '../runtime/actors/actors.ts';
import type { KeeperIndex } from '../runtime/actors/boot.ts';
import { channelState } from '../runtime/actors/channel-states.ts';
import type { Directory } from '../runtime/actors/directory.ts';
import { sentIn } from '../runtime/actors/parties.ts';
import type { Engine } from '../runtime/commits/turn.ts';
import type { Happenings } from '../runtime/happenings.ts';
import { boundsFrom } from '../runtime/knowledge/bounds.ts';
import type { Meter } from '../runtime/knowledge/meter.ts';
import { createRefusalLog } from '../runtime/knowledge/refusal-log.ts';
import type { Outbox } from '../runtime/outbox/outbox.ts';
import { feesOf, type NodeParts, type NodeSettings } from '../runtime/parts.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { createInbox } from './inbox.ts';
import { createIntroductions } from './introductions.ts';
import { createOnline } from './online.ts';
import { createPresence, type Presence } from './presence.ts';
import { createPublisher } from './publish.ts';
import { createSealing, type Sealing } from './sealing.ts';

type Options = {
  settings: Pick<NodeSettings, 'bounds' | 'chainId' | 'contracts' | 'fees'>;
  parts: Pick<
    NodeParts,
    | 'signer'
    | 'transport'
    | 'clock'
    | 'chance'
    | 'log'
    | 'fault'
    | 'recover'
    | 'addressOf'
    | 'cipher'
    | 'onBound'
  >;
  meter: Pick<Meter, 'message'>;
  actors: Pick<Actors, 'stateOf'>;
  directory: Pick<Directory, 'withPartner'>;
  keepers: Pick<KeeperIndex, 'of'>;
  outbox: Outbox;
  engine: Pick<Engine, 'turn' | 'acknowledge' | 'writeDone'>;
  drawId(): bigint;
  /** Whether messages of partners may be taken now. */
  isReady(): boolean;
  /** Whether that is so, or will be when the blocks are read that were seen. */
  isReadySoon(): boolean;
  /** Whether deadlines need the time more than messages do. */
  isPressed(): boolean;
  /** Whether a payee may still be paid off chain that shows its secret late. */
  mayPayLate(): boolean;
  /** See `createOnline`, as the next two. */
  onRival(error: null): void;
  onFenced(): void;
  hasTakenOver: boolean;
  happenings: Happenings;
};

export type Messaging = ReturnType<typeof createMessaging>;

export function createMessaging(options: Options) {
  const { settings, parts, meter, directory, outbox, engine, drawId } = options;
  const { signer, transport, clock, chance, fault } = parts;
  const { happenings, isPressed } = options;
  const elapsed = () => clock.elapsed();
  const isPartner = (address: Address) => directory.withPartner(address).length > 0;
  const allowance = createAllowance({
    isPartner,
    now: elapsed,
    bounds: boundsFrom(settings, parts),
  });

  const sealing = createSealing({
    own: signer.address,
    publicKey: signer.publicKey,
    chainId: settings.chainId,
    now: elapsed,
    tokenNetworkRegistry: settings.contracts.tokenNetworkRegistryAddress,
    sharedSecret: (publicKey) => signer.sharedSecret(publicKey),
    addressOf: parts.addressOf,
    ...(parts.cipher === undefined ? {} : { cipher: parts.cipher }),
    drawSalt: (count) => chance.bytes(count),
    isPartner,
    onMet: (address) => introductions.met(address),
  });
  const publisher = createPublisher({
    ...{ signer, sealing, transport, outbox, drawId, fault },
    maySpeak: () => online.maySpeak(),
    introduce: (to) => introductions.introduce(to),
    maySync: allowance.saying,
    now: elapsed,
    isPressed,
    onSent: (type) => meter.message(type, 'out', 'ok'),
  });
  const presence = createPresence({
    async ask(address) {
      const seen = await transport.presence(address);
      if (seen.state === 'reachable') sealing.learn(address, seen.publicKey);
      return seen.state;
    },
    elapsed,
    onBack: meet,
    onAway: (partner) => happenings.tell('away', partner),
  });
  const introductions = createIntroductions({
    ask: presence.check,
    onMet: (address) => online.hurry(address),
  });
  const inbox = inboxOf(options, { sealing, presence, allowance, isPartner });
  const online = createOnline({
    transport,
    publicKey: signer.publicKey,
    inbox,
    outbox,
    publisher,
    presence,
    sealing,
    clock,
    isPressed,
    onUnanswered(channels) {
      resynchronise(channels);
      const partners = channels.map((id) => channelState(options.actors, id)?.channel.partner);
      for (const partner of new Set(partners))
        if (partner !== undefined) void presence.check(partner);
    },
    writeDone: options.engine.writeDone,
    hasTakenOver: options.hasTakenOver,
    onRival: options.onRival,
    onFenced: options.onFenced,
    onSpeaking: () => happenings.tell('speaking'),
  });

  /**
   * Called when a partner is back: compares what both sides hold, and repeats at once what the partner may have missed.
   */
  function meet(partner: Address) {
    outbox.hurry(partner);
    resynchronise(directory.withPartner(partner));
  }

  function resynchronise(channels: readonly string[]) {
    engine.turn(channels.map((to) => ({ to, event: { type: 'actor.resynchronise' } })));
  }

  happenings.on('found', (_, { kind, context }) => {
    if (kind === 'channel') presence.watch(context.partner);
  });
  happenings.on('spawned', (spawn) => {
    if (spawn.type === 'spawn.channel') presence.watch(spawn.input.partner);
  });
  // What has come while blocks were read is taken then.
  happenings.on('confirmed', inbox.goOn);
  // The node listens from the first time on.
  happenings.on('caughtUp', () => {
    online.begin();
    for (const partner of presence.reachable()) meet(partner);
  });

  return {
    publisher,
    presence,
    maySpeak: online.maySpeak,
    isListening: online.isListening,
    sealSecret: sealing.sealSecret,
    /** Ends the timers: no message is repeated and no presence is asked for any more. */
    end: online.end,
    /** After the last message: closes the transport and overwrites every key. */
    async close() {
      await transport.close();
      sealing.end();
    },
  };
}

type Heard = {
  sealing: Sealing;
  presence: Presence;
  allowance: Allowance;
  isPartner(address: Address): boolean;
};

function inboxOf(options: Options, { sealing, presence, allowance, isPartner }: Heard) {
  const { settings, parts, meter, actors, engine, directory } = options;
  const elapsed = () => parts.clock.elapsed();
  const writeRefusal = createRefusalLog({
    elapsed,
    write: (entry) => parts.log.warn(entry, 'a partner message was refused'),
  });
  return createInbox({
    own: parts.signer.address,
    chainId: settings.chainId,
    feesOf: (token) => feesOf(settings, token),
    mayPayLate: options.mayPayLate,
    sentIn: (channel, secrethash) => sentIn(actors, channel, secrethash),
    keepersOf: options.keepers.of,
    claimOf: sealing.claimOf,
    open: sealing.open,
    openSecret: sealing.openSecret,
    recover: parts.recover,
    allowance,
    bounds: boundsFrom(settings, parts),
    isPartner,
    hasChannel: (partner, channel) => directory.withPartner(partner).includes(channel),
    isPressed: options.isPressed,
    isReady: options.isReady,
    isReadySoon: options.isReadySoon,
    turn(type, deliveries) {
      const refusal = engine.turn(deliveries);
      meter.message(type, 'in', refusal === null ? 'ok' : 'refused');
      if (refusal !== null) writeRefusal(refusal.reason, refusal.change);
    },
    acknowledge(messageId, sender) {
      engine.acknowledge(messageId, sender);
      meter.message('Processed', 'in', 'ok');
    },
    onHeard: presence.heard,
    onRefused(reason) {
      meter.message('unknown', 'in', 'refused');
      writeRefusal(reason);
    },
    now: elapsed,
    fault: parts.fault,
  });
}
