/** Turns signed IOUs into transfers inside the user deposit. Source: OneToN.sol. */
import { smaller } from '../../../basics/amount.ts';
import { type Address, fromHex, type Hex } from '../../../basics/hex.ts';
import { iouDigest, iouSessionKey } from '../../../protocol/services/iou.ts';
import { eventTopic, words } from './abi.ts';
import {
  type Contract,
  createContract,
  emit,
  type Methods,
  signerOf,
  utilityMethods,
  type World,
} from './contract.ts';
import { add, demand } from './revert.ts';
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

  function claimAll(claims: readonly Claim[]): bigint {
    return claims.reduce((sum, one) => add(sum, claim(one)), 0n);
  }

  const methods: Methods = {
    ...utilityMethods(world),
    'claim(address,address,uint256,uint256,bytes)': (_, input) => {
      const [sender, receiver] = [input.address(), input.address()];
      const [amount, expirationBlock] = [input.uint(), input.uint()];
      return words(claim({ sender, receiver, amount, expirationBlock, signature: input.bytes() }));
    },
    'bulkClaim(address[],address[],uint256[],uint256[],bytes)': (_, input) => {
      const senders = input.list((items) => items.address());
      const receivers = input.list((items) => items.address());
      const amounts = input.list((items) => items.uint());
      const expirations = input.list((items) => items.uint());
      const signatures = fromHex(input.bytes());
      const isSame = [receivers, amounts, expirations].every(
        ({ length }) => length === senders.length,
      );
      demand(isSame, 'Same number of elements required for all input parameters');
      const isWhole = signatures.length === 65 * senders.length;
      demand(isWhole, '`signatures` should contain 65 bytes per IOU');
      const claims = senders.map((sender, at): Claim => {
        const signature = signatures.subarray(65 * at, 65 * (at + 1));
        return {
          sender,
          receiver: receivers[at] ?? sender,
          amount: amounts[at] ?? 0n,
          expirationBlock: expirations[at] ?? 0n,
          signature: `0x${Buffer.from(signature).toString('hex')}`,
        };
      });
      return words(claimAll(claims));
    },
    'deposit_contract()': () => words(deposits.address),
    'service_registry_contract()': () => words(services.address),
    'chain_id()': () => words(world.chainId),
    'settled_sessions(bytes32)': (_, input) => words(sessions.get(input.hash())),
  };
  return createContract(address, methods);
}
