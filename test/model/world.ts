/** Two ends, a wire and a chain, and everything that can happen to them. */
import { channelActorId } from '../../machines/channel-context.ts';
import type { PartnerProof, RecordProof } from '../../machines/effects.ts';
import type { Delivery } from '../../src/node/turn.ts';
import type { PendingWithdraw } from '../../src/protocol/channel-end.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';
import { decodeBatch, encodeMessage } from '../../src/protocol/message-codec.ts';
import { createWire, type Parcel } from '../support/wire.ts';
import { createChain, NETWORK, TOKEN } from './chain.ts';
import { createEnd, type End } from './end.ts';

export const CHANNEL = channelActorId(NETWORK, 1n);
export const CONFIRMATIONS = 2n;
export const WEALTH = 1_000n;
const OWNERS = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
] as const;

export type Who = 0 | 1;
export type Action =
  | { do: 'pay'; by: Who; amount: number; blocks: number }
  | { do: 'deposit' | 'withdraw'; by: Who; amount: number }
  | { do: 'flow'; parcels: number }
  | { do: 'deliver' | 'lose' | 'double' | 'replay'; index: number }
  /** Somebody on the way writes other numbers where no signature covers them. */
  | { do: 'forge'; index: number; nonce: number; messageId: number }
  | { do: 'silence'; by: Who; blocks: number }
  | { do: 'wait'; seconds: number }
  | { do: 'mine'; blocks: number }
  | { do: 'arm'; by: Who; point: string; left: number }
  | { do: 'doom'; by: Who }
  | { do: 'close'; by: Who }
  | { do: 'cheat'; by: Who; age: number };
export type Settings = {
  seed: number;
  revealTimeouts: readonly [number, number];
  settleTimeout: number;
  deposits: readonly [number, number];
};
export type Payment = { by: Who; amount: bigint; secrethash: Hash };
export type Consent = PendingWithdraw & { by: Address; participant: Address };
export type World = ReturnType<typeof createWorld>;

export function createWorld(settings: Settings, onSent: (parcel: Parcel) => void) {
  const draw = createDraw(settings.seed);
  const chain = createChain({
    owners: OWNERS,
    wealth: WEALTH,
    settleTimeout: BigInt(settings.settleTimeout),
  });
  const wire = createWire(onSent);
  const payments: Payment[] = [];
  const consents: Consent[] = [];
  const asked: { by: Who; requestId: string }[] = [];
  const silentUntil = [0n, 0n];
  let time = 0;
  let ids = 0n;
  let requests = 0;
  let cheater: Who | null = null;
  let lastOrder: Delivery | null = null;

  const newEnd = (who: Who): End =>
    createEnd({
      own: OWNERS[who],
      confirmations: CONFIRMATIONS,
      revealTimeout: BigInt(settings.revealTimeouts[who]),
      chain,
      send: (to, payload) => wire.send({ from: OWNERS[who], to, payload }),
      drawId: () => ++ids,
      now: () => time,
      delayOf: () => BigInt(1 + (draw() % 2)),
    });
  const ends = [newEnd(0), newEnd(1)] as const;
  const whoIs = (address: Address): Who => (address === OWNERS[0] ? 0 : 1);
  const isSilent = (who: Who) => chain.head() < (silentUntil[who] ?? 0n);

  function flush() {
    for (const end of ends) end.alive((process) => process.flush());
  }

  function deliver(parcel: Parcel | undefined) {
    if (parcel === undefined) return;
    const to = whoIs(parcel.to);
    if (isSilent(to) || isSilent(whoIs(parcel.from))) return;
    ends[to].alive((process) => process.take(parcel.payload));
  }

  /** Blocks come to each end in time, but not to both at once. */
  function mine(blocks: number) {
    for (let left = blocks; left > 0; left--) {
      chain.mine();
      for (const end of ends) end.see(chain.head() - CONFIRMATIONS - BigInt(draw() % 2));
    }
  }

  function flow(parcels: number) {
    for (let left = parcels; left > 0; left--) {
      flush();
      if (wire.size() === 0) return;
      deliver(wire.take(0));
    }
  }

  function wait(seconds: number) {
    time += seconds * 1000;
    for (const end of ends) end.alive((process) => process.repeatDue());
  }

  function pay({ by, amount, blocks }: Extract<Action, { do: 'pay' }>) {
    const secret: Secret = `0x${(payments.length + 1).toString(16).padStart(64, '0')}`;
    const secrethash = secrethashOf(secret);
    const partner = OWNERS[by === 0 ? 1 : 0];
    const id = `initiator:${secrethash}`;
    const payment = {
      ...{ token: TOKEN, tokenNetwork: NETWORK, target: partner, amount: BigInt(amount) },
      ...{ paymentId: BigInt(payments.length + 1), secret, secrethash, channel: CHANNEL, partner },
      lockTimeout: blocks === 0 ? null : BigInt(blocks),
      ...{ route: [OWNERS[by], partner], lockAmount: BigInt(amount) },
      ...{ requestId: id, attempt: 1, alternatives: [] },
    };
    ends[by].alive((process) => {
      payments.push({ by, amount: BigInt(amount), secrethash });
      lastOrder = { to: 'node', event: { type: 'cmd.pay', requestId: id, id, payment } };
      process.deliver(lastOrder);
    });
  }

  function ask(by: Who, event: { type: string } & Record<string, unknown>) {
    const requestId = `request:${++requests}`;
    ends[by].alive((process) => {
      if (!process.actors.has(CHANNEL)) return;
      asked.push({ by, requestId });
      process.deliver({ to: CHANNEL, event: { ...event, requestId } });
    });
  }

  function deposit(by: Who, amount: number) {
    const wide = { participantLimit: 500n, networkRoom: 500n, ownTokens: 500n };
    const totalDeposit = chain.depositOf(OWNERS[by]) + BigInt(amount);
    ask(by, { type: 'cmd.deposit', totalDeposit, limits: wide });
  }

  function withdraw(by: Who, amount: number) {
    const totalWithdraw = chain.withdrawnOf(OWNERS[by]) + BigInt(amount);
    const facts = { messageId: ++ids, isPartnerThere: true, canPayGas: true };
    ask(by, { type: 'cmd.withdraw', totalWithdraw, ...facts });
  }

  function forge({ index, nonce, messageId }: Extract<Action, { do: 'forge' }>) {
    const numbers = { nonce: BigInt(nonce), messageId: 1n + (BigInt(messageId) % (ids + 1n)) };
    wire.forge(index, (payload) => rewritten(payload, numbers));
  }

  /** Closes behind the node's back with a proof of the partner that is not its newest, or with none. */
  function cheat(by: Who, age: number) {
    const older = ends[by].disk.partnerProofs().slice(0, -1).map(provenStep);
    const proof = [null, ...older].at(-1 - (age % (older.length + 1))) ?? null;
    if (cheater !== null || chain.state() !== 'opened') return;
    cheater = by;
    const call = { type: 'close', proof } as const;
    chain.submit('cheat', { from: OWNERS[by], call, delay: 1n, isDoomed: false });
  }

  function act(action: Action) {
    switch (action.do) {
      case 'pay':
        return pay(action);
      case 'deposit':
        return deposit(action.by, action.amount);
      case 'withdraw':
        return withdraw(action.by, action.amount);
      case 'forge':
        return forge(action);
      case 'flow':
        return flow(action.parcels);
      case 'deliver':
        return deliver(wire.take(action.index));
      case 'lose':
        return wire.lose(action.index);
      case 'double':
        return wire.double(action.index);
      case 'replay':
        return wire.replay(action.index);
      case 'silence':
        ends[action.by].alive((process) => process.forgetPresence());
        silentUntil[action.by] = chain.head() + BigInt(action.blocks);
        return;
      case 'wait':
        return wait(action.seconds);
      case 'mine':
        flush();
        return mine(action.blocks);
      case 'arm':
        return ends[action.by].arm(action.point, action.left);
      case 'doom':
        return ends[action.by].doom();
      case 'close':
        return ask(action.by, { type: 'cmd.close' });
      case 'cheat':
        return cheat(action.by, action.age);
    }
  }

  for (const end of ends) end.begin();
  mine(4);
  for (const who of [0, 1] as const) deposit(who, settings.deposits[who]);
  flush();
  mine(8);

  return {
    ends,
    chain,
    payments,
    /** Commands to the channel that reached a living process. */
    asked,
    /** Everything that anybody signed for a withdraw. */
    consents,
    act,
    flush,
    ask,
    whoIs,
    cheater: () => cheater,
    /** The last payment is asked for once more, by the same end. */
    again(by: Who) {
      const order = lastOrder;
      if (order !== null) ends[by].alive((process) => process.deliver(order));
    },
    partnerOf: (who: Who) => ends[who === 0 ? 1 : 0],
    /** All faults end, and the ends meet again. */
    heal() {
      silentUntil.fill(0n);
      for (const end of ends) end.heal();
      for (const end of ends) end.alive((process) => process.forgetPresence());
    },
    /** Time goes on without faults: repeats, deliveries, a block. */
    tick() {
      wait(60);
      flow(500);
      mine(1);
      flow(500);
    },
  };
}

function provenStep({ nonce, balanceHash, additionalHash, signature }: RecordProof): PartnerProof {
  if (additionalHash === null || signature === null) throw new Error('model: an unsigned step');
  return { nonce, balanceHash, additionalHash, signature };
}

/** The payload with these numbers in its withdraw messages, whose signatures stay good. */
function rewritten(payload: Uint8Array, numbers: { nonce: bigint; messageId: bigint }) {
  const lines = decodeBatch(payload).messages.map(({ message, signature }) => {
    const isOpen = message.type === 'WithdrawRequest' || message.type === 'WithdrawConfirmation';
    return encodeMessage(isOpen ? { ...message, ...numbers } : message, signature);
  });
  return Buffer.from(lines.join('\n'));
}

/** The same numbers for the same seed, between 0 and 2^32. */
function createDraw(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 16;
  };
}
