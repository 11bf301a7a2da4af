/** What goes wrong, at random moments: nodes that are killed, brokers that start anew, standbys that take over. */
import type { Draw } from '../../../src/simulation/world/randomness.ts';
import { TOKENS } from '../../support/processes.ts';
import { figuresIn, sumOf } from './books.ts';
import { pause, payOnce, textAt } from './calls.ts';
import type { Machine, Node } from './machine.ts';
import { nextIdentifier, type Time } from './payers.ts';
import { AS_STANDBY, HUB, LEAVES, type Setting } from './setting.ts';

export type Troubles = {
  kills: number;
  brokerRestarts: number;
  takeovers: number;
  /** Milliseconds until a node was ready again, of all of them. */
  readyMs: number[];
};

const KINDS = ['leaf', 'leaf', 'takeover', 'takeover', 'hub', 'standby', 'broker', 'broker', 'two'];
const READY_MS = 60_000;
/** In which a node that is ready has to make a payment. */
const PAYS_MS = 20_000;
const LONGEST_AWAY_MS = 5_000;
/** In which nodes notice that the broker is away. */
const NOTICED_MS = 10_000;
const LOOK_MS = 100;

export const newTroubles = (): Troubles => ({
  kills: 0,
  brokerRestarts: 0,
  takeovers: 0,
  readyMs: [],
});

/** One trouble after the other, each of them mended before the next one. */
export async function troubleAlways(
  setting: Setting,
  troubles: Troubles,
  draw: Draw,
  { over, stopped }: Time,
): Promise<void> {
  while (!over.aborted) {
    await pause(draw.integer(2_000, 12_000), over);
    if (over.aborted) return;
    const kind = draw.pick(KINDS);
    setting.logs.note(`trouble: ${kind}`);
    await reviveAll(setting);
    const struck = await strike(setting, troubles, { kind, draw }, stopped);
    for (const node of struck) await mustPay(setting, draw, node, stopped);
  }
}

/** Starts what has ended by itself, as a node whose standby was sooner. */
export async function reviveAll({ nodes }: Setting): Promise<void> {
  for (const node of nodes)
    for (const machine of node.machines)
      if (!machine.isRunning()) await machine.start(optionsOf(node));
}

/** Does it and mends it; answers the nodes that had to come back. */
async function strike(
  setting: Setting,
  troubles: Troubles,
  { kind, draw }: { kind: string; draw: Draw },
  stopped: AbortSignal,
): Promise<Node[]> {
  const leaf = () => setting.nodeOf(draw.pick(LEAVES));
  const hub = setting.nodeOf(HUB);
  if (kind === 'broker') return restartBroker(setting, troubles, draw, stopped);
  if (kind === 'leaf') return [await restart(setting, troubles, { node: leaf(), draw }, stopped)];
  if (kind === 'takeover') return [await takeOver(setting, troubles, draw, stopped)];
  if (kind === 'two') {
    const one = leaf();
    const both = [one, draw.pick([hub, ...LEAVES.map(setting.nodeOf)])];
    const different = [...new Set(both)];
    return Promise.all(
      different.map((node) => restart(setting, troubles, { node, draw }, stopped)),
    );
  }
  if (kind === 'hub') return [await restart(setting, troubles, { node: hub, draw }, stopped)];
  const standby = hub.machines.find((one) => one !== setting.watch.readyOn(HUB));
  if (standby === undefined) return [];
  await kill(setting, troubles, { machine: standby, draw });
  await standby.start(AS_STANDBY);
  return [];
}

async function kill(
  { logs }: Setting,
  troubles: Troubles,
  { machine, draw }: { machine: Machine; draw: Draw },
): Promise<void> {
  if (!machine.isRunning()) return;
  troubles.kills += 1;
  if (draw.happens(0.5)) return machine.kill();
  const point = await machine.killAtPoint(draw);
  logs.note(`${machine.name} died at ${point}`);
}

const optionsOf = ({ name }: Node) => (name === HUB ? AS_STANDBY : {});

/** Kills all machines of the node, and starts them again. */
async function restart(
  setting: Setting,
  troubles: Troubles,
  { node, draw }: { node: Node; draw: Draw },
  stopped: AbortSignal,
): Promise<Node> {
  await Promise.all(node.machines.map((machine) => kill(setting, troubles, { machine, draw })));
  await pause(draw.integer(0, LONGEST_AWAY_MS), stopped);
  const begun = performance.now();
  for (const machine of node.machines) await machine.start(optionsOf(node));
  await whenReady(setting, troubles, { node, begun, machines: node.machines }, stopped);
  return node;
}

/** Kills the machine that is the node; it comes back as the standby when the other one has taken over. */
async function takeOver(
  setting: Setting,
  troubles: Troubles,
  draw: Draw,
  stopped: AbortSignal,
): Promise<Node> {
  const node = setting.nodeOf(HUB);
  const owner = setting.watch.readyOn(HUB);
  const others = node.machines.filter((one) => one !== owner);
  const standby = others.find((one) => one.isRunning());
  if (owner === null || standby === undefined) return node;
  await kill(setting, troubles, { machine: owner, draw });
  const begun = performance.now();
  // It may be back before the standby has noticed.
  const isEarly = draw.happens(0.3);
  if (isEarly) await pause(draw.integer(0, LONGEST_AWAY_MS), stopped);
  if (isEarly) await owner.start(AS_STANDBY);
  await whenReady(setting, troubles, { node, begun, machines: node.machines }, stopped);
  if (!isEarly) await owner.start(AS_STANDBY);
  const now = setting.watch.readyOn(HUB);
  if (now !== owner) troubles.takeovers += 1;
  return node;
}

async function restartBroker(
  setting: Setting,
  troubles: Troubles,
  draw: Draw,
  stopped: AbortSignal,
): Promise<Node[]> {
  const { cluster, brokers, nodes, logs } = setting;
  const at = draw.integer(0, brokers - 1);
  const how = draw.happens(0.5) ? 'kill' : 'stop';
  logs.note(`broker ${at + 1}: ${how}`);
  await cluster.end(at, how);
  await pause(draw.integer(0, 2 * LONGEST_AWAY_MS), stopped);
  if (brokers === 1) await mustMiss(setting, stopped);
  await cluster.start(at);
  troubles.brokerRestarts += 1;
  const begun = performance.now();
  await Promise.all(
    nodes.map((node) =>
      whenReady(setting, troubles, { node, begun, machines: node.machines }, stopped),
    ),
  );
  return [...nodes];
}

/** When the only broker is away, every node says so soon, and the hub without its stream is not ready. */
async function mustMiss(
  { nodes, contradict, watch }: Setting,
  stopped: AbortSignal,
): Promise<void> {
  const end = performance.now() + NOTICED_MS;
  const isKnown = async (node: Node) => {
    if (node.name === HUB) return watch.readyOn(HUB) === null;
    const figures = figuresIn(await textAt(`${node.url()}/metrics`));
    return figures.length > 0 && sumOf(figures, 'pcn_broker_connected') === 0;
  };
  let unaware: Node[] = [...nodes];
  while (unaware.length > 0 && performance.now() < end && !stopped.aborted) {
    const known = await Promise.all(unaware.map(isKnown));
    unaware = unaware.filter((_, at) => known[at] === false);
    await pause(LOOK_MS, stopped);
  }
  for (const { name } of stopped.aborted ? [] : unaware)
    contradict({
      what: `${name} does not say within ${NOTICED_MS / 1_000} s that there is no broker`,
      parties: [name],
    });
}

type Waiting = { node: Node; begun: number; machines: readonly Machine[] };

/** Asks until one of the machines is ready and the front knows it; what takes too long is a contradiction. */
export async function whenReady(
  { contradict, watch }: Setting,
  troubles: Troubles,
  { node, begun, machines }: Waiting,
  stopped: AbortSignal,
): Promise<void> {
  let isTold = false;
  while (!stopped.aborted) {
    const answers = await Promise.all(machines.map((one) => one.probe()));
    const at = answers.findIndex(({ isReady }) => isReady);
    const machine = machines[at];
    if (machine !== undefined && watch.readyOn(node.name) === machine) break;
    if (!isTold && performance.now() - begun > READY_MS) {
      isTold = true;
      const said = answers.map(({ said }, index) => `${machines[index]?.name}: ${said}`);
      const what = `${node.name} is not ready after ${READY_MS / 1_000} s (${said.join('; ')})`;
      contradict({ what, parties: machines.map(({ name }) => name) });
    }
    await pause(LOOK_MS, stopped);
  }
  troubles.readyMs.push(performance.now() - begun);
}

/** A node that says that it is ready pays the hub, and the hub pays a leaf, as soon as they have found each other. */
async function mustPay(
  setting: Setting,
  draw: Draw,
  node: Node,
  stopped: AbortSignal,
): Promise<void> {
  const to = setting.nodeOf(node.name === HUB ? draw.pick(LEAVES) : HUB);
  const begun = performance.now();
  const leftMs = () => PAYS_MS - (performance.now() - begun);
  let told: string | null = 'not asked';
  while (told !== null && leftMs() > 0 && !stopped.aborted) {
    const order = { from: node, to, amount: TOKENS / 1_000n, identifier: nextIdentifier() };
    told = await payOnce(setting, order, { signal: stopped, timeoutMs: leftMs() });
    if (told !== null) await pause(LOOK_MS, stopped);
  }
  const words = `${told ?? 'paid'} after ${Math.round(PAYS_MS - leftMs())} ms`;
  setting.logs.note(`${node.name} is ready and pays ${to.name}: ${words}`);
  if (told === null || stopped.aborted) return;
  const what = `${node.name} says that it is ready, and has not paid ${to.name} within ${PAYS_MS / 1_000} s (${told})`;
  setting.contradict({ what, parties: [node.name, to.name] });
}
