/** Checks whether a node with these options would run well, or does run well. It changes nothing. */
import { existsSync } from 'node:fs';
import type { Address } from '../../basics/hex.ts';
import { connectChain } from '../../chain/client.ts';
import { createReads } from '../../chain/reads.ts';
import { checkChain } from '../../host/check-chain.ts';
import type { KnownContracts } from '../../host/contracts-file.ts';
import { defaultDatabase, highWaterFile, nodeName } from '../../host/database/claim.ts';
import { warning as slowness } from '../../signer/ecdsa.ts';
import { isLocked, keyLockFile } from '../../store/durability/lock.ts';
import * as chains from '../doctor/chain.ts';
import { checkDatabase, databaseFiles } from '../doctor/database.ts';
import { privateFiles } from '../doctor/files.ts';
import {
  examined,
  type Finding,
  failed,
  ok,
  skipped,
  tableOf,
  warning,
} from '../doctor/finding.ts';
import { checkKey } from '../doctor/key.ts';
import { checkApi, checkBroker } from '../doctor/network.ts';
import { checkStream } from '../doctor/stream.ts';
import { tokensIn } from '../options/api-tokens.ts';
import { brokerAccess } from '../options/broker-access.ts';
import { keystoreFolder } from '../options/key.ts';
import { routingModeIn } from '../options/mediation.ts';
import { contractsIn, webhooksIn, webUiIn } from '../options/node-config.ts';
import type { NodeOptions } from '../options/node-options.ts';
import { dataFolder, stateFolder } from '../process/folders.ts';
import type { Found } from '../process/found.ts';
import { print } from '../process/terminal.ts';
import { version } from '../process/version.ts';

const LEAST_NODE = 20;

/** The exit code. */
export async function runDoctor(options: NodeOptions, isJson: boolean): Promise<number> {
  const findings = await examine(options);
  const isWell = findings.every(({ verdict }) => verdict !== 'failed');
  print(isJson ? JSON.stringify({ ok: isWell, findings }, null, 2) : tableOf(findings));
  return isWell ? 0 : 1;
}

/** Runs all checks, those of the machine first. */
async function examine(options: NodeOptions): Promise<Finding[]> {
  const { brokerFiles } = options;
  const key = await checkKey(options.key);
  const contracts = contractsIn(options.contractsFile);
  const tokens = tokensIn(options.apiTokenFile);
  const findings = [
    ...checkProgram(),
    ...key.findings,
    ...unusable('contracts', contracts, '--contracts'),
    ...unusable('API tokens', tokens, '--api-token-file'),
    ...unusable('broker login', brokerAccess(options.nats, brokerFiles), '--nats-…'),
    ...unusable('webhooks', webhooksIn(options.webhook), '--webhook and --webhook-secret-file'),
    ...unusable('routing', routingModeIn(options), '--routing-mode'),
    ...unusable('web UI', webUiIn(options), '--web-ui'),
  ];
  const known = { contracts: contracts.ok ? contracts.value : null, address: key.address };
  const rest = await examineChain(options, known);
  const { apiTokenFile, webhook } = options;
  const { creds, passwordFile, key: tlsKey } = brokerFiles;
  const own = [options.key.passwordFile, key.file, apiTokenFile, webhook.secretFile];
  const secrets = [...own, creds, passwordFile, tlsKey];
  const folders = [keystoreFolder(options.key.keystorePath), dataFolder(), stateFolder()];
  const files = [...folders, ...secrets.filter((path) => path !== null), ...rest.files];
  const [token = null] = tokens.ok ? tokens.value : [];
  const api = { ...options.apiAddress, token: token?.token ?? null, address: key.address };
  const found = [
    ...findings,
    ...(await examined('private files', () => privateFiles(files))),
    ...rest.findings,
    ...(await examined('API', () => checkApi(api))),
  ];
  return [...found, ...leftOut(found)];
}

const OF_CHAIN = ['clock', 'timeouts', 'confirmations', 'contracts', 'services'];
const OF_NODE = ['database', 'disk', 'broker', 'gas', 'service deposit'];

/** The checks that could not be made, each with the reason. */
function leftOut(found: readonly Finding[]): Finding[] {
  const isDone = (name: string) => found.some(({ check }) => check === name);
  const hasFailed = (name: string) =>
    found.some(({ check, verdict }) => check === name && verdict === 'failed');
  const why = hasFailed('chain')
    ? 'needs the chain'
    : hasFailed('key')
      ? 'needs the key'
      : found.some(({ verdict }) => verdict === 'failed')
        ? 'needs what has failed above'
        : 'there is nothing to look at before the first start';
  return [...OF_CHAIN, ...OF_NODE]
    .filter((name) => !isDone(name))
    .map((name) => skipped(name, why));
}

/** A failed finding when what an option names cannot be used; none when it can, or is not given. */
function unusable(check: string, found: Found<unknown>, option: string): Finding[] {
  return found.ok ? [] : [failed(check, found.message, `correct ${option}`)];
}

function checkProgram(): Finding[] {
  const { node } = process.versions;
  const found = `sluice ${version()} on Node ${node}`;
  if (Number(node.split('.')[0]) < LEAST_NODE)
    return [failed('program', found, `install Node ${LEAST_NODE} or newer`)];
  const slow = slowness();
  return [slow === null ? ok('program', found) : warning('program', found, slow)];
}

type Known = { contracts: KnownContracts | null; address: Address | null };
/** The channels and pending payments for which the account may have to pay gas. */
type Burden = { channels: number; pending: number };
/** `files`: further files that have to be private. */
type Examination = { findings: Finding[]; files: string[] };

/** Makes the checks that need the chain; without an answer of the chain only those that can be made without it. */
async function examineChain(options: NodeOptions, known: Known): Promise<Examination> {
  const connected = await connectChain({ rpcUrl: options.rpcUrl });
  if (!connected.ok) {
    const found = connected.detail ?? 'the endpoint does not answer';
    const findings = [failed('chain', found, 'check --eth-rpc-endpoint')];
    const id = options.networkId;
    if (id === null) return { findings, files: [] };
    const rest = await examineNode(options, known, id);
    return { findings: [...findings, ...rest.findings], files: rest.files };
  }
  const { client, chainId, stop } = connected.value;
  try {
    const head = await examined('chain', () =>
      chains.checkHead({ client, chainId }, options, Date.now()),
    );
    const settings = chains.checkSettings(chainId, options);
    const contracts = await examineContracts(options, known);
    const rest = await examineNode(options, known, chainId);
    const money = await examineMoney(known, rest, { client, chainId });
    return {
      findings: [...head, ...settings, ...contracts, ...rest.findings, ...money],
      files: rest.files,
    };
  } finally {
    stop();
  }
}

async function examineContracts(options: NodeOptions, { contracts }: Known): Promise<Finding[]> {
  if (contracts === null) return [];
  return examined('contracts', async () => {
    const { rpcUrl } = options;
    const checked = await checkChain({ rpcUrl, networkId: null, contracts, onOtherChain() {} });
    if (!checked.ok) return [failed('contracts', checked.message, 'correct --contracts')];
    const { connection, reads } = checked.value;
    try {
      const registry = contracts.tokenNetworkRegistryAddress;
      const found = `${registry} answers, contracts ${contracts.contractsVersion}`;
      return [ok('contracts', found), ...(await chains.checkServices(reads, contracts))];
    } finally {
      connection.stop();
    }
  });
}

/** Checks the node's database, its key lock, and the broker. */
async function examineNode(
  options: NodeOptions,
  { contracts, address }: Known,
  chainId: bigint,
): Promise<Examination & Burden> {
  if (contracts === null || address === null)
    return { findings: [], files: [], channels: 0, pending: 0 };
  const tokenNetworkRegistry = contracts.tokenNetworkRegistryAddress;
  const name = nodeName(chainId, tokenNetworkRegistry, address);
  const url = options.database ?? defaultDatabase(dataFolder(), name);
  const highWater = highWaterFile(stateFolder(), name);
  const stamp = { chainId, tokenNetworkRegistry, ownAddress: address };
  const database = checkDatabase({ url, stamp, highWater, accepted: options.acceptedDatabase });
  const lock = keyLockFile(stateFolder(), `${chainId}-${address}`);
  const isRunning = isLocked(lock);
  const { nats } = options;
  const access = brokerAccess(nats, options.brokerFiles);
  const broker = access.ok
    ? await examined('broker', () =>
        checkBroker({
          nats,
          ...access.value,
          chainId,
          tokenNetworkRegistry,
          address,
          isRunning,
        }),
      )
    : [];
  const { stream } = options.replica;
  const place =
    nats === null || stream === null || !access.ok
      ? null
      : { url: nats, ...access.value, name: stream, inbox: address.toLowerCase(), report() {} };
  const streamFindings = await examined('stream', () => checkStream(place));
  return {
    findings: [...database.findings, ...broker, ...streamFindings],
    files: [...databaseFiles(url), highWater, lock].filter((path) => existsSync(path)),
    channels: database.channels,
    pending: database.pending,
  };
}

async function examineMoney(
  { contracts, address }: Known,
  burden: Burden,
  { client }: Pick<chains.Chain, 'client' | 'chainId'>,
): Promise<Finding[]> {
  if (contracts === null || address === null) return [];
  const { tokenNetworkRegistryAddress: registry, userDepositAddress } = contracts;
  const reads = createReads({ client, registry });
  return [
    ...(await examined('gas', () => chains.checkGas(reads, address, burden))),
    ...(await examined('service deposit', () =>
      chains.checkServiceDeposit(reads, userDepositAddress, address),
    )),
  ];
}
