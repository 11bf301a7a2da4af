/** The properties of every view of one actor. */

import type { InspectorSource } from '../../inspector/source.ts';
import type { NodeFacts } from '../../inspector/wire.ts';
import type { ActorFeed } from '../live/actor-feed.ts';

export type ActorViewProps = {
  actor: string;
  feed: ActorFeed;
  source: InspectorSource;
  /** Null until the node has answered. */
  facts: NodeFacts | null;
  /** The newest confirmed block that the page knows of. */
  nowBlock: bigint;
  /** The step of the journal that the address asks for; null: the newest. */
  step: number | null;
};
