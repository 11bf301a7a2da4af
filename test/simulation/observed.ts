/** A run as an onlooker notes it: what nodes wrote to their disks, what they sent, and what the chain emitted. */
import { decodeEventLog, erc20Abi, toEventSelector } from 'viem';
import { placeOfChannel } from '../../machines/base/actor-ids.ts';
import type { RecordProof } from '../../machines/effects.ts';
import type { Address, Hash } from '../../src/basics/hex.ts';
import { channelEventsAbi } from '../../src/contracts/channel-events.ts';
import { decodeLock } from '../../src/protocol/channel/lock.ts';
import { createWiretap, type Wiretap } from '../../src/simulation/byzantine/wiretap.ts';
import type { PaymentRecord } from '../../src/simulation/report/payment-records.ts';
import type { Run } from '../../src/simulation/run/build.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import type { Batch } from '../../src/store/base/batch.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

type Lock = { amount: bigint; isPaid: boolean | null };
/** One direction of a channel as one of its nodes wrote it. */
type Row = { nonce: bigint; transferred: bigint; locks: Map<Hash, Lock> };
type Standing = { pendingLocks: number; capacity: bigint; imbalance: number };
export type Observed = ReturnType<typeof createObserver>;

export async function observe(scenario: Scenario, seed: number) {
  const observed = createObserver();
  const records: PaymentRecord[] = [];
  const result = await simulate({
    scenario,
    seed,
    onBuilt: observed.built,
    onCommit: observed.commit,
    onPayment: (record) => void records.push(record),
    onBlock() {
      observed.look();
      return true;
    },
  });
  return { result, observed, records };
}

function createObserver() {
  let run: Run | null = null;
  const rows = new Map<string, Row>();
  const initiators = new Set<string>();
  const looks: { block: number; standing: Standing }[] = [];
  let received = 0n;
  const letters = createLetters(() => world());

  function world(): Run {
    if (run === null) throw new Error('the run has not begun');
    return run;
  }
  function rowOf(index: number, side: 'own' | 'partner', id: bigint): Row {
    const key = `${index} ${side} ${id}`;
    const row = rows.get(key) ?? { nonce: 0n, transferred: 0n, locks: new Map() };
    rows.set(key, row);
    return row;
  }
  function note(index: number, { channel, side, nonce, changes, ...proof }: RecordProof) {
    const row = rowOf(index, side, placeOfChannel(channel)?.channelId ?? 0n);
    if (nonce <= row.nonce) return;
    for (const { kind, lock } of changes) {
      const { secrethash, amount } = decodeLock(lock);
      row.locks.set(secrethash, { amount, isPaid: kind === 'add' ? null : kind === 'pay' });
    }
    row.nonce = nonce;
    row.transferred = proof.transferredAmount;
  }
  const locksIn = (row: Row, isPaid: boolean | null) =>
    [...row.locks].filter(([, lock]) => lock.isPaid === isPaid);

  function standing(): Standing {
    const pending = new Set<string>();
    let capacity = 0n;
    const leanings: number[] = [];
    for (const {
      id,
      a,
      b,
      isOpen,
      isSettled,
      depositA,
      depositB,
      withdrawnA,
      withdrawnB,
    } of onChain()) {
      if (isSettled) continue;
      for (const [sender, receiver] of [
        [a, b],
        [b, a],
      ] as const)
        for (const row of [rowOf(sender, 'own', id), rowOf(receiver, 'partner', id)])
          for (const [hash] of locksIn(row, null)) pending.add(`${id} ${sender} ${hash}`);
      if (!isOpen) continue;
      const total = depositA - withdrawnA + depositB - withdrawnB;
      capacity += total;
      const moved = rowOf(a, 'partner', id).transferred - rowOf(a, 'own', id).transferred;
      const ofA = Number(depositA - withdrawnA + moved);
      if (total > 0n) leanings.push(Math.abs((2 * ofA) / Number(total) - 1));
    }
    const imbalance = leanings.reduce((sum, one) => sum + one, 0) / leanings.length;
    return { pendingLocks: pending.size, capacity, imbalance };
  }

  /** The channels with what their events add up to. */
  function onChain() {
    const { world: simulated } = world();
    const { chain, tokenNetwork, token } = simulated;
    const all = { from: 0n, to: chain.head().number, topics: [] };
    const logs = chain.logs({ ...all, addresses: [tokenNetwork] }).map((log) => ({
      ...decodeEventLog({ abi: channelEventsAbi, ...asRaw(log) }),
      transaction: log.transactionHash,
    }));
    const moves = { ...all, addresses: [token], topics: [[TRANSFER]] };
    const transfers = chain.logs(moves).flatMap((log) => {
      const { eventName, args } = decodeEventLog({ abi: erc20Abi, ...asRaw(log) });
      return eventName === 'Transfer' ? [{ ...args, transaction: log.transactionHash }] : [];
    });
    return logs.flatMap(({ eventName, args: opening }) => {
      if (eventName !== 'ChannelOpened') return [];
      const id = opening.channelId;
      const own = logs.filter(({ args }) => args.channelId === id);
      const last = (name: 'deposit' | 'withdraw', who: Address) =>
        own.reduce((found, { eventName: event, args }) => {
          if (event === 'ChannelNewDeposit' && name === 'deposit' && same(args.participant, who))
            return args.totalDeposit;
          if (event === 'ChannelWithdraw' && name === 'withdraw' && same(args.participant, who))
            return args.totalWithdraw;
          return found;
        }, 0n);
      const ending = own.filter(({ eventName: event }) =>
        ['ChannelSettled', 'ChannelUnlocked'].includes(event),
      );
      const paidOut = (who: Address) =>
        transfers
          .filter(({ transaction }) => ending.some((log) => log.transaction === transaction))
          .filter(({ from, to }) => same(from, tokenNetwork) && same(to, who))
          .reduce((sum, { value }) => sum + value, 0n);
      const [one, two] = [opening.participant1, opening.participant2].map(lower);
      if (one === undefined || two === undefined) return [];
      const [a, b] = [one, two].map((who) => indexOf(who));
      if (a === undefined || b === undefined) return [];
      const sides = {
        depositA: last('deposit', one),
        depositB: last('deposit', two),
        withdrawnA: last('withdraw', one),
        withdrawnB: last('withdraw', two),
      };
      const moved = rowOf(a, 'partner', id).transferred - rowOf(a, 'own', id).transferred;
      const isSettled = ending.length > 0;
      return [
        {
          ...{ id, a, b, ...sides, isSettled },
          isOpen: !own.some(({ eventName: event }) => event === 'ChannelClosed'),
          endA: isSettled ? paidOut(one) : sides.depositA - sides.withdrawnA + moved,
          endB: isSettled ? paidOut(two) : sides.depositB - sides.withdrawnB - moved,
        },
      ];
    });
  }

  function indexOf(address: Address): number {
    return world().world.inhabitants.findIndex(({ signer }) => same(signer.address, address));
  }

  return {
    built(built: Run) {
      run = built;
      letters.follow(built);
    },
    commit(index: number, batch: Batch) {
      for (const { id } of batch.actors)
        if (id.startsWith('initiator:')) initiators.add(`${index} ${id.slice(10)}`);
      for (const proof of batch.proofs) note(index, proof);
      for (const payment of batch.payments)
        if (payment.type === 'record.paymentReceived') received += payment.amount;
    },
    look() {
      const { world: simulated, firstBlock } = world();
      const block = Number(simulated.chain.head().number) - firstBlock;
      looks.push({ block, standing: standing() });
    },
    /** How the channels stood at the first look at this block or a later one; null: at the last look. */
    standingAfter(block: number | null): Standing {
      const found = looks.find((look) => block !== null && look.block >= block) ?? looks.at(-1);
      if (found === undefined) throw new Error('nobody looked');
      return found.standing;
    },
    gas() {
      const { world: simulated, firstBlock } = world();
      let sum = 0n;
      for (let at = firstBlock + 1; at <= simulated.chain.head().number; at++)
        for (const receipt of simulated.chain.block(BigInt(at))?.receipts ?? [])
          sum += receipt.run.gasUsed;
      return Number(sum);
    },
    messages: letters.counted,
    /** The amounts of all payments, as their payees wrote them down. */
    received: () => received,
    channels: onChain,
    /** The amounts from a to b and back, and the number of payments, of each channel. */
    flows: () =>
      onChain().map(({ id, a }) => {
        const [own, partner] = [rowOf(a, 'own', id), rowOf(a, 'partner', id)];
        const payments = locksIn(own, true).length + locksIn(partner, true).length;
        return [own.transferred, partner.transferred, payments];
      }),
    /** What both ends of each channel kept of the locks that they passed on into it. */
    fees() {
      const channels = onChain();
      // A lock that is pending when its channel is closed is paid on chain.
      const feeOf = (index: number, id: bigint) =>
        [...rowOf(index, 'own', id).locks].reduce((sum, [hash, { amount, isPaid: isGone }]) => {
          if (isGone === false || initiators.has(`${index} ${hash}`)) return sum;
          const came = channels
            .filter(({ a, b }) => a === index || b === index)
            .flatMap((one) => rowOf(index, 'partner', one.id).locks.get(hash) ?? []);
          const paid = came.find(({ isPaid }) => isPaid);
          return paid === undefined ? sum : sum + paid.amount - amount;
        }, 0n);
      return channels.map(({ id, a, b }) => [feeOf(a, id), feeOf(b, id)]);
    },
  };
}

/** Counts the messages that nodes send to each other from the first block on, read with their keys. */
function createLetters(run: () => Run) {
  const taps = new Map<number, Wiretap>();
  const byType = new Map<string, number>();
  const sent = new Map<number, number>();
  const received = new Map<number, number>();
  const held = new Map<Uint8Array, number>();
  let [all, payloads] = [0, 0];

  function wiretapOf(index: number): Wiretap | null {
    const { world, scheduler } = run();
    const signer = world.inhabitants[index]?.signer;
    if (signer === undefined) return null;
    const wiretap =
      taps.get(index) ??
      createWiretap({
        signer,
        place: world.place,
        addressOf: world.crypto.addressOf,
        cipher: world.crypto.cipher,
        now: scheduler.now,
        draw: createRandomness(1).of('onlooker'),
        publicKeyOf: (address) =>
          world.inhabitants.find((one) => one.signer.address === address)?.signer.publicKey ?? null,
      });
    taps.set(index, wiretap);
    return wiretap;
  }

  return {
    follow({ network, world }: Run) {
      const indexOf = (address: Address) =>
        world.inhabitants.findIndex(({ signer }) => signer.address === address);
      network.tap(({ type, parcel: { from, to, topic, payload } }) => {
        const [sender, recipient] = [indexOf(from), indexOf(to)];
        if (run().firstBlock === 0 || topic !== null || sender < 0 || recipient < 0) return;
        if (type === 'delivered')
          received.set(recipient, (received.get(recipient) ?? 0) + (held.get(payload) ?? 0));
        if (type !== 'sent') return;
        const messages = wiretapOf(sender)?.sent(to, payload) ?? [];
        held.set(payload, messages.length);
        payloads += 1;
        all += messages.length;
        sent.set(sender, (sent.get(sender) ?? 0) + messages.length);
        for (const { message } of messages)
          byType.set(message.type, (byType.get(message.type) ?? 0) + 1);
      });
    },
    counted() {
      const { inhabitants } = run().world;
      return {
        all,
        payloads,
        byType: Object.fromEntries(byType),
        sent: inhabitants.map(({ index }) => sent.get(index) ?? 0),
        received: inhabitants.map(({ index }) => received.get(index) ?? 0),
      };
    },
  };
}

const lower = (address: string): Address => `0x${address.slice(2).toLowerCase()}`;
const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function asRaw({ topics, data }: { topics: readonly Hash[]; data: `0x${string}` }) {
  const [first, ...others] = topics;
  if (first === undefined) throw new Error('a log without a topic');
  const signed: [Hash, ...Hash[]] = [first, ...others];
  return { topics: signed, data };
}
