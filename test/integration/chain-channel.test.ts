import { randomBytes } from 'node:crypto';
import { maxUint256 } from 'viem';
import type { HDAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainLog } from '../../machines/events/chain.ts';
import { type Address, type Secret, toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import {
  closeCalls,
  depositCalls,
  openChannelCalls,
  registerSecretCalls,
  registerTokenCalls,
  settleCalls,
  unlockCalls,
  updateProofCalls,
} from '../../src/chain/queue/calls.ts';
import type { ChainCall, JobOutcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions, type Transactions } from '../../src/chain/queue/transactions.ts';
import { type ChainReads, createReads } from '../../src/chain/reads.ts';
import { createWatcher, type Watcher } from '../../src/chain/watch/watcher.ts';
import { type Deployment, deployContracts } from '../../src/contracts/deploy.ts';
import { deployToken, mintTokens } from '../../src/contracts/tokens.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import {
  type BalanceProof,
  type Balances,
  balanceHash,
  packBalanceProof,
  packClosing,
  packUpdate,
} from '../../src/protocol/channel/balance-proof.ts';
import { encodeLocks, locksroot, NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { Result } from '../../src/protocol/codes.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { anvilAccount, clientsFor, connected, memoryStorage, mine } from '../support/chain.ts';
import { until } from '../support/until.ts';

const SETTLE_TIMEOUT = 20n;
const job = { from: 'channel', key: 'unused', deadlineBlock: null };

let anvil: Anvil;
let chain: ChainConnection;
let clients: Clients;
let deployment: Deployment;
let reads: ChainReads;
let token: Address;
let watcher: Watcher;
const logs: ChainLog[] = [];
const parties: Party[] = [];

/** An account with its transaction queue. */
type Party = ReturnType<typeof createParty>;
function createParty(account: HDAccount) {
  const outcomes = new Map<string, JobOutcome>();
  let jobs = 0;
  const queue: Transactions = createTransactions({
    client: chain.client,
    account,
    storage: memoryStorage(),
    onEnded: (key, outcome) => void outcomes.set(key, outcome),
    onFailure: (error) => {
      throw error;
    },
    onTrouble() {},
    pollIntervalMs: 30,
  });
  queue.start();
  return {
    address: account.address,
    queue,
    sign: (packed: Uint8Array) => account.signMessage({ message: { raw: packed } }),
    async run(calls: readonly ChainCall[], approved?: Address): Promise<JobOutcome> {
      jobs += 1;
      const key = `job ${jobs}`;
      const tokenOf = approved === undefined ? {} : { token: approved };
      queue.submit({ key, calls, deadlineBlock: null, ...tokenOf });
      await until(() => outcomes.has(key), `the end of ${key}`);
      const outcome = outcomes.get(key);
      if (outcome === undefined) throw new Error('unreachable');
      queue.forget(key);
      return outcome;
    },
  };
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  return result.value;
}

beforeAll(async () => {
  anvil = await startAnvil();
  chain = await connected(anvil.rpc);
  clients = clientsFor(anvil.rpc, chain, anvilAccount(0));
  deployment = await deployContracts(clients, { settleTimeoutMin: 10n });
  token = await deployToken(clients, { name: 'A', symbol: 'A' });
  reads = createReads({
    client: chain.client,
    registry: deployment.tokenNetworkRegistryAddress,
  });
  watcher = createWatcher({
    client: chain.client,
    registry: deployment.tokenNetworkRegistryAddress,
    secretRegistry: deployment.secretRegistryAddress,
    confirmations: 1n,
    start: { deployBlock: deployment.deployBlock },
    onBatch: (batch) => void logs.push(...batch.logs),
    onHead: () => undefined,
    onDeepReorg: () => undefined,
    onFailure: (error) => {
      throw error;
    },
    pollIntervalMs: 30,
  });
  watcher.start();
  parties.push(createParty(anvilAccount(5)), createParty(anvilAccount(6)));
  for (const { address } of parties) await mintTokens(clients, token, address, 1000n);
});
afterAll(async () => {
  chain.stop();
  await watcher.stop();
  for (const { queue } of parties) await queue.stop();
  await anvil.stop();
});

const heard = <T extends ChainLog['type']>(type: T) =>
  logs.filter((log): log is Extract<ChainLog, { type: T }> => log.type === type);

describe('the calls of a channel', () => {
  it('take it from the registration of its token to the unlock, and the watcher reports every step', async () => {
    const [alice, bob] = parties;
    if (!alice || !bob) throw new Error('no parties');
    const ok = async (outcome: Promise<JobOutcome>) => expect((await outcome).ok).toBe(true);

    const limits = { participantLimit: 500n, networkLimit: 800n };
    const registry = deployment.tokenNetworkRegistryAddress;
    const register = registerTokenCalls(
      { ...job, type: 'tx.registerToken', token },
      { registry, ...limits },
    );
    await ok(alice.run(register));
    const tokenNetwork = unwrap(await reads.tokenNetworkOf(token));
    if (tokenNetwork === null) throw new Error('not registered');
    // A second time is a revert with the contract's reason, not an exception.
    expect(await alice.run(register)).toMatchObject({
      ok: false,
      code: 'transaction_failed',
      detail: expect.stringContaining('already registered'),
    });

    const { allowance, approves } = reads;
    const depositor = ({ address }: Party) => ({ own: address, allowance, approves });
    const open = (totalDeposit: bigint) =>
      openChannelCalls(
        {
          ...job,
          type: 'tx.openChannel',
          token,
          tokenNetwork,
          partner: bob.address,
          settleTimeout: SETTLE_TIMEOUT,
          totalDeposit,
        },
        depositor(alice),
      );
    await ok(alice.run(open(100n), token));
    const channel = { ...job, tokenNetwork, channelId: 1n };
    const deposit = { ...channel, type: 'tx.deposit', token } as const;
    const deposits = [
      alice.run(
        depositCalls(
          { ...deposit, partner: bob.address, totalDeposit: 150n, added: 50n },
          depositor(alice),
        ),
        token,
      ),
      bob.run(
        depositCalls(
          { ...deposit, partner: alice.address, totalDeposit: 200n, added: 200n },
          depositor(bob),
        ),
        token,
      ),
    ];
    for (const outcome of deposits) await ok(outcome);
    expect(await reads.allowance(token, alice.address, tokenNetwork)).toBe(0n);
    expect(unwrap(await reads.depositLimits(tokenNetwork, token, alice.address))).toEqual({
      participantLimit: 500n,
      networkRoom: 450n,
      ownTokens: 850n,
    });

    const secret: Secret = toHex(randomBytes(32));
    const locks = [{ amount: 10n, expiration: 10_000n, secrethash: secrethashOf(secret) }];
    const fromBob: Balances = {
      transferredAmount: 30n,
      lockedAmount: 10n,
      locksroot: locksroot(locks),
    };
    const fromAlice: Balances = {
      transferredAmount: 5n,
      lockedAmount: 0n,
      locksroot: NO_LOCKS_ROOT,
    };
    const proofOf = (balances: Balances): BalanceProof => ({
      chainId: chain.chainId,
      tokenNetwork,
      channelId: 1n,
      balanceHash: balanceHash(balances),
      nonce: 3n,
      additionalHash: ZERO_HASH,
    });
    const [bobs, alices] = [proofOf(fromBob), proofOf(fromAlice)];
    const bobSigned = await bob.sign(packBalanceProof(bobs));
    const aliceSigned = await alice.sign(packBalanceProof(alices));

    await ok(
      alice.run(
        closeCalls(
          {
            ...channel,
            type: 'tx.close',
            partner: bob.address,
            proof: { ...bobs, signature: bobSigned },
          },
          {
            own: alice.address,
            closingSignature: await alice.sign(packClosing(bobs, bobSigned)),
          },
        ),
      ),
    );
    await ok(
      bob.run(
        updateProofCalls(
          {
            ...channel,
            type: 'tx.updateProof',
            partner: alice.address,
            proof: { ...alices, signature: aliceSigned },
          },
          {
            own: bob.address,
            nonClosingSignature: await bob.sign(packUpdate(alices, aliceSigned)),
          },
        ),
      ),
    );
    const participant = {
      tokenNetwork,
      channelId: 1n,
      participant: bob.address,
      partner: alice.address,
    };
    expect(unwrap(await reads.channelParticipant(participant))).toMatchObject({
      deposit: 200n,
      balanceHash: bobs.balanceHash,
      nonce: 3n,
      isCloser: false,
    });

    const { secretRegistryAddress: secretRegistry } = deployment;
    await ok(
      bob.run(
        registerSecretCalls({ ...job, type: 'tx.registerSecret', secret }, { secretRegistry }),
      ),
    );
    expect(
      unwrap(await reads.isSecretRegistered(secretRegistry, secrethashOf(secret))),
    ).toBeGreaterThan(0n);

    const settle = (own: Party, partner: Party, ownBalances: Balances, partnerBalances: Balances) =>
      settleCalls(
        {
          ...channel,
          type: 'tx.settle',
          channel: 'c',
          partner: partner.address,
          ownHash: null,
          partnerHash: null,
        },
        { own: own.address, ownBalances, partnerBalances },
      );
    expect(await bob.run(settle(bob, alice, fromBob, fromAlice))).toMatchObject({
      ok: false,
      code: 'transaction_failed',
    });
    await mine(chain, Number(SETTLE_TIMEOUT));
    // Both try: one has the effect, the other ends cleanly.
    const settled = await Promise.all([
      alice.run(settle(alice, bob, fromAlice, fromBob)),
      bob.run(settle(bob, alice, fromBob, fromAlice)),
    ]);
    expect(settled.map((outcome) => (outcome.ok ? 'ok' : outcome.code)).toSorted()).toEqual([
      'ok',
      'transaction_failed',
    ]);
    await ok(
      alice.run(
        unlockCalls(
          {
            ...channel,
            type: 'tx.unlock',
            channel: 'c',
            partner: bob.address,
            side: 'partner',
            balanceHash: bobs.balanceHash,
          },
          { own: alice.address, locks: toHex(encodeLocks(locks)) },
        ),
      ),
    );

    await mine(chain, 1);
    await until(() => heard('chain.channelUnlocked').length > 0, 'the unlock');
    expect(logs.map(({ type }) => type)).toEqual([
      'chain.tokenNetworkCreated',
      'chain.channelOpened',
      'chain.channelDeposit',
      'chain.channelDeposit',
      'chain.channelDeposit',
      'chain.channelClosed',
      'chain.proofUpdated',
      'chain.secretRevealed',
      'chain.channelSettled',
      'chain.channelUnlocked',
    ]);
    expect(heard('chain.channelClosed')).toMatchObject([
      { closer: alice.address, nonce: 3n, balanceHash: bobs.balanceHash },
    ]);
    expect(heard('chain.proofUpdated')).toMatchObject([
      { closer: alice.address, nonce: 3n, balanceHash: alices.balanceHash },
    ]);
    expect(heard('chain.secretRevealed')).toMatchObject([
      { secret, secrethash: secrethashOf(secret) },
    ]);
    expect(heard('chain.channelUnlocked')).toMatchObject([
      { receiver: alice.address, sender: bob.address, unlockedAmount: 10n, returnedTokens: 0n },
    ]);
    // 1000 - 5 + 30 + 10, and 1000 + 5 - 30 - 10.
    const tokensOf = async ({ address }: Party) =>
      unwrap(await reads.depositLimits(tokenNetwork, token, address)).ownTokens;
    expect([await tokensOf(alice), await tokensOf(bob)]).toEqual([1035n, 965n]);
  });
});

describe('reads', () => {
  it('tell a token from an account and from another contract', async () => {
    const facts = async (address: Address) => unwrap(await reads.tokenFacts(address));
    expect(await facts(token)).toEqual({ hasCode: true, isErc20: true, hasSupply: true });
    expect(await facts(anvilAccount(7).address)).toEqual({
      hasCode: false,
      isErc20: false,
      hasSupply: false,
    });
    expect(await facts(deployment.secretRegistryAddress)).toEqual({
      hasCode: true,
      isErc20: false,
      hasSupply: false,
    });
  });

  it('tell the limits of the registry and where the secrets are', async () => {
    expect(unwrap(await reads.registryLimits())).toEqual({
      minSettleTimeout: 10n,
      maxSettleTimeout: 100_000n,
      maxTokenNetworks: 2n,
      tokenNetworksCreated: 1n,
    });
    expect(unwrap(await reads.secretRegistryOf())).toBe(deployment.secretRegistryAddress);
    expect(unwrap(await reads.tokenNetworkOf(anvilAccount(7).address))).toBeNull();
    expect(unwrap(await reads.nativeBalance(anvilAccount(7).address))).toBeGreaterThan(0n);
    expect(unwrap(await reads.gasPrice())).toBeLessThan(maxUint256);
  });

  it('answer with a code when the address is no registry, and when nobody answers', async () => {
    const wrong = createReads({ client: chain.client, registry: token });
    expect(await wrong.registryLimits()).toMatchObject({ ok: false, code: 'chain_unavailable' });
    expect(await reads.depositLimits(token, token, token)).toMatchObject({ ok: false });
    const gone = await connected(anvil.rpc);
    gone.stop();
    const silent = createReads({ client: gone.client, registry: token });
    expect(await silent.tokenNetworkOf(token)).toMatchObject({
      ok: false,
      code: 'chain_unavailable',
    });
  });
});
