/** Starts what every part of a devnet needs: the chain with its contracts, and the message broker. */

import type { Cleanup } from '../../host/cleanup.ts';
import { freePort } from '../../host/port.ts';
import { createBus } from '../../partner/bus.ts';
import type { JoinedBroker } from '../../partner/join.ts';
import type { Ending } from '../base/child.ts';
import { openEntrance, startUnreachable } from '../chain/chain-entrance.ts';
import { type DevnetChain, setUpChain } from '../chain/set-up-chain.ts';
import type { ServiceNeeds } from '../chain/set-up-services.ts';
import type { DevnetHooks, DevnetOptions } from '../options.ts';
import type { DevnetAccount } from './accounts.ts';
import { findNatsServer, startBroker } from './broker.ts';
import type { ServiceAccounts } from './services.ts';

type Parts = { options: DevnetOptions; hooks: DevnetHooks; held: Cleanup };
export type Cast = { accounts: DevnetAccount[]; services: ServiceAccounts | null };
/** `isOwn`: whether the broker is a process of this devnet. */
export type Messaging = { broker: JoinedBroker; isOwn: boolean };

/** Where wallets look for a chain on this machine. */
const USUAL_CHAIN_PORT = 8_545;

export async function startChain(parts: Parts, { accounts, services }: Cast): Promise<DevnetChain> {
  const { rpc, setInterval } = await startAnvilOf(parts);
  const addressOf = ({ signer }: DevnetAccount) => signer.address;
  const others = services === null ? [] : Object.values(services);
  return setUpChain({
    rpc,
    blockTime: setInterval,
    contracts: parts.options.contracts,
    say: parts.hooks.say,
    owners: [...accounts, ...others].map(addressOf),
    ...(services === null ? {} : { services: needsOf(accounts, services) }),
  });
}

/** The services to register, and their users: every node's account gets a user deposit. */
function needsOf(accounts: readonly DevnetAccount[], services: ServiceAccounts): ServiceNeeds {
  return {
    services: [services.pathfinding, services.monitoring].map(({ signer }) => signer.account),
    users: [...accounts, services.echo].map(({ signer }) => signer.address),
  };
}

/**
 * Starts the chain. A block time in whole seconds is set after the set-up: until then every transaction gets a block at
 * once. Any other block time has to be set from the start.
 */
async function startAnvilOf({ options, hooks, held }: Parts) {
  hooks.say('Starting the chain');
  const { blockTime } = options;
  const setInterval = Number.isInteger(blockTime) ? blockTime : null;
  const port = options.apiPort === 0 ? 0 : await freePort(USUAL_CHAIN_PORT);
  const anvil = await startUnreachable(setInterval === null ? { blockTime } : {});
  report(hooks, 'the chain (anvil)', anvil);
  await held.add(anvil.stop);
  const entrance = await openEntrance({ chain: anvil.rpc, port });
  await held.add(entrance.close);
  return { rpc: entrance.url, setInterval };
}

export async function startMessaging({ options, hooks, held }: Parts): Promise<Messaging> {
  if (options.nats !== null) return { broker: { nats: options.nats }, isOwn: false };
  const command = findNatsServer();
  if (command !== null) {
    hooks.say(`Starting the message broker (${command})`);
    const broker = await startBroker(command);
    report(hooks, 'the message broker (nats-server)', broker);
    await held.add(broker.stop);
    return { broker: { nats: broker.url }, isOwn: true };
  }
  if (options.program !== null)
    throw new Error(
      'separate processes need a message broker: install nats-server, or give the address of one with --nats',
    );
  hooks.say('No nats-server is installed: the nodes talk over a bus inside this process');
  return { broker: { bus: createBus() }, isOwn: false };
}

function report(hooks: DevnetHooks, name: string, part: { pid: number; ended: Promise<Ending> }) {
  part.ended.then(({ wanted, text }) => {
    if (!wanted) hooks.onTrouble(`${name}, process ${part.pid}, ${text}`);
  });
}
