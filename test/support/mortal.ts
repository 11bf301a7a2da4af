/**
 * A node of a virtual network as a process that can die in the middle of its work, sleep, and be started again on the
 * disk that it left: the machine of the simulator.
 */
import { createBatchReader } from '../../src/chain/watch/batches.ts';
import type { NodeSettings } from '../../src/node/runtime/parts.ts';
import type { RunningNode } from '../../src/node/start.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { addressOfCompressed, recover } from '../../src/signer/ecdsa.ts';
import { connectEndpoint } from '../../src/simulation/chain/client.ts';
import { createMachine } from '../../src/simulation/node/machine.ts';
import { createTrace } from '../../src/simulation/world/trace.ts';
import { ledgerOf } from './ledger.ts';
import type { VirtualNetwork } from './network.ts';
import { until } from './until.ts';

export type MortalNode = ReturnType<typeof mortalNode>;

/** The shortest period of its timers. */
const TICK_MS = 10;

/** It does not run yet. */
export function mortalNode(
  network: VirtualNetwork,
  name: string,
  settings: Partial<NodeSettings> = {},
) {
  const { scheduler, randomness, chain, request } = network;
  const signer = network.signerOf(name);
  const tokenNetworkRegistry = network.contracts.tokenNetworkRegistryAddress;
  const stamp = { chainId: chain.chainId, tokenNetworkRegistry, ownAddress: signer.address };
  const { crash, writes } = network.diskOf(name);
  const wires = new Map<string, Transport>();
  const failures: string[] = [];
  const machine = createMachine({
    name,
    signer,
    scheduler,
    request,
    trace: createTrace(scheduler.now),
    draw: randomness.of(`${name}/chance`),
    settingsFor: () => ({ ...network.settings, ...settings }),
    registry: tokenNetworkRegistry,
    disk: { open: () => network.open(name, stamp), crash, writes },
    crypto: { recover, addressOf: addressOfCompressed },
    connect: (ask) => connectEndpoint({ request: ask }, Number(chain.chainId)),
    readerOf: createBatchReader,
    join(address, processId) {
      const wire = network.bus.connect(address);
      wires.set(processId, wire);
      return wire;
    },
    cutOff: (processId) => void wires.get(processId)?.close(),
    tickMs: TICK_MS,
    core: null,
    power: null,
    watcher: {
      onCommit() {},
      onPoint() {},
      onDeath() {},
      onViolation() {},
      onFatal: (reason, error) => void failures.push(`${reason}: ${error}`),
    },
  });
  function node(): RunningNode {
    const running = machine.node();
    if (running === null) throw new Error(`${name} does not run`);
    return running;
  }

  return {
    name,
    address: signer.address,
    failures,
    node,
    /** Asks the process something; one that dies never answers. */
    ask<T>(question: (asked: RunningNode) => Promise<T>): Promise<T> {
      const asked = node();
      return new Promise((resolve, reject) => {
        const ifAlive = (tell: () => void) => machine.node() === asked && tell();
        question(asked).then(
          (answer) => ifAlive(() => resolve(answer)),
          (error) => ifAlive(() => reject(error)),
        );
      });
    },
    /** Resolves when it is ready. */
    async start(): Promise<void> {
      machine.start();
      await until(() => node().status().status === 'ready', `${name} is ready`);
    },
    /** Starts it, and does not wait: it may die before it is ready. */
    launch: machine.start,
    /** It dies when it passes this point for the n-th time from now on. */
    dieAt: machine.dieAt,
    /** It does not die where it was to. */
    spare: machine.spare,
    kill: () => machine.kill('the test wants it'),
    isOver: () => !machine.isUp(),
    /** It sleeps: what arrives meanwhile comes to it afterwards. */
    pause: machine.pause,
    resume: machine.resume,
    stop: machine.stop,
    ledger: () => ledgerOf(network.storeOf(name)),
  };
}
