/**
 * Hubs between one payer and one payee, all of them node processes over real chain, broker and disk. Each hub has many
 * further partners that are away: their channels are in its database, and messages wait for a part of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hash } from '../../src/basics/hex.ts';
import { startAnvil } from '../../src/devnet/chain/anvil.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { findNatsServer, startBroker } from '../../src/devnet/network/broker.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import { emptyBatch, type OutboxRow } from '../../src/store/base/batch.ts';
import { encode } from '../../src/store/base/codec.ts';
import {
  addChannels,
  type FilledChannel,
  type Owner,
  openFilled,
  tokenOf,
} from './filled-database.ts';
import {
  drawKey,
  type Key,
  type NodeFiles,
  type NodeProcess,
  startNodeProcess,
  writeNodeFiles,
} from './node-process.ts';
import { openChannel } from './open-channel.ts';

/** Numbers of channels that the chain of the benchmark never reaches. */
const FIRST_ID = 1_000_000n;
/** Messages wait for one in three of the absent partners; one in ten of those is asked for a withdraw, too. */
const WAITING_PART = 3;
const WITHDRAW_PART = 10;
const MESSAGES_EACH = 3;
const SECRETHASH: Hash = `0x${'5e'.repeat(32)}`;

type Part = { key: Key; files: NodeFiles; node: NodeProcess };
export type Hub = Part & { partners: number; waiting: number };
export type HubNetwork = Awaited<ReturnType<typeof startHubNetwork>>;

/** Expired locks that the partner was never told of, and at the end a withdraw that it was never asked for. */
function messagesFor({ chain, own }: Owner, channel: FilledChannel, isAsked: boolean): OutboxRow[] {
  const { id: queue, partner: recipient, channelId } = channel;
  const place = {
    chainId: chain.chainId,
    tokenNetwork: tokenOf({ chain }).tokenNetwork,
    channelId,
  };
  const row = (nonce: bigint, message: object): OutboxRow => {
    const messageId = (channelId << 8n) + nonce;
    const body = encode({ ...place, ...message, nonce, messageId });
    return { key: `${queue}:${nonce}`, queue, recipient, messageId, nonce, givers: [], body };
  };
  const amounts = { transferredAmount: 0n, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };
  const change = { type: 'expired', recipient, secrethash: SECRETHASH };
  const expired = { type: 'Update', ...amounts, changes: [change] };
  const rows = Array.from({ length: MESSAGES_EACH }, (_, nonce) => row(BigInt(nonce + 1), expired));
  const asked = { participant: own, totalWithdraw: 1n, expiration: 10n ** 9n, coopSettle: false };
  const request = row(BigInt(MESSAGES_EACH + 1), { type: 'WithdrawRequest', ...asked });
  return isAsked ? [...rows, request] : rows;
}

/** Gives a hub that does not run so many further partners. Answers how many messages wait for them. */
function addAbsent({ url }: NodeFiles, owner: Owner, count: number): number {
  const store = openFilled(url, owner);
  const channels = addChannels(store, owner, { count, firstId: FIRST_ID });
  const outbox = channels
    .filter((_, at) => at % WAITING_PART === 0)
    .flatMap((channel, at) => messagesFor(owner, channel, at % WITHDRAW_PART === 0));
  store.commit({ ...emptyBatch(), outbox });
  store.close();
  return outbox.length;
}

/** Starts a hub for each of these numbers of partners, of which two are there: the payer and the payee. */
export async function startHubNetwork(sizes: readonly number[], callers: number) {
  const command = findNatsServer();
  if (command === null) throw new Error('this benchmark needs a nats-server');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const [anvil, broker] = await Promise.all([startAnvil(), startBroker(command)]);
  const keys = ['payer', 'payee', ...sizes.map((size) => `hub-${size}`)].map((name) => ({
    name,
    key: drawKey(),
  }));
  const owners = keys.map(({ key }) => key.signer.address);
  const chain = await setUpChain({
    rpc: anvil.rpc,
    owners,
    blockTime: 1,
    contracts: {},
    say: () => {},
  });
  const further = ['--nats', broker.url, '--api-concurrency', String(callers)];
  const parts: Part[] = [];
  for (const { name, key } of keys) {
    const files = await writeNodeFiles(join(folder, name), { chain, key, further });
    parts.push({ key, files, node: await startNodeProcess(files) });
  }
  const [payer, payee, ...bare] = parts;
  if (payer === undefined || payee === undefined) throw new Error('nobody pays');
  const { address: token } = tokenOf({ chain });
  const hubs: Hub[] = [];
  for (const [at, partners] of sizes.entries()) {
    const hub = bare[at];
    if (hub === undefined) throw new Error('a hub is missing');
    await openChannel(payer.node.api, { token, partner: hub.key.signer.address });
    await openChannel(hub.node.api, { token, partner: payee.key.signer.address });
    await hub.node.stop();
    const owner = { chain, own: hub.key.signer.address };
    const waiting = addAbsent(hub.files, owner, partners - 2);
    hubs.push({ ...hub, node: await startNodeProcess(hub.files), partners, waiting });
  }
  return {
    token,
    payer,
    payee,
    hubs,
    async end(): Promise<void> {
      for (const { node } of [payer, payee, ...hubs]) await node.stop();
      await broker.stop();
      await anvil.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
