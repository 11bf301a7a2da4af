/** Anvil, nodes on ports and with database files, and servers. */
import { createServer } from 'node:http';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import { deployToken } from '../../src/contracts/tokens.ts';
import { type Clients, confirmed } from '../../src/contracts/transact.ts';
import { setUpChain } from '../../src/devnet/chain/set-up-chain.ts';
import { serveNode } from '../../src/host/node-api.ts';
import { openNode } from '../../src/host/open-node.ts';
import { startAnvil } from '../support/anvil.ts';
import { anvilAccount, clientsFor, connected } from '../support/chain.ts';
import { startRpcProxy } from '../support/rpc-proxy.ts';
import { CONTRACTS, type Ground, type GroundChain } from './ground.ts';

export const realGround: Ground = {
  setUpChain: startChain,
  startMainNetwork,
  openNode,
  serveNode,
  startRpcProxy: (target) => startRpcProxy(target),
  async serveText(text) {
    const server = createServer((_, response) => response.end(text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    return { url: `http://127.0.0.1:${port}`, stop: async () => void server.close() };
  },
  async stop() {},
};

async function startChain(owners: readonly Address[]): Promise<GroundChain> {
  const anvil = await startAnvil();
  const connection = await connected(anvil.rpc);
  const clients = clientsFor(anvil.rpc, connection, anvilAccount(0));
  const set = { rpc: anvil.rpc, owners, blockTime: null, contracts: CONTRACTS, say: () => {} };
  return {
    chain: await setUpChain(set),
    connection,
    clients,
    createToken: (symbol) => deployToken(clients, { name: symbol, symbol }),
    createMintable: () => deployMintable(clients),
    async stop() {
      connection.stop();
      await anvil.stop();
    },
  };
}

async function startMainNetwork(owner: Address) {
  const anvil = await startAnvil({ chainId: 1 });
  const set = { rpc: anvil.rpc, owners: [owner], blockTime: 1, contracts: {}, say: () => {} };
  return { chain: await setUpChain(set), stop: anvil.stop };
}

const TOKENS = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract Balances {
    mapping(address owner => uint256) public balanceOf;
}
contract MintToken is Balances {
    function mint(address to, uint256 value) external { balanceOf[to] += value; }
}
contract MintForToken is Balances {
    function mintFor(uint256 value, address to) external { balanceOf[to] += value; }
}
contract IncreaseSupplyToken is Balances {
    function increaseSupply(uint256 value, address to) external { balanceOf[to] += value; }
}`;

async function deployMintable(clients: Clients): Promise<ReadonlyMap<string, Address>> {
  const deployed = new Map<string, Address>();
  for (const [name, { abi, bytecode }] of compileSources({
    name: 'Mintable.sol',
    content: TOKENS,
  })) {
    const hash = await clients.wallet.deployContract({ abi, bytecode });
    const { contractAddress } = await confirmed(clients, hash, `deploy ${name}`);
    const address = parseAddress(contractAddress);
    if (address !== null) deployed.set(name, address);
  }
  return deployed;
}
