/** A whole node, with its API, on the chain and the bus of a test network, that outlives a reorganisation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noFault } from '../../src/basics/fault.ts';
import { contractsFileText, parseContracts } from '../../src/host/contracts-file.ts';
import { keepOpen } from '../../src/host/keep-open.ts';
import type { NodeConfig, OpenNode } from '../../src/host/node-config.ts';
import { DEFAULT_FEE_TERMS } from '../../src/protocol/fees/fee-terms.ts';
import type { RealNetwork } from './network.ts';

type Place = { folder?: string; choices?: Partial<NodeConfig> };

/**
 * `open` again after `stop` is a restart on the same database. Without options the node has a folder of its own
 * and the settings of the network's nodes.
 */
export function lastingNode(
  network: RealNetwork,
  name: string,
  { folder: given, choices }: Place = {},
) {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'sluice-lasting-'));
  const failures: string[] = [];
  const errors: string[] = [];
  const note = (list: string[]) => (_: unknown, text: string) => void list.push(text);
  const contracts = parseContracts(contractsFileText(network.contracts));
  if (!contracts.ok) throw new Error(contracts.message);
  const config: NodeConfig = {
    version: '0.0.0-test',
    rpcUrl: network.anvil.rpc,
    networkId: null,
    contracts: contracts.value,
    broker: { bus: network.bus },
    database: `file:${join(folder, 'node.db')}`,
    dataFolder: folder,
    stateFolder: folder,
    confirmations: network.settings.confirmations,
    defaultSettleTimeout: network.settings.defaultSettleTimeout,
    defaultRevealTimeout: network.settings.defaultRevealTimeout,
    isProduction: false,
    pathfindingServiceAddress: null,
    routingMode: 'local',
    fees: { byToken: new Map(), others: DEFAULT_FEE_TERMS },
    monitoringReward: null,
    releaseFeed: null,
    webhooks: null,
    pollIntervalMs: 50,
    hasInspector: false,
    api: { host: '127.0.0.1', port: 0, concurrency: 1 },
    ...choices,
  };
  let current: OpenNode | null = null;

  return {
    failures,
    errors,
    /** `acceptedChain`: the code that is given with this start. */
    async open(acceptedChain: string | null = null): Promise<OpenNode> {
      const log = { info() {}, warn() {}, error: note(errors) };
      const hooks = { signer: network.signerOf(name), log, fault: noFault, onShutdown() {} };
      const onFatal = (reason: string) => void failures.push(reason);
      const opened = await keepOpen({ ...config, acceptedChain }, { ...hooks, onFatal });
      if (!opened.ok) throw new Error(opened.message);
      current = opened.value;
      return opened.value;
    },
    async stop() {
      await current?.stop();
      current = null;
    },
    async end() {
      await current?.stop();
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
    /** The code that the operator was told last. */
    code: () =>
      /--accept-chain (\w+)/.exec(
        errors.findLast((text) => text.includes('--accept-chain')) ?? '',
      )?.[1] ?? null,
  };
}
