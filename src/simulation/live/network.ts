/** A real network that a scenario is carried out on: what has to be known of it, and can be done to it. */
import type { Address } from '../../protocol/hex.ts';

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
  /** Without a path. */
  api: string;
  process: LiveProcess;
};
/** Those that take time resolve when it is done. */
export type LiveProcess = {
  stop(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  pause(): void;
  resume(): void;
};
