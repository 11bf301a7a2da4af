/** Withdraws tokens from an open channel. Source: ChannelWithdrawing.sol. */

import { type Address, type Hex, ZERO_HASH } from '../../../basics/hex.ts';
import { personalHash } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { eventTopic, type Input, words } from './abi.ts';
import type { ChannelBase } from './channel-base.ts';
import { SETTLED } from './channel-settling.ts';
import { emit, type Methods, NOTHING, signerOf } from './contract.ts';
import { add, demand, subtract } from './revert.ts';

const WITHDRAWN = eventTopic('ChannelWithdraw(uint256,address,uint256)');
const WITHDRAW = 3n;

type Withdrawal = {
  participant: Address;
  total: bigint;
  expirationBlock: bigint;
  /** Checked only when they are needed, as Solidity does with parts of structs. */
  signature: () => Hex;
  partnerSignature: () => Hex;
};

export function withdrawingMethods(base: ChannelBase): Methods {
  const { world, address, channels } = base;

  /** The partner that signed a withdrawal, which its participant has signed too and which has not expired. */
  function partnerOf(id: bigint, withdrawal: Withdrawal): Address {
    const { participant, total, expirationBlock } = withdrawal;
    const [signature, partnerSignature] = [withdrawal.signature(), withdrawal.partnerSignature()];
    demand(world.block.number < expirationBlock, 'TN/withdraw: expired');
    const digest = personalHash(
      pack([
        ['address', address],
        ['u256', world.chainId],
        ['u256', WITHDRAW],
        ['u256', id],
        ['address', participant],
        ['u256', total],
        ['u256', expirationBlock],
      ]),
    );
    const signer = signerOf(world, digest, signature);
    demand(signer === participant, 'TN/withdraw: invalid participant sig');
    return signerOf(world, digest, partnerSignature);
  }

  function withdraw(id: bigint, withdrawal: Withdrawal): void {
    const { participant, total } = withdrawal;
    const partner = partnerOf(id, withdrawal);
    demand(total > 0n, 'TN/withdraw: total withdraw is zero');
    demand(id === base.identifierOf(participant, partner), 'TN/withdraw: channel id mismatch');
    const isOpened = channels.get(id.toString())?.state === 'opened';
    demand(isOpened, 'TN/withdraw: channel not open');
    const place = base.key(id, participant, partner);
    const own = base.load(place);
    const other = base.load(base.key(id, partner, participant));
    const most = own.deposit + other.deposit - other.withdrawn;
    demand(total <= most, 'TN/withdraw: withdraw > deposit');
    const amount = subtract(total, own.withdrawn);
    demand(amount > 0n, 'TN/withdraw: amount is zero');
    base.save(place, { deposit: own.deposit, withdrawn: total });
    emit(world, address, [WITHDRAWN, id, participant], words(total));
    base.pay(participant, amount);
  }

  /** What the participant still gets in a cooperative settlement. */
  function checkFinal(
    id: bigint,
    final: Withdrawal,
    given: { partner: Address; withdrawn: bigint; sum: bigint },
  ): bigint {
    const { partner, withdrawn, sum } = given;
    const amount = subtract(final.total, withdrawn);
    demand(amount > 0n || final.total === 0n, 'TN/withdraw: amount is zero');
    if (final.total === 0n && sum > 0n) return 0n;
    const signer = partnerOf(id, final);
    demand(signer === partner, 'TN/coopSettle: invalid partner signature');
    return amount;
  }

  function settleTogether(id: bigint, one: Withdrawal, two: Withdrawal): void {
    const pair = base.pairHash(one.participant, two.participant);
    demand(id === base.identifiers.get(pair), 'TN/coopSettle: channel id mismatch');
    const isOpened = channels.get(id.toString())?.state === 'opened';
    demand(isOpened, 'TN/coopSettle: channel not open');
    const places = [
      base.key(id, one.participant, two.participant),
      base.key(id, two.participant, one.participant),
    ] as const;
    const [before1, before2] = [base.load(places[0]), base.load(places[1])];
    const sum = add(before1.deposit, before2.deposit);
    demand(one.total <= sum, 'TN/coopSettle: incomplete amounts');
    demand(two.total === sum - one.total, 'TN/coopSettle: incomplete amounts');
    const given1 = { partner: two.participant, withdrawn: before1.withdrawn, sum };
    const amount1 = checkFinal(id, one, given1);
    const given2 = { partner: one.participant, withdrawn: before2.withdrawn, sum };
    const amount2 = checkFinal(id, two, given2);
    for (const place of places) base.settle(place, 0n);
    base.remove(id, pair);
    if (amount1 > 0n) emit(world, address, [WITHDRAWN, id, one.participant], words(one.total));
    if (amount2 > 0n) emit(world, address, [WITHDRAWN, id, two.participant], words(two.total));
    const first = [one.participant, one.total, ZERO_HASH] as const;
    const second = [two.participant, two.total, ZERO_HASH] as const;
    emit(world, address, [SETTLED, id], words(...first, ...second));
    base.pay(one.participant, amount1);
    base.pay(two.participant, amount2);
  }

  return {
    'setTotalWithdraw(uint256,address,uint256,uint256,bytes,bytes)': (_, input) => {
      withdraw(input.uint(), withdrawalIn(input));
      return NOTHING;
    },
    'setTotalWithdraw2(uint256,(address,uint256,uint256,bytes,bytes))': (_, input) => {
      withdraw(input.uint(), withdrawalIn(input.struct()));
      return NOTHING;
    },
    'cooperativeSettle(uint256,(address,uint256,uint256,bytes,bytes),(address,uint256,uint256,bytes,bytes))':
      (_, input) => {
        const id = input.uint();
        settleTogether(id, withdrawalIn(input.struct()), withdrawalIn(input.struct()));
        return NOTHING;
      },
  };
}

function withdrawalIn(input: Input): Withdrawal {
  return {
    participant: input.address(),
    total: input.uint(),
    expirationBlock: input.uint(),
    signature: input.laterBytes(),
    partnerSignature: input.laterBytes(),
  };
}
