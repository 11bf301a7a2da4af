/** What the page knows of all nodes of a network. */
import type { Signal } from '@preact/signals';
import type { DevnetNodes } from '../../inspector/devnet-wire.ts';
import type { InspectorSource } from '../../inspector/source.ts';
import type { ActorView, ListedActor } from '../../inspector/wire.ts';
import type { MessageFlow } from './flows.ts';

export type NetworkNode = DevnetNodes['nodes'][number] & { source: InspectorSource };
export type NodePayment = { node: string; row: ListedActor };
/** `partner`: an address; `isOnChain`: its block is confirmed, and the deposit is still on its way. */
export type Opening = {
  node: string;
  partner: string;
  token: string;
  deposit: bigint;
  isOnChain: boolean;
};
/** `isCut`: the node has started more. */
export type NodePayments = { shown: readonly NodePayment[]; isCut: boolean };
export type NetworkWatch = {
  nodes: Signal<readonly NetworkNode[]>;
  /** By the channel's id, then by the name of the node. A channel that has ended is none. */
  views: Signal<ReadonlyMap<string, ReadonlyMap<string, ActorView>>>;
  /** Channels that are being opened, by node and token network. */
  openings: Signal<ReadonlyMap<string, readonly Opening[]>>;
  /** The last payments that each node started, the newest first. */
  payments: Signal<ReadonlyMap<string, NodePayments>>;
  /** The newest messages that were sent since the page was opened. */
  flows: Signal<readonly MessageFlow[]>;
  /** The newest block of any node; null until one has answered. */
  block: Signal<bigint | null>;
  isLive: Signal<boolean>;
  /**
   * By the name of the node: whether it answered the last request; a node without an answer or failure yet is
   * missing.
   */
  answers: Signal<ReadonlyMap<string, boolean>>;
  /** Follows these nodes as well, if they are new. */
  take(all: DevnetNodes): void;
  /** Stops reading. */
  end(): void;
};
export type Watched = Omit<NetworkWatch, 'take' | 'end'>;
