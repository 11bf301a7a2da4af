/** The faults of the simulated network: each has a name, begins, takes effect now and then, and ends. */
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address } from '../../basics/hex.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import type { Parcel } from './parcel.ts';

/** Which payloads a fault affects; absent: all. */
type Where =
  /** All payloads from and to this node. */
  | { node: Address }
  /** Both directions. */
  | { between: readonly [Address, Address] }
  /** One direction. */
  | { from: Address; to: Address };

export type Fault =
  | { kind: 'lose'; probability: number; where?: Where }
  | { kind: 'duplicate'; probability: number; where?: Where }
  /** Delays payloads, but keeps their order. */
  | { kind: 'delay'; leastMs: number; mostMs: number; where?: Where }
  /** Delays payloads, so that others overtake them. */
  | { kind: 'reorder'; probability: number; windowMs: number; where?: Where }
  /** Nothing passes between groups; nodes that are in none of them form one more group. */
  | { kind: 'partition'; groups: readonly (readonly Address[])[] }
  /** The node gets nothing, but can send. */
  | { kind: 'deaf'; node: Address }
  /** These nodes, or all, lose their connection to the broker and know it; they reconnect when the fault ends. */
  | { kind: 'down'; nodes?: readonly Address[] }
  /** A hostile broker delivers old payloads to their recipients again. */
  | { kind: 'replay'; probability: number }
  /** A hostile broker flips a bit. */
  | { kind: 'flip'; probability: number; where?: Where }
  /** A hostile broker delivers payloads to other nodes. */
  | { kind: 'misdeliver'; probability: number; where?: Where }
  /** A hostile broker answers at random whether a node is there. */
  | { kind: 'forgePresence'; probability: number };

export type Faults = {
  /** Begins a fault; the returned function ends it. Two active faults must not have the same name. */
  begin(name: string, fault: Fault): () => void;
  endAll(): void;
  /** How often each fault that ever began has taken effect. */
  counts(): Record<string, number>;
};

type Kind = Fault['kind'];
type Of<K extends Kind> = Extract<Fault, { kind: K }>;
type Active = { name: string; fault: Fault; draw: Draw };
/** A fault that takes effect now. `draw` is the fault's own, so that no other random numbers change. */
type Hit<K extends Kind> = { name: string; fault: Of<K>; draw: Draw };
/** The faults that are active. */
export type FaultBook = Faults & {
  isCalm(): boolean;
  /**
   * The first fault of the kind that takes effect, which is counted; null: none. Without a parcel, all of the kind
   * are asked.
   */
  hit<K extends Kind>(kind: K, parcel: Route | null): Hit<K> | null;
  /** Whether this node has no connection to the broker; counted only at the fault's beginning. */
  isDown(node: Address): boolean;
};
type Route = Pick<Parcel, 'from' | 'to'>;

/** `changed` is called at each beginning and end of a fault. */
export function createFaults(randomness: Randomness, changed: () => void): FaultBook {
  let active: Active[] = [];
  const counts = new Map<string, number>();
  const draws = new Map<string, Draw>();

  function drawOf(name: string): Draw {
    return getOrMake(draws, name, () => randomness.of(`network fault/${name}`));
  }

  function end(those: (one: Active) => boolean): void {
    const left = active.filter((one) => !those(one));
    if (left.length === active.length) return;
    active = left;
    changed();
  }

  return {
    begin(name, fault) {
      if (active.some((one) => one.name === name))
        throw new Error(`network: the fault ${name} has begun`);
      const begun = { name, fault, draw: drawOf(name) };
      active = [...active, begun];
      counts.set(name, (counts.get(name) ?? 0) + (fault.kind === 'down' ? 1 : 0));
      changed();
      return () => end((one) => one === begun);
    },
    endAll: () => end(() => true),
    counts: () => Object.fromEntries(counts),
    isCalm: () => active.length === 0,
    hit(kind, parcel) {
      for (const { name, fault, draw } of active) {
        if (!isOf(kind, fault) || !concerns(fault, parcel) || !happens(fault, draw)) continue;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return { name, fault, draw };
      }
      return null;
    },
    isDown: (node) =>
      active.some(
        ({ fault }) =>
          fault.kind === 'down' && (fault.nodes === undefined || fault.nodes.includes(node)),
      ),
  };
}

function isOf<K extends Kind>(kind: K, fault: Fault): fault is Of<K> {
  return fault.kind === kind;
}

function happens(fault: Fault, draw: Draw): boolean {
  return 'probability' in fault ? draw.happens(fault.probability) : true;
}

function concerns(fault: Fault, parcel: Route | null): boolean {
  if (parcel === null) return true;
  const { from, to } = parcel;
  if (fault.kind === 'deaf') return fault.node === to;
  if (fault.kind === 'partition') return groupOf(fault, from) !== groupOf(fault, to);
  if (!('where' in fault) || fault.where === undefined) return true;
  const { where } = fault;
  if ('node' in where) return where.node === from || where.node === to;
  if ('from' in where) return where.from === from && where.to === to;
  const [a, b] = where.between;
  return (a === from && b === to) || (a === to && b === from);
}

/** The index of the node's group; -1: none. */
function groupOf({ groups }: Of<'partition'>, node: Address): number {
  return groups.findIndex((group) => group.includes(node));
}
