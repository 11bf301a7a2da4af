/** What a strategy is: code of somebody else by which chosen nodes act in a run, as their owners would. */
import type { Draw } from '../../world/randomness.ts';

export type Strategy = {
  /** For errors; it also names the node's random numbers, so that another strategy changes none of them. */
  name: string;
  /** The nodes that follow it, as a scenario names them: "0..4", "hubs:3", a role. */
  nodes: string;
  /** Called for each of them in each run, when the network stands. What must not be shared between runs belongs in here. */
  start(node: OwnNode): Reactions;
};
/** Errors that are thrown here, or in promises that are returned, end the run. */
export type Reactions = {
  /** Called at each block until the calm phase, but not while a promise of the call before is pending. */
  onBlock?(block: number): void | Promise<void>;
  /** Called when a payment of the node has ended, has reached it, or was passed on by it, in the same moment. */
  onPayment?(payment: NodePayment): void | Promise<void>;
};

/** Amounts in the token's smallest unit. `other`: the index of the node at the other end; null: none of the scenario. */
export type NodePayment =
  | { what: 'sent' | 'received'; amount: bigint; other: number | null }
  | { what: 'failed'; amount: bigint; other: number | null; code: string }
  /** `other`: who gave it the transfer. */
  | { what: 'mediated'; fee: bigint; other: number | null };

export type Answer = { ok: true } | { ok: false; code: string; detail: string };

/** What mediating costs: `flat` in the token's smallest unit, the others in parts per million. */
export type Fees = { flat: bigint; proportionalPpm: bigint; imbalancePpm: bigint; cap: boolean };

/** A channel as its node knows it. `own`: what it can pay now; `capacity`: what both sides have in it. */
export type OwnChannel = { partner: number; own: bigint; capacity: bigint };

/** A channel as everybody sees it on chain. */
export type OpenChannel = { a: number; b: number; capacity: bigint };

/**
 * One node in a run, for its strategy. Other nodes are named by their indexes. A node that is down has no channels, and
 * refuses with the code "node_down"; when its process ends before it has answered, the code is "node_died".
 */
export type OwnNode = {
  index: number;
  name: string;
  role: string;
  /** Random numbers for this node's strategy alone: they follow from the seed. */
  random: Draw;
  /** Blocks, and milliseconds of virtual time, since the scenario's first block. */
  block(): number;
  now(): number;
  /** Its own open channels. */
  channels(): OwnChannel[];
  /** All open channels of the network. */
  network(): OpenChannel[];
  /** The nodes of a shortest way from one to another, both ends included, past those that are named; null: there is none. */
  way(from: number, to: number, past?: readonly number[]): number[] | null;
  fees(): Fees;
  /** Changes what it charges from now on, also after a restart, and announces it. Throws when a fee is out of bounds. */
  setFees(fees: Partial<Fees>): void;
  open(partner: number, deposit: bigint): Promise<Answer>;
  /** Puts so much more into its channel with the partner, or takes so much out. */
  deposit(partner: number, amount: bigint): Promise<Answer>;
  withdraw(partner: number, amount: bigint): Promise<Answer>;
  close(partner: number): Promise<Answer>;
  /** `path`: the nodes after this one, the payee last; absent: whichever the node finds. `fee`: see `rebalance`. */
  pay(order: {
    to: number;
    amount: bigint;
    path?: readonly number[];
    fee?: bigint;
  }): Promise<Answer>;
  /**
   * Pays itself, out over the channel with the first node of `path` and back over that with the last. `fee`: what the nodes
   * between may take in all; absent: the usual fees. What they leave of it comes home.
   */
  rebalance(order: { path: readonly number[]; amount: bigint; fee?: bigint }): Promise<Answer>;
};
