/** The nodes of `packaging`, as their containers are told to run. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Request } from './api.ts';
import { startServers } from './packaged-cluster.ts';
import { copyPackaging } from './packaged-setup.ts';
import { type NodeProcess, type StartOptions, startWorld } from './processes.ts';
import { callProgram } from './program.ts';

/** Flags count before the environment, so nothing is a flag that a container is told otherwise. */
const TOLD = ['eth-rpc-endpoint', 'contracts', 'nats', 'keystore-path', 'address', 'password-file'];

/** `services`: those that get a key: `primary`, whose folders are those of a node alone, and `node-2` and so on. */
export async function startPackagedWorld(services: readonly string[]) {
  const world = await startWorld({ isHere: true });
  const packaging = copyPackaging();
  const { own, service } = packaging;
  for (const name of services) {
    await world.createKey(name);
    const keys = name === 'primary' ? own('keys') : own(name, 'keys');
    cpSync(join(world.home(name), 'keys'), keys, { recursive: true });
  }
  cpSync(world.passwordFile, own('password'));
  cpSync(world.contractsFile, own('contracts.json'));
  const nodes: Record<string, NodeProcess> = {};
  let cluster: Awaited<ReturnType<typeof startServers>> | null = null;

  /** What the container is told, with the places of its files on this machine. */
  function environmentOf(name: string): Record<string, string> {
    const { environment, volumes } = service(name);
    const places = volumes.map((volume) => volume.split(':'));
    const outside = (path: string) => {
      const place = places.find(([, inside = '']) => path.startsWith(inside));
      if (place === undefined) throw new Error(`${name} has no volume for ${path}`);
      const [host = '', inside = ''] = place;
      return path.replace(inside, join(packaging.folder, host));
    };
    const told = Object.entries(environment).map(([option, value]) => [
      option,
      value.startsWith('/') ? outside(value) : value,
    ]);
    return {
      ...Object.fromEntries(told),
      SLUICE_ETH_RPC_ENDPOINT: world.anvil.rpc,
      SLUICE_NATS: cluster?.url ?? '',
      // Both nodes of a key are on this one machine.
      HOME: own('data', name),
    };
  }

  /** Starts it without waiting until it takes calls. */
  async function launch(name: string, start: StartOptions = {}): Promise<NodeProcess> {
    const [program, ...flags] = service(name).command;
    expect(program).toBe('node');
    const options = {
      ...Object.fromEntries(TOLD.map((flag) => [flag, null])),
      ...optionsIn(flags),
    };
    const node = await world.launch(name, { ...start, options, env: environmentOf(name) });
    nodes[name] = node;
    return node;
  }

  function nodeOf(name: string): NodeProcess {
    const node = nodes[name];
    if (node === undefined) throw new Error(`${name} does not run`);
    return node;
  }
  const tokenFileOf = (name: string) =>
    own(name === 'primary' ? '' : name.replace('standby', 'node'), 'api-token');

  return {
    ...{ world, packaging, nodeOf, tokenFileOf, launch },
    setUp: () => packaging.setUp({ chainId: world.chain.chainId, rpc: world.anvil.rpc }),
    /** After the setup. */
    async startBrokers(): Promise<void> {
      cluster = await startServers(own('nats'));
    },
    /** Makes the stream of its key, and starts it. */
    async start(name: string, start: StartOptions = {}): Promise<NodeProcess> {
      const made = await callProgram(['replica', 'create', '--replicas', '3'], environmentOf(name));
      expect(made.stderr).toContain('Start the node');
      const node = await launch(name, start);
      await node.ready();
      return node;
    },
    /** As the operator asks, with the token that the setup has made. */
    ask(name: string, request: Request) {
      const authorization = `Bearer ${readFileSync(tokenFileOf(name), 'utf8')}`;
      return nodeOf(name).api.ask({ ...request, headers: { authorization } });
    },
    async stop(): Promise<void> {
      await world.stop();
      await cluster?.stop();
      packaging.remove();
    },
  };
}

/** `--standby --takeover-after 10` as `{ standby: [], 'takeover-after': '10' }`. */
function optionsIn(flags: readonly string[]): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    flags
      .join(' ')
      .split(/ ?--/)
      .slice(1)
      .map((flag) => flag.split(' '))
      .map(([name = '', value]) => [name, value ?? []]),
  );
}
