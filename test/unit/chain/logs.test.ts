import { encodeAbiParameters, encodeEventTopics, type RpcLog } from 'viem';
import { describe, expect, it } from 'vitest';
import { type Address, type Hash, parseAddress } from '../../../src/basics/hex.ts';
import { secretRegistryAbi, tokenNetworkAbi } from '../../../src/chain/abi.ts';
import { type LogRequest, readLogs } from '../../../src/chain/watch/logs.ts';
import { turnsOfOthers } from '../../support/turns.ts';

const address = (n: number): Address => `0x${String(n).repeat(40)}`;
const hash = (n: number): Hash => `0x${String(n).repeat(64)}`;
const request: LogRequest = {
  registry: address(1),
  secretRegistry: address(2),
  tokenNetworks: [address(3)],
  fromBlock: 10n,
  toBlock: 20n,
};

function depositLog(part: Partial<RpcLog> = {}): RpcLog {
  const [signature, channelId, participant] = encodeEventTopics({
    abi: tokenNetworkAbi,
    eventName: 'ChannelNewDeposit',
    args: { channelId: 4n, participant: address(5) },
  });
  if (typeof channelId !== 'string' || typeof participant !== 'string') throw new Error('topics');
  return {
    address: address(3),
    topics: [signature, channelId, participant],
    data: encodeAbiParameters([{ type: 'uint256' }], [70n]),
    blockNumber: '0xa',
    blockHash: hash(8),
    logIndex: '0x2',
    transactionHash: hash(9),
    transactionIndex: '0x0',
    removed: false,
    ...part,
  };
}

function secretLog(part: Partial<RpcLog> = {}): RpcLog {
  const topics = encodeEventTopics({
    abi: secretRegistryAbi,
    eventName: 'SecretRevealed',
    args: { secrethash: hash(6) },
  });
  const [signature, secrethash] = topics;
  if (typeof secrethash !== 'string') throw new Error('topics');
  const data = hash(7);
  return depositLog({ address: address(2), topics: [signature, secrethash], data, ...part });
}

const logsOf = async (answer: RpcLog[]) => (await readLogs(answer, request)).map(({ log }) => log);

describe('readLogs', () => {
  it('turns a log into the event that the machines know', async () => {
    expect(await logsOf([depositLog()])).toEqual([
      {
        type: 'chain.channelDeposit',
        tokenNetwork: address(3),
        channelId: 4n,
        participant: address(5),
        totalDeposit: 70n,
        at: { block: 10n, logIndex: 2, transactionHash: hash(9) },
      },
    ]);
    const [read] = await logsOf([secretLog()]);
    expect(read).toMatchObject({ secrethash: hash(6), secret: hash(7) });
  });

  it('orders by block, then by index as a number, whoever emitted it', async () => {
    const answer = [
      secretLog({ blockNumber: '0xc', blockHash: hash(1), logIndex: '0x0' }),
      depositLog({ logIndex: '0x10' }),
      secretLog({ logIndex: '0x9' }),
    ];
    expect((await logsOf(answer)).map(({ at }) => [at.block, at.logIndex])).toEqual([
      [10n, 9],
      [10n, 16],
      [12n, 0],
    ]);
  });

  it('takes a log that came twice once', async () => {
    expect(await logsOf([depositLog(), depositLog()])).toHaveLength(1);
  });

  it('writes every address in its EIP-55 form, as the rest of the node compares them', async () => {
    const mixed = parseAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
    if (mixed === null) throw new Error('not an address');
    const [read] = await readLogs([depositLog({ address: `0x${mixed.slice(2).toLowerCase()}` })], {
      ...request,
      tokenNetworks: [mixed],
    });
    expect(read?.log).toMatchObject({ tokenNetwork: mixed });
  });

  it.each<[string, RpcLog[]]>([
    ['of an address that was not asked for', [depositLog({ address: address(4) })]],
    ['of a block below the range', [depositLog({ blockNumber: '0x9' })]],
    ['of a block above the range', [depositLog({ blockNumber: '0x15' })]],
    ['of no block', [depositLog({ blockNumber: null })]],
    ['that was taken back', [depositLog({ removed: true })]],
    ['of an event that was not asked for', [depositLog({ topics: [hash(5)] })]],
    ["of another contract's event", [secretLog({ address: address(3) })]],
    ['without topics', [depositLog({ topics: [] })]],
    ['with too little data', [depositLog({ data: '0x00' })]],
    [
      'of two blocks with one number',
      [depositLog(), secretLog({ logIndex: '0x3', blockHash: hash(1) })],
    ],
    [
      'that contradicts another at its place',
      [depositLog(), depositLog({ transactionHash: hash(1) })],
    ],
  ])('refuses an answer with a log %s', async (_what, answer) => {
    await expect(logsOf(answer)).rejects.toThrow();
  });

  it('lets others have their turn while it reads as many logs as a stranger can make', async () => {
    const answer = Array.from({ length: 1_000 }, (_, n) =>
      secretLog({ logIndex: `0x${n.toString(16)}` }),
    );
    const others = turnsOfOthers();
    expect(await logsOf(answer)).toHaveLength(1_000);
    expect(others.end()).toBeGreaterThanOrEqual(9);
  });
});
