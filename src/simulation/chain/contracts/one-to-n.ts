/** Turns signed IOUs into transfers inside the user deposit. Source: OneToN.sol. */
import { smaller } from '../../../basics/amount.ts';
import type { Address, Hex } from '../../../basics/hex.ts';
import { iouDigest, iouSessionKey } from '../../../protocol/services/iou.ts';
import { eventTopic, words } from './abi.ts';
import {
  type Contract,
  createContract,
  emit,
  type Methods,
  signerOf,
  type World,
} from './contract.ts';
import { demand } from './revert.ts';
import type { ServiceRegistry } from './service-registry.ts';
import type { UserDeposit } from './user-deposit.ts';

const CLAIMED = eventTopic('Claimed(address,address,uint256,uint256)');
/** Gas for computation, and for the slots with the addresses of other contracts. */
const GAS_OF_CLAIM = 9_400;

type Claim = {
  sender: Address;
  receiver: Address;
  amount: bigint;
  expirationBlock: bigint;
  signature: Hex;
};

export function createOneToN(
  world: World,
  address: Address,
  { deposits, services }: { deposits: UserDeposit; services: ServiceRegistry },
): Contract {
  const sessions = world.storage.table(0n);

  function claim({ sender, receiver, amount, expirationBlock, signature }: Claim): bigint {
    world.meter.charge(GAS_OF_CLAIM);
    world.meter.call(services.address);
    demand(services.hasValidRegistration(receiver), 'receiver not registered');
    demand(world.block.number <= expirationBlock, 'IOU expired');
    const iou = { oneToN: address, chainId: world.chainId, sender, receiver, amount };
    const digest = iouDigest({ ...iou, claimableUntil: expirationBlock });
    demand(signerOf(world, digest, signature) === sender, 'Signature mismatch');
    const session = iouSessionKey({ sender, receiver, claimableUntil: expirationBlock });
    demand(sessions.get(session) === 0n, 'Already settled session');
    world.meter.call(deposits.address);
    const paid = smaller(amount, deposits.balanceOf(sender));
    if (paid === 0n) return 0n;
    sessions.set(session, expirationBlock);
    emit(world, address, [CLAIMED, receiver], words(sender, expirationBlock, paid));
    world.meter.call(deposits.address);
    const isPaid = deposits.transfer({ sender: address }, sender, receiver, paid);
    demand(isPaid, 'deposit did not transfer');
    return paid;
  }

  const methods: Methods = {
    'claim(address,address,uint256,uint256,bytes)': (_, input) => {
      const [sender, receiver] = [input.address(), input.address()];
      const [amount, expirationBlock] = [input.uint(), input.uint()];
      return words(claim({ sender, receiver, amount, expirationBlock, signature: input.bytes() }));
    },
    'settled_sessions(bytes32)': (_, input) => words(sessions.get(input.hash())),
  };
  return createContract(address, methods);
}
