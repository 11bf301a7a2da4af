/** Pays out a closed channel, and unlocks its pending transfers. Source: ChannelSettling.sol. */
import { addSaturating, smaller } from '../../../basics/amount.ts';
import { type Address, fromHex, type Hash, type Hex, ZERO_HASH } from '../../../basics/hex.ts';
import { isSettleOrder, type SettledSide, settle } from '../../../protocol/channel/settlement.ts';
import { keccakHex } from '../../../protocol/hash.ts';
import { eventTopic, type Input, readInput, words } from './abi.ts';
import { type ChannelBase, NO_AMOUNTS, nonceOf } from './channel-base.ts';
import { emit, isHigher, type Methods, NOTHING } from './contract.ts';
import { demand } from './revert.ts';

export const SETTLED = eventTopic(
  'ChannelSettled(uint256,address,uint256,bytes32,address,uint256,bytes32)',
);
const UNLOCKED = eventTopic('ChannelUnlocked(uint256,address,address,bytes32,uint256,uint256)');
/** Bytes of one lock: expiration, amount, secrethash. */
const LOCK = 96;
/** Gas of one lock besides its data and the call of the secret registry. */
const GAS_OF_LOCK = 1_100;

type Settled = { participant: Address; transferred: bigint; locked: bigint; locksroot: Hash };

export function settlingMethods(base: ChannelBase): Methods {
  const { world, address, terms, channels, amounts, commitments } = base;

  function settleChannel(id: bigint, one: Settled, two: Settled): void {
    const pair = base.pairHash(one.participant, two.participant);
    demand(id === base.identifiers.get(pair), 'TN/settle: channel id mismatch');
    const channel = channels.get(id.toString());
    demand(channel?.state === 'closed', 'TN/settle: channel not closed');
    if (channel === null) return;
    demand(world.block.number > channel.settle, 'TN/settle: settle timeout not over');
    const isHigher1 = isHigher(one.participant, two.participant);
    const end1 = endOf(id, one, two.participant, nonceOf(channel, isHigher1) > 0n);
    const end2 = endOf(id, two, one.participant, nonceOf(channel, !isHigher1) > 0n);
    demand(isSettleOrder(end1.side, end2.side), 'TN: transfers not ordered');
    const { amount1, amount2, locked1, locked2 } = settle(end1.side, end2.side);
    end1.finish(locked1);
    end2.finish(locked2);
    base.remove(id, pair);
    const first = [one.participant, amount1, one.locksroot] as const;
    const second = [two.participant, amount2, two.locksroot] as const;
    emit(world, address, [SETTLED, id], words(...first, ...second));
    base.pay(one.participant, amount1);
    base.pay(two.participant, amount2);
  }

  /** One participant at the settlement; `hasProof`: the contract has a balance proof of its transfers. */
  function endOf(id: bigint, given: Settled, partner: Address, hasProof: boolean) {
    const { transferred, locked, locksroot } = given;
    const place = base.key(id, given.participant, partner);
    const balanceHash = hasProof ? commitments.get(place) : ZERO_HASH;
    const isEmpty = balanceHash === ZERO_HASH && transferred === 0n && locked === 0n;
    const isRight = isEmpty || balanceHash === hashOf(given);
    demand(isRight, 'TN/settle: invalid data');
    const side: SettledSide = { ...base.load(place), transferred, locked };
    return {
      side,
      finish(left: bigint): void {
        base.settle(place, left);
        if (hasProof) commitments.set(place, left > 0n ? locksroot : ZERO_HASH);
      },
    };
  }

  /** The sum of the locks whose secret was registered in time, at most the largest number. */
  function unlockedIn(locks: Hex): bigint {
    let sum = 0n;
    for (let at = 0; at < locks.length - 2; at += 2 * LOCK) {
      const lock = readInput(locks, at);
      const [expirationBlock, amount] = [lock.uint(), lock.uint()];
      world.meter.charge(GAS_OF_LOCK);
      world.meter.call(terms.secretRegistry.address);
      const registered = terms.secretRegistry.registeredAt(lock.hash());
      if (registered > 0n && registered < expirationBlock) sum = addSaturating(sum, amount);
    }
    return sum;
  }

  function unlock(id: bigint, receiver: Address, sender: Address, locks: Hex): void {
    demand(channels.get(id.toString()) === null, 'TN/unlock: channel not settled');
    demand((locks.length - 2) % (2 * LOCK) === 0, 'TN/unlock: invalid locks size');
    const place = base.key(id, sender, receiver);
    const stored = amounts.get(place);
    const locked = 'locked' in stored ? stored.locked : 0n;
    demand(locked > 0n, 'TN/unlock: locked amount is zero');
    const locksroot = commitments.get(place);
    demand(keccakHex(fromHex(locks)) === locksroot, 'TN/unlock: locksroot mismatch');
    const unlocked = smaller(unlockedIn(locks), locked);
    const returned = locked - unlocked;
    amounts.set(place, NO_AMOUNTS);
    commitments.set(place, ZERO_HASH);
    const data = words(locksroot, unlocked, returned);
    emit(world, address, [UNLOCKED, id, receiver, sender], data);
    base.pay(receiver, unlocked);
    base.pay(sender, returned);
  }

  return {
    'settleChannel(uint256,address,uint256,uint256,bytes32,address,uint256,uint256,bytes32)': (
      _,
      input,
    ) => {
      settleChannel(input.uint(), settledIn(input), settledIn(input));
      return NOTHING;
    },
    // The structs have no part of variable length, so their fields are encoded in place.
    'settleChannel2(uint256,(address,uint256,uint256,bytes32),(address,uint256,uint256,bytes32))': (
      _,
      input,
    ) => {
      settleChannel(input.uint(), settledIn(input), settledIn(input));
      return NOTHING;
    },
    'unlock(uint256,address,address,bytes)': (_, input) => {
      unlock(input.uint(), input.address(), input.address(), input.bytes());
      return NOTHING;
    },
  };
}

function hashOf({ transferred, locked, locksroot }: Settled): Hash {
  return keccakHex(fromHex(words(transferred, locked, locksroot)));
}

function settledIn(input: Input): Settled {
  return {
    participant: input.address(),
    transferred: input.uint(),
    locked: input.uint(),
    locksroot: input.hash(),
  };
}
