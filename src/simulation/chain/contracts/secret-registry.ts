/** Makes secrets public and stores in which block. Source: SecretRegistry.sol. */

import { type Address, fromHex, type Hash, type Secret, toHex } from '../../../basics/hex.ts';
import { sha256 } from '../../../protocol/hash.ts';
import { eventTopic, words } from './abi.ts';
import { type Contract, createContract, emit, type Methods, type World } from './contract.ts';

export type SecretRegistry = Contract & {
  /** The block of the registration, 0n when there is none. */
  registeredAt(secrethash: Hash): bigint;
};

const REVEALED = eventTopic('SecretRevealed(bytes32,bytes32)');
/** Gas of hashing one secret and going on to the next. */
const GAS_OF_SECRET = 550;

export function createSecretRegistry(world: World, address: Address): SecretRegistry {
  const blocks = world.storage.table(0n);

  function register(secret: Secret): boolean {
    world.meter.charge(GAS_OF_SECRET);
    const secrethash = toHex(sha256(fromHex(secret)));
    if (blocks.get(secrethash) > 0n) return false;
    blocks.set(secrethash, world.block.number);
    emit(world, address, [REVEALED, secrethash], words(secret));
    return true;
  }
  const methods: Methods = {
    'registerSecret(bytes32)': (_, input) => words(register(input.hash())),
    'registerSecretBatch(bytes32[])': (_, input) => {
      const areNew = input.list((items) => items.hash()).map(register);
      return words(areNew.every(Boolean));
    },
    'getSecretRevealBlockHeight(bytes32)': (_, input) => words(blocks.get(input.hash())),
  };
  return {
    ...createContract(address, methods),
    registeredAt: (secrethash) => blocks.get(secrethash),
  };
}
