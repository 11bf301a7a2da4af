/** What the runtime adds to events before they reach an actor. */
import type { Code } from '../../src/protocol/codes.ts';

/** An event as it reaches a machine. */
export type Stamped<E> = E & { nowBlock: bigint };
/** Why this node makes or accepts no lock now, in any channel; absent: it does. The runtime adds it. */
export type Judged = { refusal?: Code };
/** How many slots of each channel are kept for customers, and how many of them are this payer's. */
export type Slots = { kept: number; own: number };
/** Absent: none are kept. The runtime adds it. */
export type Served = { slots?: Slots };
