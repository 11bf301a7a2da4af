/** Steps of the inspector's stream, as its readers get them. Step n happened at block n, n seconds in. */
import type { InspectionRecord, Patch, StepCause, StepRecords } from '../../src/inspector/wire.ts';

const ACTOR = 'channel:0x01:7';
type Facts = { actor?: string; cause?: StepCause };
type Body<Kind extends InspectionRecord['kind']> = Partial<
  Extract<InspectionRecord, { kind: Kind }>
>;

function ofStep(seq: number, part: number, { actor = ACTOR, cause }: Facts = {}) {
  const time = seq * 1_000;
  return {
    seq,
    part,
    actor,
    cause: cause ?? { from: 'outside' as const },
    block: BigInt(seq),
    time,
  };
}

/** A step that moves from one state to another, by default without an edge and with the same context. */
export function moved(
  seq: number,
  from: string,
  to: string,
  given: Facts & { event?: string; edges?: string[]; patch?: Patch; guards?: Body<'guard'>[] } = {},
): StepRecords {
  const { event = 'chain.block', edges = [], patch = [], guards = [] } = given;
  return [
    { ...ofStep(seq, 0, given), kind: 'event', event: { type: event } },
    ...guards.map((guard, index) => ({
      ...ofStep(seq, 1 + index, given),
      kind: 'guard' as const,
      guard: 'isOpen',
      params: undefined,
      transition: null,
      isOpen: false,
      reads: [],
      ...guard,
    })),
    {
      ...ofStep(seq, 1 + guards.length, given),
      kind: 'transition',
      from,
      to,
      edges,
      patch,
      deadlineBlock: null,
      balances: null,
    },
  ];
}

/** A step that changes only the context. */
export function changed(seq: number, state: string, patch: Patch): StepRecords {
  return moved(seq, state, state, { patch });
}

export function spawned(seq: number, state: string, context: unknown = {}): StepRecords {
  const machine = { machine: 'channel', version: '1', input: {}, isRestored: false };
  return [{ ...ofStep(seq, 0), kind: 'spawn', ...machine, state, context }];
}

/** The steps from `first` to `seq` are missing. */
export function missing(
  first: number,
  seq: number,
  reason: 'old' | 'slow' | 'other' = 'old',
): StepRecords {
  return [{ ...ofStep(seq, 0), kind: 'gap', first, reason }];
}

/** A step that did something. */
export function did(seq: number, effect: { type: string } & Record<string, unknown>): StepRecords {
  return [{ ...ofStep(seq, 0), kind: 'effect', effect }];
}

/** A step that took an event, with its fields. */
export function took(seq: number, event: { type: string } & Record<string, unknown>): StepRecords {
  return [{ ...ofStep(seq, 0), kind: 'event', event }];
}
