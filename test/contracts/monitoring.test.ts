import { encodePacked, type Hex, keccak256, parseEventLogs } from 'viem';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { monitoringServiceAbi } from '../../src/contracts/generated/MonitoringService.ts';
import {
  tokenNetworkAbi,
  tokenNetworkBytecode,
} from '../../src/contracts/generated/TokenNetwork.ts';
import { type Chain, done, person, startChain } from './chain.ts';
import * as channel from './channel.ts';
import { depositForUser, fundAndRegister, userBalance } from './services.ts';
import { NO_PROOF, NO_TRANSFERS, type Place, type Proof, proofOf, signReward } from './sign.ts';

const SHORTEST = 100n;
const TIMEOUT = 300n;
const REWARD = 80n;

const closer = person(1);
const node = person(2);
const service = person(3);
const rival = person(4);
const BY_CLOSER = { ...NO_TRANSFERS, transferred: 10n };

let chain: Chain;
let place: Place;
let settleBlock: bigint;
let snapshot: unknown;

/** The channel was closed without any balance proof; the node has a user deposit of 100. */
beforeAll(async () => {
  chain = await startChain({ deploy: { settleTimeoutMin: SHORTEST } });
  await fundAndRegister(chain, service.address);
  await fundAndRegister(chain, rival.address);
  await depositForUser(chain, node.address, 100n);
  place = await channel.open(chain, closer, node, TIMEOUT);
  await channel.fundAndDeposit(chain, place, closer, node, 50n);
  const evidence = await channel.closeEvidence(place, closer, node, NO_PROOF);
  const { block } = done(await channel.close(chain, place.id, closer, node, evidence));
  settleBlock = block + TIMEOUT;
});
beforeEach(async () => {
  snapshot = await chain.rpc('evm_snapshot');
});
afterEach(() => chain.rpc('evm_revert', [snapshot]));

const refused = (reason: string) => ({ ok: false, reason });
const contract = () =>
  ({ to: chain.deployment.monitoringServiceAddress, abi: monitoringServiceAbi }) as const;

/** The rule of the protocol, with addresses as numbers. */
function firstAllowed(service: Address): bigint {
  const addresses = BigInt(closer.address) + BigInt(node.address) + BigInt(service);
  const close = settleBlock - SHORTEST;
  return close + (SHORTEST * 30n) / 100n + (addresses % ((SHORTEST * 50n) / 100n));
}

/** What the node hands to the service; the reward is signed for what `changed` says. */
async function request(proof: Proof, changed: Partial<Parameters<typeof signReward>[1]> = {}) {
  const evidence = await channel.updateEvidence(place, closer, node, proof);
  const promise = {
    monitoringService: chain.deployment.monitoringServiceAddress,
    chainId: chain.chainId,
    network: chain.network,
    nonClosingSignature: evidence.counterSignature,
    amount: REWARD,
    ...changed,
  };
  return { ...evidence, rewardSignature: await signReward(node, promise) };
}

async function monitor(
  {
    proof,
    senderSignature,
    counterSignature,
    rewardSignature,
  }: Awaited<ReturnType<typeof request>>,
  from = service.address,
  network = chain.network,
) {
  return chain.send({
    ...contract(),
    from,
    functionName: 'monitor',
    args: [
      closer.address,
      node.address,
      proof.balanceHash,
      proof.nonce,
      proof.additionalHash,
      senderSignature,
      counterSignature,
      REWARD,
      network,
      rewardSignature,
    ],
  });
}

const claimReward = () =>
  chain.send({
    ...contract(),
    functionName: 'claimReward',
    args: [place.id, chain.network, closer.address, node.address],
  });

async function settled() {
  await chain.goTo(settleBlock + 1n);
  done(
    await channel.settle(
      chain,
      place.id,
      { ...NO_TRANSFERS, address: node.address },
      { ...BY_CLOSER, address: closer.address },
    ),
  );
}

describe('monitoring', () => {
  it("hands in the closing participant's balance proof for the node", async () => {
    await chain.goTo(firstAllowed(service.address));
    const { logs } = done(await monitor(await request(proofOf(BY_CLOSER, 7n))));
    expect(
      parseEventLogs({ abi: monitoringServiceAbi, eventName: 'NewBalanceProofReceived', logs }),
    ).toMatchObject([
      {
        args: {
          token_network_address: chain.network,
          channel_identifier: place.id,
          reward_amount: REWARD,
          nonce: 7n,
          ms_address: service.address,
          raiden_node_address: node.address,
        },
      },
    ]);
    const stored = await channel.participantInfo(chain, place.id, closer, node);
    expect(stored).toMatchObject({ nonce: 7n, isCloser: true });
  });

  it('begins for each service at its own block', async () => {
    for (const { address } of [service, rival]) {
      const first = firstAllowed(address);
      const onChain = await chain.clients.public.readContract({
        address: chain.deployment.monitoringServiceAddress,
        abi: monitoringServiceAbi,
        functionName: 'firstBlockAllowedToMonitorChannel',
        args: [chain.network, place.id, closer.address, node.address, address],
      });
      expect(onChain).toBe(first);
      const before = await chain.rpc('evm_snapshot');
      await chain.goTo(first - 1n);
      const wanted = await request(proofOf(BY_CLOSER, 7n));
      expect(await monitor(wanted, address)).toEqual(refused('not allowed to monitor'));
      expect(await monitor(wanted, address)).toMatchObject({ ok: true, block: first });
      await chain.rpc('evm_revert', [before]);
    }
  });

  it('is for registered services and registered token networks', async () => {
    await chain.goTo(firstAllowed(service.address));
    const wanted = await request(proofOf(BY_CLOSER, 7n));
    expect(await monitor(wanted, person(9).address)).toEqual(refused('service not registered'));
    const hash = await chain.clients.wallet.deployContract({
      abi: tokenNetworkAbi,
      bytecode: tokenNetworkBytecode,
      args: [
        chain.token,
        chain.deployment.secretRegistryAddress,
        1n,
        2n,
        person(0).address,
        1n,
        1n,
      ],
    });
    const { contractAddress } = await chain.clients.public.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('not deployed');
    expect(await monitor(wanted, service.address, contractAddress)).toEqual(
      refused('Unknown TokenNetwork'),
    );
  });

  it("wants the node's promise for exactly this reward, update, network, contract and chain", async () => {
    await chain.goTo(firstAllowed(service.address));
    const proof = proofOf(BY_CLOSER, 7n);
    const other: Hex = `0x${'11'.repeat(65)}`;
    const invalid = refused('Invalid reward proof');
    expect(await monitor(await request(proof, { amount: REWARD + 1n }))).toEqual(invalid);
    expect(await monitor(await request(proof, { nonClosingSignature: other }))).toEqual(invalid);
    expect(await monitor(await request(proof, { network: chain.token }))).toEqual(invalid);
    expect(await monitor(await request(proof, { monitoringService: chain.token }))).toEqual(
      invalid,
    );
    expect(await monitor(await request(proof, { chainId: chain.chainId + 1n }))).toEqual(invalid);
    expect(await monitor(await request(proof))).toMatchObject({ ok: true });
  });

  it('may be repeated with higher nonces only', async () => {
    await chain.goTo(settleBlock - 10n);
    done(await monitor(await request(proofOf(BY_CLOSER, 7n))));
    const same = await monitor(await request(proofOf(BY_CLOSER, 7n)), rival.address);
    expect(same).toEqual(refused('stale nonce'));
    const higher = await monitor(await request(proofOf(BY_CLOSER, 8n)), rival.address);
    expect(higher).toMatchObject({ ok: true });
  });

  it('earns nothing when the node has updated with the same nonce itself', async () => {
    await chain.goTo(firstAllowed(service.address));
    const wanted = await request(proofOf(BY_CLOSER, 7n));
    done(await channel.update(chain, place.id, closer, node, wanted));
    expect(await monitor(wanted)).toEqual(refused('TN: nonce reused'));
  });
});

describe('the reward', () => {
  const identifier = () =>
    keccak256(encodePacked(['uint256', 'address'], [place.id, chain.network]));

  it('is paid once, from the user deposit to the service with the highest nonce', async () => {
    await chain.goTo(settleBlock - 10n);
    done(await monitor(await request(proofOf({ ...BY_CLOSER, transferred: 5n }, 6n))));
    done(await monitor(await request(proofOf(BY_CLOSER, 7n)), rival.address));
    await settled();
    const { logs } = done(await claimReward());
    expect(
      parseEventLogs({ abi: monitoringServiceAbi, eventName: 'RewardClaimed', logs }),
    ).toMatchObject([
      { args: { ms_address: rival.address, amount: REWARD, reward_identifier: identifier() } },
    ]);
    expect(await userBalance(chain, node.address)).toBe(20n);
    expect(await userBalance(chain, rival.address)).toBe(REWARD);
    expect(await userBalance(chain, service.address)).toBe(0n);
    expect(await claimReward()).toEqual(refused('reward does not exist'));
  });

  it('can be claimed from the block after the settle block, settled or not', async () => {
    await chain.goTo(settleBlock - 10n);
    done(await monitor(await request(proofOf(BY_CLOSER, 7n))));
    await chain.goTo(settleBlock);
    expect(await claimReward()).toEqual(refused('channel not settled yet'));
    expect(await claimReward()).toMatchObject({ ok: true, block: settleBlock + 1n });
  });

  it('exists only for a monitored channel', async () => {
    await chain.goTo(settleBlock + 1n);
    expect(await claimReward()).toEqual(refused('reward does not exist'));
  });

  it('stays claimable while the user deposit does not cover it', async () => {
    await chain.goTo(settleBlock - 10n);
    const evidence = await channel.updateEvidence(place, closer, node, proofOf(BY_CLOSER, 7n));
    const huge = 101n;
    const rewardSignature = await signReward(node, {
      monitoringService: chain.deployment.monitoringServiceAddress,
      chainId: chain.chainId,
      network: chain.network,
      nonClosingSignature: evidence.counterSignature,
      amount: huge,
    });
    const { proof, senderSignature, counterSignature } = evidence;
    done(
      await chain.send({
        ...contract(),
        from: service.address,
        functionName: 'monitor',
        args: [
          closer.address,
          node.address,
          proof.balanceHash,
          proof.nonce,
          proof.additionalHash,
          senderSignature,
          counterSignature,
          huge,
          chain.network,
          rewardSignature,
        ],
      }),
    );
    await chain.goTo(settleBlock + 1n);
    expect(await claimReward()).toEqual(refused('reward not transferred'));
    await depositForUser(chain, node.address, 101n);
    expect(await claimReward()).toMatchObject({ ok: true });
  });
});
