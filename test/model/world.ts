/** Nodes in a line, a channel between each two neighbours, a wire and a chain, and what can happen to them. */
import { channelActorId } from '../../machines/channel-context.ts';
import type { PartnerProof, RecordProof } from '../../machines/effects.ts';
import type { FeeTerms } from '../../src/protocol/fee-terms.ts';
import type { Address } from '../../src/protocol/hex.ts';
import { decodeBatch, encodeMessage } from '../../src/protocol/message-codec.ts';
import { createWire, type Parcel } from '../support/wire.ts';
import type { Action, Consent, Settings, Where, Who } from './actions.ts';
import { createChain } from './chain.ts';
import { NETWORK } from './contract.ts';
import { open, sealedBy } from './crypto.ts';
import { createEnd, type End } from './end.ts';
import { createOrders } from './orders.ts';
import { createTwin } from './twin.ts';
import { createWithholding } from './withholding.ts';

export const CONFIRMATIONS = 2n;
export const WEALTH = 1_000n;
const OWNERS: readonly Address[] = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
];

export const actorOf = (channelId: bigint) => channelActorId(NETWORK, channelId);

export type World = ReturnType<typeof createWorld>;

const NO_FEES: FeeTerms = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };

export function createWorld(settings: Settings, onSent: (parcel: Parcel) => void) {
  const { fees = NO_FEES } = settings;
  const draw = createDraw(settings.seed);
  const owners = OWNERS.slice(0, settings.revealTimeouts.length);
  const last = owners.length - 1;
  const pairs = owners.slice(1).map((owner, n) => [ownerOf(n), owner] as const);
  const settleTimeout = BigInt(settings.settleTimeout);
  const chain = createChain({ pairs, wealth: WEALTH, settleTimeout });
  const wire = createWire(onSent);
  const consents: Consent[] = [];
  const silentUntil = owners.map(() => 0n);
  const withholding = createWithholding(() => chain.head());
  let time = 0;
  let ids = 0n;
  let cheater: Who | null = null;

  const ends = owners.map((own, who) =>
    createEnd({
      own,
      confirmations: CONFIRMATIONS,
      revealTimeout: BigInt(settings.revealTimeouts[who] ?? 0),
      fees,
      chain,
      send: (to, payload) => wire.send({ from: own, to, payload }),
      drawId: () => ++ids,
      now: () => time,
      delayOf: () => BigInt(1 + (draw() % 2)),
    }),
  );
  const whoIs = (address: Address): Who => owners.indexOf(address);
  const isSilent = (who: Who) => chain.head() < (silentUntil[who] ?? 0n);
  function endOf(who: Who): End {
    const end = ends[who];
    if (end === undefined) throw new Error(`model: nobody stands at ${who}`);
    return end;
  }
  const twin = createTwin({
    ...{ owners, endOf, actorOf, channelIds: chain.channelIds },
    mayCheat(who) {
      if (cheater !== null && cheater !== who) return false;
      cheater = who;
      return true;
    },
  });
  /** The channel between a node and the one before or behind it; at the ends of the line there is one. */
  function channelAt({ by, side = 0 }: Where): bigint {
    return BigInt(Math.min(Math.max(by + side, 1), last));
  }

  const orders = createOrders({
    ...{ fees, chain, last, ownerOf, endOf, actorOf, channelAt },
    drawId: () => ++ids,
  });
  const { payments, asked, ask } = orders;

  function flush() {
    for (const end of ends) end.alive((process) => process.flush());
  }

  function deliver(parcel: Parcel | undefined) {
    if (parcel === undefined) return;
    const to = whoIs(parcel.to);
    if (isSilent(to) || isSilent(whoIs(parcel.from))) return;
    const payload = withholding.heard(whoIs(parcel.from), parcel.payload);
    if (payload.length === 0) return;
    twin.around(to, () => endOf(to).alive((process) => process.take(payload)));
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

  function forge({ index, nonce, messageId }: Extract<Action, { do: 'forge' }>) {
    const numbers = { nonce: BigInt(nonce), messageId: 1n + (BigInt(messageId) % (ids + 1n)) };
    wire.forge(index, (payload) => rewritten(payload, numbers));
  }

  /** Closes behind the node's back with a proof of the partner that is not its newest, or with none. */
  function cheat({ age, ...where }: Extract<Action, { do: 'cheat' }>) {
    const channelId = channelAt(where);
    const proofs = endOf(where.by).disk.partnerProofs(actorOf(channelId));
    const older = proofs.slice(0, -1).map(provenStep);
    const proof = [null, ...older].at(-1 - (age % (older.length + 1))) ?? null;
    if (cheater !== null || chain.contract(channelId).state() !== 'opened') return;
    cheater = where.by;
    const call = { type: 'close', channelId, proof } as const;
    chain.submit('cheat', { from: ownerOf(where.by), call, delay: 1n, isDoomed: false });
  }

  /** Whoever knows the secret of a payment brings it on chain, whether it is needed or not. */
  function register(index: number) {
    const payment = payments[index % Math.max(payments.length, 1)];
    if (payment === undefined) return;
    const { secret, to } = payment;
    const isKnown = endOf(to).process()?.actors.stateOf(`target:${payment.secrethash}`);
    if (!isKnown || Object(isKnown.context).secret !== secret) return;
    const call = { type: 'registerSecret', secret } as const;
    chain.submit(`by hand ${secret}`, { from: ownerOf(to), call, delay: 1n, isDoomed: false });
  }

  function act(action: Action) {
    switch (action.do) {
      case 'pay':
        return orders.pay(action);
      case 'dust':
        for (let left = action.payments; left > 0; left--)
          orders.pay({ do: 'pay', by: action.by, amount: 1, blocks: 0 });
        return;
      case 'deposit':
        return orders.deposit(action, action.amount);
      case 'withdraw':
        return orders.withdraw(action, action.amount);
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
        endOf(action.by).alive((process) => process.forgetPresence());
        silentUntil[action.by] = chain.head() + BigInt(action.blocks);
        return;
      case 'freeze':
        return endOf(action.by).freeze(BigInt(action.blocks));
      case 'withhold':
        return withholding.begin(action.by, action.blocks);
      case 'wait':
        return wait(action.seconds);
      case 'mine':
        flush();
        return mine(action.blocks);
      case 'arm':
        return endOf(action.by).arm(action.point, action.left);
      case 'doom':
        return endOf(action.by).doom();
      case 'close':
        return ask(action, { type: 'cmd.close' });
      case 'cheat':
        return cheat(action);
      case 'twin':
        return twin.plan(action.by, BigInt(action.amount));
      case 'register':
        return register(action.index);
    }
  }

  for (const end of ends) end.begin();
  mine(4);
  for (const [n, [before, behind]] of settings.deposits.entries()) {
    orders.deposit({ by: n, side: 1 }, before);
    orders.deposit({ by: n + 1 }, behind);
  }
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
    /** Secrethashes that a cheat has locked a second time. */
    twins: twin.secrethashes,
    hasWithheld: withholding.has,
    again: orders.again,
    endOf,
    /** The two ends of a channel. */
    endsOf: (channelId: bigint) =>
      [endOf(Number(channelId) - 1), endOf(Number(channelId))] as const,
    /** All faults end, and the ends meet again. */
    heal() {
      twin.end();
      silentUntil.fill(0n);
      withholding.end();
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

function ownerOf(who: Who): Address {
  const owner = OWNERS[who];
  if (owner === undefined) throw new Error(`model: nobody stands at ${who}`);
  return owner;
}

/** The payload with these numbers in its withdraw messages, whose signatures stay good; its sender seals it so. */
function rewritten(payload: Uint8Array, numbers: { nonce: bigint; messageId: bigint }) {
  const { sender, text } = open(payload);
  const lines = decodeBatch(text).messages.map((sent) => {
    const { message, signature } = sent;
    const isOpen = message.type === 'WithdrawRequest' || message.type === 'WithdrawConfirmation';
    if (!isOpen || signature === null) return encodeMessage(sent);
    return encodeMessage({ message: { ...message, ...numbers }, signature });
  });
  return sealedBy(sender, Buffer.from(lines.join('\n')));
}

/** The same numbers for the same seed, between 0 and 2^32. */
function createDraw(seed: number) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 16;
  };
}
