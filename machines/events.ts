/**
 * Every event that an actor can get; code that sends anything else does not compile.
 *
 * `cmd.*`: a command of a caller. `msg.*`: a partner message. `chain.*`: something that happened on chain. `actor.*`:
 * a notice of another actor, or of the runtime. The runtime stamps `nowBlock`, the newest confirmed block, on each
 * event, so that no machine has to ask for the time.
 */
import type { ChainEvent } from './events/chain.ts';
import type { CommandEvent } from './events/commands.ts';
import type { MessageEvent } from './events/messages.ts';
import type { Notice } from './events/notices.ts';

/** An event before the runtime has stamped the block on it. */
export type ActorEvent = ChainEvent | CommandEvent | MessageEvent | Notice;
