/** Withdraws tokens from an open channel. Source: ChannelWithdrawing.sol. */

import type { Address, Hex } from '../../../basics/hex.ts';
import { personalHash } from '../../../protocol/hash.ts';
import { pack } from '../../../protocol/wire/packing.ts';
import { eventTopic, type Input, words } from './abi.ts';
import type { ChannelBase } from './channel-base.ts';
import { emit, type Methods, signerOf, silent } from './contract.ts';
import { demand, subtract } from './revert.ts';

const WITHDRAWN = eventTopic('ChannelWithdraw(uint256,address,uint256)');
const WITHDRAW = 3n;

type Withdrawal = {
  participant: Address;
  total: bigint;
  expirationBlock: bigint;
  signature: Hex;
  partnerSignature: Hex;
};

export function withdrawingMethods(base: ChannelBase): Methods {
  const { world, address, channels } = base;

  /** The partner that signed a withdrawal, which its participant has signed too and which has not expired. */
  function partnerOf(id: bigint, withdrawal: Withdrawal): Address {
    const { participant, total, expirationBlock, signature, partnerSignature } = withdrawal;
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

  return {
    'setTotalWithdraw(uint256,address,uint256,uint256,bytes,bytes)': silent((_, input) =>
      withdraw(input.uint(), withdrawalIn(input)),
    ),
  };
}

function withdrawalIn(input: Input): Withdrawal {
  return {
    participant: input.address(),
    total: input.uint(),
    expirationBlock: input.uint(),
    signature: input.bytes(),
    partnerSignature: input.bytes(),
  };
}
