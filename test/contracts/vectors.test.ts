import * as v from 'valibot';
import { type Hex, hashMessage, numberToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { monitoringServiceAbi } from '../../src/contracts/generated/MonitoringService.ts';
import { oneToNAbi } from '../../src/contracts/generated/OneToN.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import updates from '../update-vectors.json' with { type: 'json' };
import vectors from '../vectors.json' with { type: 'json' };
import { type Chain, done, person, startChain, toNetwork } from './chain.ts';
import * as channel from './channel.ts';
import { depositForUser, fundAndRegister, userBalance } from './services.ts';
import { balanceHash, NO_TRANSFERS, type Place, packLocks } from './sign.ts';

const isHex = (text: string): text is Hex => /^0x[0-9a-fA-F]*$/.test(text);

function hex(text: string): Hex {
  if (!isHex(text)) throw new Error(`${text} is not hex`);
  return text;
}

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === null) throw new Error(`${text} is no address`);
  return parsed;
}

/** Puts a copy of a deployed contract where a vector expects it. Its immutables and code move along. */
async function moveContract(chain: Chain, from: Address, to: Address): Promise<void> {
  const code = await chain.clients.public.getCode({ address: from });
  await chain.rpc('hardhat_setCode', [to, code]);
}

describe('the published vectors on the contracts', () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain({
      deploy: { service: { decayConstant: 200n * 86_400n, minPrice: 1_000n } },
    });
  });

  it.each(vectors.participants_hash.cases)(
    'give the hash and the unlock identifier of the pair $a, $b',
    async (row) => {
      const [a, b] = [address(row.a), address(row.b)];
      const network = { address: chain.network, abi: tokenNetworkAbi } as const;
      const pair = await chain.clients.public.readContract({
        ...network,
        functionName: 'getParticipantsHash',
        args: [a, b],
      });
      const unlock = await chain.clients.public.readContract({
        ...network,
        functionName: 'getUnlockIdentifier',
        args: [1n, a, b],
      });
      expect(pair).toBe(row.participants_hash);
      expect(unlock).toBe(row.unlock_identifier_channel_1_sender_a_receiver_b);
    },
  );

  it.each(vectors.ms_first_block.cases)(
    'let a service act from block $first_block',
    async (row) => {
      const first = await chain.clients.public.readContract({
        address: chain.deployment.monitoringServiceAddress,
        abi: monitoringServiceAbi,
        functionName: 'firstBlockAllowedToMonitor',
        args: [
          BigInt(row.closed_at),
          BigInt(row.settle_timeout),
          address(row.participant1),
          address(row.participant2),
          address(row.monitoring_service),
        ],
      });
      expect(first).toBe(BigInt(row.first_block));
    },
  );

  it.each(vectors.service_price.cases)('decay a price for $seconds_passed seconds', async (row) => {
    const price = await chain.clients.public.readContract({
      address: chain.deployment.serviceRegistryAddress,
      abi: serviceRegistryAbi,
      functionName: 'decayedPrice',
      args: [BigInt(row.set_price), BigInt(row.seconds_passed)],
    });
    expect(price).toBe(BigInt(row.price));
  });

  it.each(vectors.balance_hash.cases)(
    'give the balance hash that these tests compute for $transferred_amount and $locked_amount',
    (row) => {
      const transferred = BigInt(row.transferred_amount);
      const locked = BigInt(row.locked_amount);
      const locksroot = hex(row.locksroot);
      expect(balanceHash({ transferred, locked, locksroot })).toBe(row.balance_hash);
    },
  );

  it.each(vectors.locks.cases)('pack locks as unlock reads them: $encoded', (row) => {
    const locks = row.locks.map(({ amount, expiration, secrethash }) => ({
      amount: BigInt(amount),
      expiration: BigInt(expiration),
      secrethash: hex(secrethash),
    }));
    expect(packLocks(locks)).toBe(row.encoded);
  });

  it('settle a channel cooperatively', async () => {
    const row = vectors.cooperative_settle;
    const input = (side: typeof row.data1) => ({
      participant: address(side.participant),
      total_withdraw: BigInt(side.total_withdraw),
      expiration_block: BigInt(side.expiration),
      participant_signature: hex(side.participant_signature),
      partner_signature: hex(side.partner_signature),
    });
    const network = address(row.token_network_address);
    await moveContract(chain, chain.network, network);
    const there = { ...chain, network };
    const [one, two] = [person(1), person(2)];
    for (let id = 1n; id < BigInt(row.channel_identifier); id++) {
      await channel.open(there, person(3), person(Number(id) + 3));
    }
    const place = await channel.open(there, one, two);
    expect(place.id).toBe(BigInt(row.channel_identifier));
    await channel.fundAndDeposit(there, place, one, two, 1_000n);
    const args = [place.id, input(row.data1), input(row.data2)] as const;
    done(await there.send({ ...toNetwork(there), functionName: 'cooperativeSettle', args }));
    expect(await channel.balanceOf(there, one.address)).toBe(600n);
    expect(await channel.balanceOf(there, two.address)).toBe(400n);
  });
});

describe('the published IOU', () => {
  let chain: Chain;
  const { fields, signature } = vectors.iou;
  beforeAll(async () => {
    chain = await startChain({ chainId: Number(fields.chain_id) });
  });

  it('is paid, and the contract remembers its session', async () => {
    const { deployment } = chain;
    const [sender, receiver] = [address(fields.sender), address(fields.receiver)];
    const at = address(fields.one_to_n_address);
    await moveStorage(chain, deployment.oneToNAddress, at, 3);
    await moveContract(chain, deployment.oneToNAddress, at);
    await fundAndRegister(chain, receiver);
    await chain.rpc('hardhat_impersonateAccount', [sender]);
    await chain.rpc('hardhat_setBalance', [sender, numberToHex(10n ** 18n)]);
    await depositForUser(chain, sender, 1_000n);
    await letTransfer(chain, at);
    const expiration = BigInt(fields.claimable_until);
    const args = [sender, receiver, BigInt(fields.amount), expiration, hex(signature)] as const;
    done(await chain.send({ to: at, abi: oneToNAbi, functionName: 'claim', args }));
    expect(await userBalance(chain, receiver)).toBe(100n);
    const settled = await chain.clients.public.readContract({
      address: at,
      abi: oneToNAbi,
      functionName: 'settled_sessions',
      args: [hex(vectors.iou.session_key)],
    });
    expect(settled).toBe(expiration);
  });
});

/** Copies the first `slots` storage slots of one contract to another. */
async function moveStorage(chain: Chain, from: Address, to: Address, slots: number) {
  for (let i = 0; i < slots; i++) {
    const slot = numberToHex(i);
    const value = await chain.clients.public.getStorageAt({ address: from, slot });
    await chain.rpc('hardhat_setStorageAt', [to, numberToHex(i, { size: 32 }), value]);
  }
}

/** Makes `oneToN` the contract that the user deposit obeys. */
async function letTransfer(chain: Chain, oneToN: Address) {
  const word = numberToHex(BigInt(oneToN), { size: 32 });
  const slot = numberToHex(2, { size: 32 });
  await chain.rpc('hardhat_setStorageAt', [chain.deployment.userDepositAddress, slot, word]);
}

const BalanceProofMessage = v.object({
  token_network_address: v.string(),
  channel_identifier: v.string(),
  chain_id: v.string(),
  nonce: v.string(),
  transferred_amount: v.string(),
  signature: v.string(),
});
type BalanceProofMessage = v.InferOutput<typeof BalanceProofMessage>;

const balanceProofs = updates.cases.map(
  (row): [string, { balanceHash: Hex; additionalHash: Hex; message: BalanceProofMessage }] => {
    const message = v.parse(BalanceProofMessage, row.json);
    const [hash, additionalHash] = [hex(row.balance_hash), hex(row.additional_hash)];
    return [row.name, { balanceHash: hash, additionalHash, message }];
  },
);

describe('Updates that another program has made', () => {
  const sender = privateKeyToAccount(hex(updates.key.private_key));
  const closer = person(1);
  let chain: Chain;
  let place: Place;
  let snapshot: unknown;

  /** Channel 1338 of the network that the messages name, on their chain. */
  beforeAll(async () => {
    const message = balanceProofs[0]?.[1].message;
    if (message === undefined) throw new Error('no vector has a balance proof');
    const started = await startChain({ chainId: Number(message.chain_id) });
    const network = address(message.token_network_address);
    await moveContract(started, started.network, network);
    const counter = BigInt(message.channel_identifier) - 1n;
    const packed = (counter << 160n) | BigInt(person(0).address);
    const value = numberToHex(packed, { size: 32 });
    await started.rpc('hardhat_setStorageAt', [network, numberToHex(0, { size: 32 }), value]);
    chain = { ...started, network };
    place = await channel.open(chain, sender, closer);
    snapshot = await chain.rpc('evm_snapshot');
  });

  it.each(balanceProofs)(
    'close a channel: %s',
    async (_name, { balanceHash, additionalHash, message }) => {
      await chain.rpc('evm_revert', [snapshot]);
      snapshot = await chain.rpc('evm_snapshot');
      expect(place.id).toBe(BigInt(message.channel_identifier));
      const proof = { balanceHash, additionalHash, nonce: BigInt(message.nonce) };
      const senderSignature = hex(message.signature);
      const evidence = await channel.closeEvidenceWith(place, closer, { proof, senderSignature });
      done(await channel.close(chain, place.id, closer, sender, evidence));
      const stored = await channel.participantInfo(chain, place.id, sender, closer);
      expect(stored).toMatchObject({ nonce: proof.nonce, balanceHash });
    },
  );

  it('settle with the amounts that the message states', async () => {
    await chain.rpc('evm_revert', [snapshot]);
    snapshot = await chain.rpc('evm_snapshot');
    const [, found] = balanceProofs.find(([name]) => name.startsWith('one unlock')) ?? [];
    if (found === undefined) throw new Error('no vector of an unlock');
    const { balanceHash, additionalHash, message } = found;
    const proof = { balanceHash, additionalHash, nonce: BigInt(message.nonce) };
    const senderSignature = hex(message.signature);
    const evidence = await channel.closeEvidenceWith(place, closer, { proof, senderSignature });
    const { block } = done(await channel.close(chain, place.id, closer, sender, evidence));
    await chain.goTo(block + 11n);
    const transferred = BigInt(message.transferred_amount);
    const settled = await channel.settle(
      chain,
      place.id,
      { ...NO_TRANSFERS, address: closer.address },
      { ...NO_TRANSFERS, transferred, address: sender.address },
    );
    expect(settled).toMatchObject({ ok: true });
  });
});

/** Lays the same words into memory as the contracts do and recovers the signer. */
const RECOVERY = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
import {Signatures} from "./Signatures.sol";
contract Recovery {
    function recover(bytes32 hash, bytes calldata signature) external pure returns (address) {
        return Signatures.recover(hash, signature);
    }
}`;
const RECOVERY_ABI = [
  {
    type: 'function',
    name: 'recover',
    stateMutability: 'pure',
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'address' }],
  },
] as const;

const Signed = v.object({ signature: v.string() });

describe('the signature check of the contracts', () => {
  const recovery: Address = '0x00000000000000000000000000000000000000bb';
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain();
    const compiled = compileSources({ name: 'Recovery.sol', content: RECOVERY }).get('Recovery');
    if (compiled === undefined) throw new Error('no contract');
    const hash = await chain.clients.wallet.deployContract({
      abi: [],
      bytecode: compiled.bytecode,
    });
    const { contractAddress } = await chain.clients.public.waitForTransactionReceipt({ hash });
    await moveContract(chain, address(contractAddress ?? ''), recovery);
  });

  it.each(vectors.messages.cases)('recovers the signer of $name', async (row) => {
    const signature = hex(v.parse(Signed, row.json).signature);
    const hash = hashMessage({ raw: hex(row.packed) });
    expect(hash).toBe(row.eip191_hash);
    const signer = await chain.clients.public.readContract({
      address: recovery,
      abi: RECOVERY_ABI,
      functionName: 'recover',
      args: [hash, signature],
    });
    expect(signer).toBe(address(row.signer));
  });
});
