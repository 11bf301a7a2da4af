/**
 * Honest mediators, as processes, each between a payer and a payee that belong together and are played by this process:
 * they hold keys, and have funded channels with it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../src/basics/hex.ts';
import { secretRegistryAbi } from '../../src/chain/abi.ts';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { connectNats } from '../../src/partner/nats.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { anvilAccount, anvilCall, clientsFor, connected } from '../support/chain.ts';
import { startNats } from '../support/nats.ts';
import { createParticipant, depositOnChain, openOnChain } from '../support/stranger.ts';
import { until } from '../support/until.ts';
import { startMediator } from './attack-mediator.ts';
import { tokenOf } from './filled-database.ts';
import { drawKey, type Key } from './node-process.ts';

export type AttackNetwork = Awaited<ReturnType<typeof startAttackNetwork>>;
export type Stage = Awaited<ReturnType<AttackNetwork['stage']>>;

/** What the payer has in its channel, and the mediator in the one with the payee. */
export const WEALTH = 100n * 10n ** 18n;
const SETTLE_TIMEOUT = 500n;

/** `stages`: how many mediators there are; `blockSeconds`: from one block to the next. */
type Wanted = { stages: number; blockSeconds: number };

export async function startAttackNetwork({ stages, blockSeconds }: Wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startNats()]);
  const keys = Array.from({ length: stages }, () => {
    return { mediator: drawKey(), payer: drawKey(), payee: drawKey() };
  });
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners: keys.map(({ mediator }) => mediator.signer.address),
    blockTime: null,
    contracts: {},
    say: () => {},
  });
  const connection = await connected(anvil.rpc);
  const { address: token, tokenNetwork } = tokenOf({ chain });
  const clients = clientsFor(anvil.rpc, connection, anvilAccount(0));
  const { chainId, contracts } = chain;
  const place = { chainId, tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress };
  const world = { clients, chain: connection, token, tokenNetwork };

  async function open(owner: Key, partner: Key): Promise<bigint> {
    const both = [owner.signer.address, partner.signer.address] as const;
    const channelId = await openOnChain(world, both, SETTLE_TIMEOUT);
    await depositOnChain(world, channelId, both, WEALTH);
    return channelId;
  }
  const funded: { keys: (typeof keys)[number]; incoming: bigint; outgoing: bigint }[] = [];
  for (const each of keys) {
    const incoming = await open(each.payer, each.mediator);
    funded.push({ keys: each, incoming, outgoing: await open(each.mediator, each.payee) });
  }
  await anvilCall(connection, 'evm_setIntervalMining', blockSeconds);

  async function enter({ signer }: Key, partner: Key, channelId: bigint) {
    const login = { url: broker.url, address: signer.address, sign: signer.sign, recover };
    const transport = connectNats({ ...place, ...login });
    await until(transport.isConnected, 'an attacker is connected');
    const channel = { place, token, tokenNetwork, channelId, partner: partner.signer };
    return createParticipant({ signer, transport, ...channel, acknowledges: false });
  }

  return {
    token,
    head: () => connection.client.getBlockNumber({ cacheTime: 0 }),
    /** The block in which the secret was registered; 0: it is not registered. */
    registration: (secrethash: Hash): Promise<bigint> =>
      connection.client.readContract({
        address: contracts.secretRegistryAddress,
        abi: secretRegistryAbi,
        functionName: 'getSecretRevealBlockHeight',
        args: [secrethash],
      }),
    /** The next mediator, with further arguments, and its two partners. */
    async stage(further: readonly string[]) {
      const next = funded.shift();
      if (next === undefined) throw new Error('there is no mediator left');
      const { keys: of, incoming, outgoing } = next;
      const mediator = await startMediator(join(folder, of.mediator.signer.address), {
        chain,
        key: of.mediator,
        further: ['--nats', broker.url, ...further],
      });
      return {
        mediator,
        signers: { payer: of.payer.signer, payee: of.payee.signer },
        payer: await enter(of.payer, of.mediator, incoming),
        payee: await enter(of.payee, of.mediator, outgoing),
      };
    },
    async stop(): Promise<void> {
      connection.stop();
      await Promise.all([broker.stop(), anvil.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
