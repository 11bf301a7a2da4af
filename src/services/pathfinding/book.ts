/** All known token networks: the rows on disk, kept in memory, with a graph for each network. */

import type { Address } from '../../basics/hex.ts';
import { microsecondsOf } from '../../basics/timestamp.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import type { CapacityUpdate, FeeUpdate } from '../../protocol/services/pfs-update.ts';
import { applyChannelLog } from '../../routing/channel-logs.ts';
import type { RoutedNetwork } from '../../routing/network.ts';
import type { StatedOf } from '../../routing/statements.ts';
import { tariffWith } from '../../routing/tariff.ts';
import { createRoutedNetwork } from '../../routing/token-network.ts';
import { curveIn } from './curve-text.ts';
import type { PathfindingRows } from './rows.ts';
import type { FeeRow, GraphChannelRow } from './stored-rows.ts';

export type KnownNetwork = {
  address: Address;
  token: Address;
  graph: RoutedNetwork;
  /** The newest accepted statements, by channel: of each participant that has made one. */
  standings: Map<bigint, Heard[]>;
};
type Heard = StatedOf & { updatingParticipant: Address };
export type OpenedChannel = { network: KnownNetwork; channelId: bigint };
export type NetworkBook = ReturnType<typeof openBook>;
type Log = LogBatch['logs'][number];

const UNHEARD: StatedOf = { nonces: null, feeTime: null };

/** Reads all rows. `met` is called with every node that has a channel or opens one. */
export function openBook(rows: PathfindingRows, met: (address: Address) => void) {
  const networks = new Map<Address, KnownNetwork>();
  const byToken = new Map<Address, KnownNetwork>();

  function addNetwork({ address, token }: { address: Address; token: Address }): void {
    if (networks.has(address)) return;
    const network = { address, token, graph: createRoutedNetwork(), standings: new Map() };
    networks.set(address, network);
    byToken.set(token, network);
  }

  const book = {
    network: (tokenNetwork: Address): KnownNetwork | null => networks.get(tokenNetwork) ?? null,
    /** The network with this address, or of the token with this address. */
    find: (address: Address): KnownNetwork | null =>
      networks.get(address) ?? byToken.get(address) ?? null,
    networks: (): KnownNetwork[] => [...networks.values()],

    /** Writes what the log changes; to be called inside the transaction of its block. */
    store: (log: Log): void => storeLog(rows, log),
    /** Applies a stored log to the graphs. Answers the channel if the log opened one. */
    apply(log: Log): OpenedChannel | null {
      if (log.type === 'chain.tokenNetworkCreated') {
        addNetwork({ address: log.tokenNetwork, token: log.token });
        return null;
      }
      const network = 'channelId' in log ? networks.get(log.tokenNetwork) : undefined;
      if (network === undefined || !('channelId' in log)) return null;
      if (log.type === 'chain.channelOpened') for (const one of participantsOf(log)) met(one);
      return applyLog(network, log);
    },
    noteCapacity(
      network: KnownNetwork,
      update: Omit<CapacityUpdate, 'chainId' | 'otherParticipant'>,
    ): void {
      const { updatingNonce, otherNonce } = update;
      network.graph.update(update);
      heardOf(network, update).nonces = { updatingNonce, otherNonce };
    },
    /** False when the graph does not accept the fee schedule. */
    noteFee(
      network: KnownNetwork,
      { schedule, timestamp, ...at }: Omit<FeeUpdate, 'chainId'>,
    ): boolean {
      if (!network.graph.charge(at.channelId, at.updatingParticipant, schedule)) return false;
      heardOf(network, at).feeTime = microsecondsOf(timestamp);
      return true;
    },
  };

  for (const network of rows.networks()) addNetwork(network);
  for (const row of rows.channels()) {
    const network = networks.get(row.tokenNetwork);
    if (network === undefined) continue;
    loadChannel(network, row);
    for (const one of participantsOf(row)) met(one);
  }
  const networkOf = ({ tokenNetwork }: { tokenNetwork: Address }) => networks.get(tokenNetwork);
  for (const row of rows.capacities()) {
    const network = networkOf(row);
    if (network !== undefined) book.noteCapacity(network, row);
  }
  for (const row of rows.fees()) {
    const network = networkOf(row);
    if (network !== undefined) loadFee(network, row);
  }
  return book;
}

type Side = { channelId: bigint; updatingParticipant: Address };

export function statementsOf({ standings }: KnownNetwork, side: Side): StatedOf {
  return heardIn(standings.get(side.channelId), side) ?? UNHEARD;
}

/** What is kept of this side's statements, to be changed in place. A key of both names would take longer to build. */
function heardOf({ standings }: KnownNetwork, side: Side): Heard {
  const { channelId, updatingParticipant } = side;
  const ofChannel = standings.get(channelId);
  const known = heardIn(ofChannel, side);
  if (known !== undefined) return known;
  const heard: Heard = { updatingParticipant, nonces: null, feeTime: null };
  if (ofChannel === undefined) standings.set(channelId, [heard]);
  else ofChannel.push(heard);
  return heard;
}

function heardIn(ofChannel: readonly Heard[] | undefined, { updatingParticipant }: Side) {
  return ofChannel?.find((heard) => heard.updatingParticipant === updatingParticipant);
}

function participantsOf(channel: { participant1: Address; participant2: Address }) {
  return [channel.participant1, channel.participant2] as const;
}

function loadChannel({ graph }: KnownNetwork, row: GraphChannelRow): void {
  const { channelId, participant1, participant2, settleTimeout } = row;
  graph.open({ channelId, participants: participantsOf(row), settleTimeout });
  graph.setTotal(channelId, participant1, { deposit: row.deposit1, withdraw: row.withdraw1 });
  graph.setTotal(channelId, participant2, { deposit: row.deposit2, withdraw: row.withdraw2 });
}

function loadFee(network: KnownNetwork, row: FeeRow): void {
  const { channelId, updatingParticipant, flat, proportional, capFees, timestamp } = row;
  const curve = row.curve === null ? null : curveIn(row.curve);
  if (row.curve !== null && curve === null) return;
  const tariff = tariffWith({ flat, proportional, capFees, curve });
  if (!network.graph.recharge(channelId, updatingParticipant, tariff)) return;
  heardOf(network, row).feeTime = microsecondsOf(timestamp);
}

function storeLog(rows: PathfindingRows, log: Log): void {
  switch (log.type) {
    case 'chain.tokenNetworkCreated':
      rows.addNetwork({ address: log.tokenNetwork, token: log.token });
      break;
    case 'chain.channelOpened': {
      const { tokenNetwork, channelId, participant1, participant2, settleTimeout } = log;
      const nothing = { deposit1: 0n, deposit2: 0n, withdraw1: 0n, withdraw2: 0n };
      const row = { tokenNetwork, channelId, participant1, participant2, settleTimeout };
      rows.addChannel({ ...row, ...nothing });
      break;
    }
    case 'chain.channelDeposit':
      rows.setDeposit(log, log.participant, log.totalDeposit);
      break;
    case 'chain.channelWithdraw':
      rows.setWithdraw(log, log.participant, log.totalWithdraw);
      break;
    // A cooperative settlement has no close before it.
    case 'chain.channelClosed':
    case 'chain.channelSettled':
      rows.removeChannel(log);
      break;
  }
}

function applyLog(network: KnownNetwork, log: ChannelLog): OpenedChannel | null {
  const { graph, standings } = network;
  const { channelId } = log;
  if (log.type === 'chain.channelClosed' || log.type === 'chain.channelSettled')
    standings.delete(channelId);
  applyChannelLog(graph, log);
  return log.type === 'chain.channelOpened' ? { network, channelId } : null;
}
