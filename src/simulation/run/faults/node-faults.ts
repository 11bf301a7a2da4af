/** The faults that strike one node. */
import type { Faults as NetworkFaults } from '../../network/faults.ts';
import type { Fault } from '../../scenario/schema/trouble.ts';
import type { Draw } from '../../world/randomness.ts';
import type { Inhabitant, World } from '../world.ts';
import { createHoldBack, useAccount, withoutGas } from './account-faults.ts';
import { createCopies, type OldCopy } from './copies.ts';
import { beginAt } from './endpoint-faults.ts';
import type { FaultEntry, Undo } from './fault-schedule.ts';
import { disturbLines } from './line-faults.ts';
import { NOT_REPLICATED, strikeSite } from './replica-faults.ts';
import type { Trust } from './trust.ts';

export type OfNode = Extract<Fault, { nodes: unknown }>;
export type NodeFaultOptions = {
  world: Pick<World, 'chain' | 'chainId' | 'inhabitants' | 'second'>;
  network: NetworkFaults;
  neighboursOf(index: number): readonly number[];
  /** Records whose disks have lost writes or were put back. */
  trust: Trust;
  /** Does work after the time of a block. */
  afterBlock(work: () => void): void;
};

/** `entries`: all faults of the scenario, with whom they can strike. */
export function createNodeFaults(
  { world, network, neighboursOf, trust, afterBlock }: NodeFaultOptions,
  entries: readonly FaultEntry[],
) {
  const holdBack = createHoldBack(world);
  const copies = createCopies(
    entries.flatMap(({ fault, targets }) =>
      fault.kind === 'disk_old_copy'
        ? [{ fault, targets: targets.map((target) => target?.index ?? -1) }]
        : [],
    ),
    (index) => inhabitant(index).disk.copy(),
  );

  function inhabitant(index: number): Inhabitant {
    const found = world.inhabitants[index];
    if (found === undefined) throw new Error(`simulation: there is no node ${index}`);
    return found;
  }

  function strike(fault: OfNode, index: number, name: string, draw: Draw): Undo {
    const { machine, endpoint, disk, signer, site } = inhabitant(index);
    if (site !== null && NOT_REPLICATED.has(fault.kind)) return null;
    switch (fault.kind) {
      case 'kill':
        return down(index);
      case 'kill_pair': {
        const neighbours = neighboursOf(index);
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
      case 'disk_torn':
        if (fault.kind === 'kill_at') machine.dieAt(fault.point, fault.nth);
        else machine.dieAt('commit.before', 1);
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
      case 'repeats':
      case 'delay':
      case 'reorder':
      case 'deaf':
        return disturbLines(network, name, fault, machine.address);
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
        return holdBack(machine.address);
      case 'foreign_transaction':
        return useAccount(world, signer);
      case 'no_gas':
        return withoutGas(world, machine.address, afterBlock);
    }
  }

  /** Kills the node, and starts it again when the fault ends. */
  function down(index: number, lostWrites = 0): Undo {
    const { machine } = inhabitant(index);
    if (machine.node() === null) return null;
    machine.kill('killed', lostWrites);
    return () => revive(index);
  }

  /** As `down`; the disk is put back to the newest copy that is old enough. A supervisor starts the node at once. */
  function putBack(index: number, fault: OldCopy): Undo {
    const copy = copies.of(fault, index);
    const { claims, machine } = inhabitant(index);
    if (copy === null || machine.node() === null) return null;
    if (fault.isNoted) claims.note();
    const undo = down(index);
    if (undo === null) return null;
    const over = putOld(inhabitant(index), copy, { isNoted: fault.isNoted, trust, undo });
    if (fault.isNoted) revive(index);
    return over;
  }

  /** Starts the node, unless its disk is full: then it is started when that is over. */
  function revive(index: number) {
    const { machine, disk } = inhabitant(index);
    if (machine.node() === null && !disk.faults.full) machine.start();
  }

  return {
    strike,
    /** The next block; `block` is its number as the scenario counts. */
    block: copies.block,
  };
}

type Terms = { isNoted: boolean; trust: Trust; undo(): void };

/** Puts a copy back to the disk of a node that is down. Its owner accepts it, and `undo` is called, when the fault ends. */
function putOld({ index, claims, disk }: Inhabitant, copy: () => void, terms: Terms) {
  const { isNoted, trust, undo } = terms;
  const newest = disk.newest();
  copy();
  trust.putBack(index, isNoted && disk.newest() < newest);
  return () => {
    trust.accept(index);
    claims.accept();
    undo();
  };
}
