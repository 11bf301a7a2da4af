/**
 * Everything that an actor can be told of: whoever sends something else does not compile.
 *
 * `cmd.*` somebody asks; `msg.*` a partner message; `chain.*` the chain; `actor.*` another actor, or the runtime.
 * The runtime stamps `nowBlock`, the newest confirmed block, on each event, so that no machine has to ask for
 * the time.
 */
import type { ChainEvent } from './events/chain.ts';
import type { CommandEvent } from './events/commands.ts';
import type { MessageEvent } from './events/messages.ts';
import type { Notice } from './events/notices.ts';

/** Without the block that the runtime stamps on it. */
export type ActorEvent = ChainEvent | CommandEvent | MessageEvent | Notice;
