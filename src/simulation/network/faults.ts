/** What can go wrong on the simulated network: each fault has a name, begins, hits now and then, and ends. */
import type { Address } from '../../protocol/hex.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import type { Parcel } from './parcel.ts';

/** Which payloads a fault concerns; absent: all. */
type Where =
  /** Whatever this node sends or is sent. */
  | { node: Address }
  /** Both directions. */
  | { between: readonly [Address, Address] }
  /** One direction. */
  | { from: Address; to: Address };

export type Fault =
  | { kind: 'lose'; probability: number; where?: Where }
  | { kind: 'duplicate'; probability: number; where?: Where }
  /** So much later, in the order of sending. */
  | { kind: 'delay'; leastMs: number; mostMs: number; where?: Where }
  /** Up to so much later, while others overtake. */
  | { kind: 'reorder'; probability: number; windowMs: number; where?: Where }
  /** Nothing passes between two groups; the nodes in none of them are together the last one. */
  | { kind: 'partition'; groups: readonly (readonly Address[])[] }
  /** Hears nothing, and may speak. */
  | { kind: 'deaf'; node: Address }
  /** The broker is away for these nodes, or for all; they know it, and come back when it ends. */
  | { kind: 'down'; nodes?: readonly Address[] }
  /** A hostile broker delivers old payloads again: to their recipients, */
  | { kind: 'replay'; probability: number }
  /** turns around a bit, */
  | { kind: 'flip'; probability: number; where?: Where }
  /** hands to others what is not for them, */
  | { kind: 'misdeliver'; probability: number; where?: Where }
  /** and answers at will whether a node is there. */
  | { kind: 'forgePresence'; probability: number };

export type Faults = {
  /** Answers with what ends it. A name is that of one fault at a time; it may begin again. */
  begin(name: string, fault: Fault): () => void;
  endAll(): void;
  /** How often each fault that ever began has hit. */
  counts(): Record<string, number>;
};

type Kind = Fault['kind'];
type Of<K extends Kind> = Extract<Fault, { kind: K }>;
type Active = { name: string; fault: Fault; draw: Draw };
/** A fault that hits now; `draw` is its own, so that it shifts nobody else's chance. */
type Hit<K extends Kind> = { name: string; fault: Of<K>; draw: Draw };
/** Those that hit a payload, or all of a kind when none is given. */
export type FaultBook = Faults & {
  isCalm(): boolean;
  /** The first fault of the kind that hits, counted; null: none. */
  hit<K extends Kind>(kind: K, parcel: Route | null): Hit<K> | null;
  /** Whether the broker is away for this node; a hit only for those who begin. */
  isDown(node: Address): boolean;
};
type Route = Pick<Parcel, 'from' | 'to'>;

/** `changed` hears of each beginning and end. */
export function createFaults(randomness: Randomness, changed: () => void): FaultBook {
  let active: Active[] = [];
  const counts = new Map<string, number>();
  const draws = new Map<string, Draw>();

  function drawOf(name: string): Draw {
    const draw = draws.get(name) ?? randomness.of(`network fault/${name}`);
    draws.set(name, draw);
    return draw;
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

/** -1: in none. */
function groupOf({ groups }: Of<'partition'>, node: Address): number {
  return groups.findIndex((group) => group.includes(node));
}
