/** What the runtime adds to events before they reach an actor. */
import type { Code } from '../../src/protocol/codes.ts';

/** An event as it reaches a machine. */
export type Stamped<E> = E & { nowBlock: bigint };
/** Why this node makes or accepts no lock now, in any channel; absent: it does. The runtime adds it. */
export type Judged = { refusal?: Code };
