/** A path-finding service of this process on a virtual network, and its clients. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'lossless-json';
import type { Log } from '../../src/basics/environment.ts';
import type { Address } from '../../src/basics/hex.ts';
import { tokenAbi } from '../../src/chain/abi.ts';
import type { ChainClient } from '../../src/chain/client.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { createSystemChance } from '../../src/host/base/system.ts';
import type { Transport } from '../../src/partner/transport.ts';
import type { ServiceMessage } from '../../src/protocol/services/service-message-types.ts';
import {
  encodeServiceMessage,
  serviceMessageDigest,
} from '../../src/protocol/services/service-messages.ts';
import { openServiceDatabase } from '../../src/services/base/database.ts';
import {
  planRegistration,
  type RegistrationChoices,
} from '../../src/services/base/registration.ts';
import { startPathfindingService } from '../../src/services/pathfinding/service.ts';
import type { PaymentSettings } from '../../src/services/pathfinding/settings.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import { anvilAccount } from './chain.ts';
import type { Network, VirtualNetwork } from './network.ts';

/** One of anvil's rich accounts, by its number. The first nodes of a network have 1 to 5. */
export function signerOf(index: number): Signer {
  return createSigner(anvilAccount(index).getHdKey().privateKey ?? new Uint8Array());
}

const SERVICE_ACCOUNT = 8;
const quietLog = { info() {}, warn() {}, error() {} };

/** A folder for the databases of services, to be removed at the end. */
export function serviceFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-service-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export type Service = Awaited<ReturnType<typeof openService>>;
type Given = Pick<VirtualNetwork, 'chain' | 'clock' | 'contracts' | 'bus' | 'connect' | 'serve'>;
/** `register`, `acceptedPrice`: as the options of a service with a price. */
type Choices = Partial<RegistrationChoices> & { price?: bigint };

/** What a test puts around the service: its log, its endpoint, and whether it loses the broker. */
type Around = { log?: Log; rpc?: string; broker?: { isAway: boolean } };

/** Opens the service on the database of this folder, a new one or the one that it left. */
export async function openService(
  network: Given,
  folder: string,
  choices: Choices = {},
  { log = quietLog, rpc, broker = { isAway: false } }: Around = {},
) {
  const { chain, clock, contracts, bus } = network;
  const signer = signerOf(SERVICE_ACCOUNT);
  const faults: string[] = [];
  const { client } = await network.connect(rpc);
  const payment = await paymentOf({ contracts, client, service: signer.address }, choices);
  const tokenNetworkRegistry = contracts.tokenNetworkRegistryAddress;
  const stamp = { chainId: chain.chainId, tokenNetworkRegistry, ownAddress: signer.address };
  const url = `file:${join(folder, 'pathfinding.db')}`;
  const opened = openServiceDatabase(url, { ...stamp, service: 'pathfinding' });
  if (!opened.ok) throw new Error(opened.message);
  const transport = bus.connect(signer.address);
  const service = startPathfindingService(
    {
      version: '0.0.0-test',
      contractsVersion: contracts.contractsVersion,
      chainId: chain.chainId,
      tokenNetworkRegistry,
      secretRegistry: contracts.secretRegistryAddress,
      userDeposit: contracts.userDepositAddress,
      serviceToken: contracts.serviceTokenAddress,
      deployBlock: contracts.deployBlock,
      confirmations: 1n,
      pollIntervalMs: 20,
      payment,
    },
    {
      client,
      transport: {
        ...transport,
        isConnected: () => !broker.isAway && transport.isConnected(),
      },
      signer,
      recover,
      clock,
      database: opened.database,
      chance: createSystemChance(),
      log,
      onFatal: (reason) => void faults.push(reason),
    },
  );
  await service.ready;
  let isOpen = true;
  const served = await network.serve(async (asked) => (isOpen ? service.fetch(asked) : null));
  return {
    address: signer.address,
    url: served,
    faults,
    fetch: service.fetch,
    ...clientOf(served),
    async stop() {
      isOpen = false;
      await service.stop();
      await transport.close();
      opened.database.close();
    },
  };
}

type Registering = Pick<Given, 'contracts'> & { client: ChainClient; service: Address };

/** Null: the service is free. Throws why a service with a price does not start. */
async function paymentOf(
  { contracts, client, service }: Registering,
  { price = 0n, register = false, registerUntilStopped = false, acceptedPrice = null }: Choices,
): Promise<PaymentSettings | null> {
  if (price === 0n) return null;
  const { oneToNAddress: oneToN, userDepositAddress: userDeposit } = contracts;
  const registry = contracts.serviceRegistryAddress;
  const choices = { register, registerUntilStopped, acceptedPrice };
  const planned = await planRegistration({ client, registry, service, choices });
  if (!planned.ok) throw new Error(planned.message);
  return { price, leastClaim: 1n, oneToN, userDeposit, registration: planned.value };
}

export type Answer = { status: number; body: Record<string, unknown> & { error_code?: bigint } };

export function clientOf(url: string) {
  async function call(path: string, body?: unknown): Promise<Answer> {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stringify(body) ?? '',
    };
    const response = await fetch(`${url}/api/v1${path}`, body === undefined ? {} : post);
    const text = await response.text();
    const read = Object(parse(text, undefined, { parseNumber: exactly }));
    return { status: response.status, body: read };
  }
  return {
    call,
    /** Paths with their fees, or the error's code. */
    async paths(network: Address, request: PathsRequest): Promise<PathsAnswer> {
      const { status, body } = await call(`/${network}/paths`, request);
      if (status !== 200) return { paths: [], code: Number(body.error_code), token: '' };
      const result = Array.isArray(body['result']) ? body['result'] : [];
      const paths = result.map(({ path, estimated_fee }) => ({ path, fee: estimated_fee }));
      return { paths, code: null, token: String(body['feedback_token']) };
    },
  };
}

type PathsRequest = { from: Address; to: Address; value: bigint } & Record<string, unknown>;
type PathsAnswer = {
  paths: { path: Address[]; fee: bigint }[];
  code: number | null;
  token: string;
};

const exactly = (digits: string) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits));

/** Broadcasts the message on this transport, signed by the given signer, who may be another node. */
export function announce(transport: Transport, signer: Signer, message: ServiceMessage): void {
  const signature = signer.sign(serviceMessageDigest(message));
  const line = encodeServiceMessage({ message, signature });
  transport.broadcast('pathfinding', new TextEncoder().encode(line));
}

/** Makes the transport answer when somebody asks whether its node is online. */
export function presentAs(transport: Transport, { publicKey }: Signer): Transport {
  transport.onMessage(() => {}, publicKey);
  return transport;
}

/** Accounts with a channel but without a node. */
export const PAYER = 6;
export const PARTNER = 7;
/** What the payer can send in it. */
export const CAPACITY = 1_000n;

/**
 * Opens the first channel of the network, between payer and partner, who announce it on their own transports.
 * `clients`: the payer's.
 */
export async function openBetween(
  network: Pick<Network, 'chain' | 'clients' | 'token' | 'tokenNetwork'>,
  clients: Clients,
  places: readonly Transport[],
): Promise<void> {
  const { chain, token, tokenNetwork } = network;
  const [payer, partner] = [signerOf(PAYER), signerOf(PARTNER)];
  await mintTokens(network.clients, token, payer.address, CAPACITY);
  const { writeContract } = clients.wallet;
  const approved = await writeContract({
    address: token,
    abi: tokenAbi,
    functionName: 'approve',
    args: [tokenNetwork, CAPACITY],
  });
  await confirmed(clients, approved, 'approve');
  const opened = await writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannelWithDeposit',
    args: [payer.address, partner.address, 40n, CAPACITY],
  });
  await confirmed(clients, opened, 'open');
  const said = {
    type: 'PFSCapacityUpdate',
    chainId: chain.chainId,
    tokenNetwork,
    channelId: 1n,
    updatingNonce: 0n,
    otherNonce: 0n,
    revealTimeout: 10n,
  } as const;
  const [first, second] = places;
  if (first === undefined || second === undefined) throw new Error('two places are needed');
  // Sent before the opening is confirmed: the service has to keep it until then.
  announce(first, payer, {
    ...said,
    updatingParticipant: payer.address,
    otherParticipant: partner.address,
    updatingCapacity: CAPACITY,
    otherCapacity: 0n,
  });
  announce(second, partner, {
    ...said,
    updatingParticipant: partner.address,
    otherParticipant: payer.address,
    updatingCapacity: 0n,
    otherCapacity: CAPACITY,
  });
}
