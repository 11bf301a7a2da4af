/** A real network on which a scenario is carried out: its facts, and what can be done to its processes. */
import type { Address } from '../../basics/hex.ts';

export type LiveNetwork = {
  /** URLs of the chain and of the message broker. */
  rpc: string;
  nats: string;
  chainId: number;
  token: Address;
  tokenNetworkRegistry: Address;
  /** In the order of the scenario's nodes. */
  nodes: readonly LiveNode[];
};
export type LiveNode = {
  name: string;
  address: Address;
  /** The URL of the node's API, without a path. */
  api: string;
  process: LiveProcess;
};
/** Asynchronous functions resolve when the action is done. */
export type LiveProcess = {
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  pause(): void;
  resume(): void;
};
