/** Lets the faults of a scenario strike its world, and ends them. */
import type { Address } from '../../../basics/hex.ts';
import type { Fate } from '../../chain/chain.ts';
import type { Faults as NetworkFaults } from '../../network/faults.ts';
import { type Selectable, select } from '../../scenario/schema/selection.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import type { Draw, Randomness } from '../../world/randomness.ts';
import type { Scheduler } from '../../world/scheduler.ts';
import type { Inhabitant, World } from '../world.ts';
import { useAccount } from './account-faults.ts';
import type { Reorganisations } from './chain-faults.ts';
import { createCopies, type OldCopy } from './copies.ts';
import { beginAt } from './endpoint-faults.ts';
import { createFaultSchedule, type Undo } from './fault-schedule.ts';
import { NOT_REPLICATED, strikeSite } from './replica-faults.ts';
import type { Trust } from './trust.ts';

type Options = {
  faults: readonly Fault[];
  /** The chain's own reorganisations; null: only faults replace blocks. */
  reorganisations: Reorganisations | null;
  world: Pick<World, 'chain' | 'chainId' | 'inhabitants' | 'addressOf' | 'gateway' | 'second'>;
  network: NetworkFaults;
  nodes: readonly Selectable[];
  neighboursOf(index: number): readonly number[];
  randomness: Randomness;
  /** Records whose disks have lost writes or were put back. */
  trust: Trust;
  /** The calm phase begins at this block, counted as the scenario counts. */
  calmBlock: number;
  /** The present block, counted in the same way. */
  block(): number;
  scheduler: Pick<Scheduler, 'after'>;
  blockMs: number;
  /** Called when a fault begins for a node, null: for all; the returned function is called when it ends. */
  onFault(name: string, index: number | null): (hits: number) => void;
};
type OfNode = Extract<Fault, { nodes: unknown }>;
type OfAll = Exclude<Fault, OfNode>;
/** Delay in ms that lets one more payload overtake: payloads are seldom closer to each other. */
const PLACE_MS = 50;
/** Blocks for which an account keeps what it gets back. */
const GIVEN_TIMES = 12;
const REORDERED = { kind: 'reorder', probability: 0.5 } as const;
export type Trouble = ReturnType<typeof createTrouble>;

export function createTrouble(options: Options) {
  const { world, network, nodes, trust } = options;
  const schedule = createFaultSchedule({
    faults: options.faults,
    nodes,
    randomness: options.randomness,
    calmBlock: options.calmBlock,
    present: options.block,
    soon: (draw, work) => void options.scheduler.after(draw.integer(0, options.blockMs), work),
    onFault: options.onFault,
    hits: (name) => network.counts()[name] ?? 1,
    strike: (fault, target, name, draw) =>
      'nodes' in fault
        ? target && ofNode(fault, target.index, name, draw)
        : ofAll(fault, name, draw),
  });
  const copies = createCopies(
    schedule.entries.flatMap(({ fault, targets }) =>
      fault.kind === 'disk_old_copy' ? [{ fault, targets: targets.map(indexOf) }] : [],
    ),
    (index) => inhabitant(index).disk.copy(),
  );
  const censored: Address[] = [];

  function inhabitant(index: number): Inhabitant {
    const found = world.inhabitants[index];
    if (found === undefined) throw new Error(`simulation: there is no node ${index}`);
    return found;
  }

  function ofNode(fault: OfNode, index: number, name: string, draw: Draw): Undo {
    const { machine, endpoint, disk, site } = inhabitant(index);
    if (site !== null && NOT_REPLICATED.has(fault.kind)) return null;
    const where = { node: machine.address };
    switch (fault.kind) {
      case 'kill':
        return down(index);
      case 'kill_pair': {
        const neighbours = options.neighboursOf(index);
        const others = neighbours.length === 0 ? [] : [draw.pick(neighbours)];
        const ends = [index, ...others].map((one) => down(one));
        return () => {
          for (const end of ends) end?.();
        };
      }
      case 'restart': {
        const stopped = machine.stop();
        // A paused process takes longer to stop than the fault lasts.
        return () => void stopped.then(() => revive(index));
      }
      case 'pause':
        machine.pause();
        return machine.resume;
      case 'wrong_clock':
        machine.setClock(fault.ms);
        return () => machine.setClock(0);
      case 'second_process': {
        if (machine.node() === null) return null;
        const second = world.second(index);
        second.start();
        return () => {
          second.kill('its owner has found it');
          // If the broker was away, the second process may have asked for rivals first, and the first one given up.
          revive(index);
        };
      }
      case 'failing_listener':
        return machine.listenBadly();
      case 'disk_slow':
        machine.slowDown(fault.ms);
        return () => machine.slowDown(0);
      case 'disk_late':
        machine.beLate(fault.ms);
        return () => machine.beLate(0);
      case 'kill_at':
        machine.dieAt(fault.point, fault.nth);
        return () => {
          machine.spare();
          revive(index);
        };
      case 'disk_torn':
        machine.dieAt('commit.before', 1);
        return () => {
          machine.spare();
          revive(index);
        };
      case 'disk_full': {
        const before = disk.counts()['full'];
        disk.faults.full = true;
        return () => {
          disk.faults.full = false;
          // A process that met the full disk does not go on.
          if (disk.counts()['full'] !== before) machine.kill('its disk was full');
          revive(index);
        };
      }
      case 'disk_lost_writes':
        trust.lostWrites(index);
        return down(index, fault.commits);
      case 'disk_old_copy':
        return putBack(index, fault);
      case 'stream_away':
      case 'stream_late':
      case 'stream_silent':
      case 'takeover':
      case 'machine_lost':
        return site === null ? null : strikeSite(site, fault);
      case 'loss':
        return network.begin(name, { kind: 'lose', probability: fault.share, where });
      case 'repeats':
        return network.begin(name, { kind: 'duplicate', probability: fault.share, where });
      case 'delay': {
        const { leastMs, mostMs } = fault;
        return network.begin(name, { kind: 'delay', leastMs, mostMs, where });
      }
      case 'reorder':
        return network.begin(name, { ...REORDERED, windowMs: PLACE_MS * fault.window, where });
      case 'deaf':
        return network.begin(name, { kind: 'deaf', node: machine.address });
      case 'stale_head':
      case 'frozen_head':
      case 'missing_logs':
      case 'unreachable':
      case 'failing_calls':
      case 'refused_calls':
      case 'short_log_ranges':
      case 'wrong_receipts':
        return beginAt(endpoint, fault, world.chain.head().number);
      case 'censored':
        return heldBack(machine.address);
      case 'foreign_transaction':
        return useAccount(world, inhabitant(index).signer);
      case 'no_gas':
        return withoutGas(world, machine.address, (work) =>
          options.scheduler.after(options.blockMs, work),
        );
    }
  }

  function ofAll(fault: OfAll, name: string, draw: Draw): Undo {
    const { chain } = world;
    switch (fault.kind) {
      case 'partition': {
        const groups = fault.groups.map((group) =>
          select(group, nodes, draw).map(({ index }) => world.addressOf(index)),
        );
        return network.begin(name, { kind: 'partition', groups });
      }
      case 'broker_down':
        return network.begin(name, { kind: 'down' });
      case 'path_finding_down':
        world.gateway.faults.isDown = true;
        return () => {
          world.gateway.faults.isDown = false;
        };
      case 'hostile_broker': {
        const ends = [
          network.begin(`${name} replay`, { kind: 'replay', probability: 0.2 }),
          network.begin(`${name} flip`, { kind: 'flip', probability: 0.05 }),
          network.begin(`${name} misdeliver`, { kind: 'misdeliver', probability: 0.05 }),
          network.begin(`${name} presence`, { kind: 'forgePresence', probability: 0.2 }),
        ];
        return () => {
          for (const end of ends) end();
        };
      }
      case 'reorganisation':
        replace(Number(fault.depth), 'again');
        return () => {};
      case 'hostile_token': {
        const { burns } = fault;
        const { world: state } = chain.machine;
        state.whim = burns === null ? { kind: 'fails' } : { kind: 'burns', gas: burns };
        return () => {
          state.whim = { kind: 'none' };
        };
      }
      case 'full_blocks': {
        const gas = (chain.head().gasLimit * BigInt(Math.round(fault.share * 1000))) / 1000n;
        const { others } = chain.weather();
        chain.setWeather({ others: { gas, tip: 2n * 10n ** 9n } });
        return () => chain.setWeather({ others });
      }
      case 'price_spike': {
        const { leastTip, usualTip } = chain.weather();
        const tip = BigInt(Math.round(fault.factor * 1e9));
        chain.setWeather({ leastTip: tip, usualTip: tip });
        return () => chain.setWeather({ leastTip, usualTip });
      }
    }
  }

  /** Makes a reorganisation that is due by the chain's own terms. */
  function reorganise() {
    const { reorganisations: own } = options;
    if (own === null || !own.isDue()) return;
    const told = options.onFault('reorganisation', null);
    replace(own.depth(), own.fate);
    told(1);
  }

  /** Replaces the last `depth` blocks, or as many as there are. */
  function replace(depth: number, keep: Fate) {
    const { chain } = world;
    chain.reorganise(Math.min(depth, Number(chain.head().number - chain.deployBlock)), { keep });
  }

  /** Kills the node, and starts it again when the fault ends. */
  function down(index: number, lostWrites = 0): Undo {
    const { machine } = inhabitant(index);
    if (machine.node() === null) return null;
    machine.kill('killed', lostWrites);
    return () => revive(index);
  }

  /** As `down`; the disk is put back to the newest copy that is old enough. */
  function putBack(index: number, fault: OldCopy): Undo {
    const copy = copies.of(fault, index);
    const { claims, machine } = inhabitant(index);
    if (copy === null || machine.node() === null) return null;
    if (fault.isNoted) claims.note();
    const undo = down(index);
    if (undo === null) return null;
    trust.putBack(index);
    copy();
    return undo;
  }

  /** Starts the node, unless its disk is full: then it is started when that is over. */
  function revive(index: number) {
    const { machine, disk } = inhabitant(index);
    if (machine.node() === null && !disk.faults.full) machine.start();
  }

  /** Keeps the account's transactions out of blocks; several such faults may overlap. */
  function heldBack(owner: Address): Undo {
    censored.push(owner);
    world.chain.setWeather({ isHeldBack: ({ from }) => censored.includes(from) });
    return () => void censored.splice(censored.indexOf(owner), 1);
  }

  return {
    /** The next block; `block` is its number as the scenario counts. */
    block(block: number) {
      copies.block(block);
      schedule.block(block);
      reorganise();
    },
    saw: schedule.saw,
    /** Ends all faults. */
    end() {
      schedule.end();
      network.endAll();
    },
  };
}

const indexOf = (target: Selectable | null) => target?.index ?? -1;

/** The account has no money until the returned function is called. `later`: calls after a block. */
function withoutGas(
  { chain }: Pick<World, 'chain'>,
  owner: Address,
  later: (work: () => void) => void,
): Undo {
  const had = chain.wei(owner);
  chain.machine.wei.set(owner, 0n);
  /** A reorganisation takes back what was given before the blocks that it replaces. */
  const give = (times: number) => {
    if (chain.wei(owner) < had / 2n) chain.machine.wei.set(owner, had);
    if (times > 1) later(() => give(times - 1));
  };
  return () => give(GIVEN_TIMES);
}
