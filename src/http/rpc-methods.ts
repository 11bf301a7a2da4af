/** The JSON-RPC methods that may be called through a node. */

/** Methods that change nothing, and read nothing private of the endpoint's operator. */
export const READ_ONLY_METHODS: readonly string[] = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
];

/**
 * Parses a comma list of further methods: `true` for none, `false` to forward nothing at all. Null: not such a list.
 */
export function parseMethods(text: string): { methods: string[] | null } | null {
  const names = text.split(',').map((name) => name.trim());
  if (text === 'false') return { methods: null };
  if (text === 'true') return { methods: [] };
  return names.every((name) => /^[a-z][a-z0-9]*_\w{1,60}$/.test(name)) ? { methods: names } : null;
}
