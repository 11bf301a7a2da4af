/** Tokens of other habits than ERC-20's, as they are in use, compiled in the process. */

import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { compileSources } from '../../src/contracts/solidity.ts';
import type { Clients } from '../../src/contracts/transact.ts';
import { confirmed } from '../../src/contracts/transact.ts';

const HABITS = [
  'Sound',
  /** An allowance is only changed from or to zero, as Tether does. */
  'FromZero',
  /** Nothing is returned when it is moved, as Tether and many of before 2018 do. */
  'ReturnsNothing',
  /** Only `transferFrom` returns something, as BNB on Ethereum does. */
  'ReturnsNothingWhenPaid',
  /** A hundredth is kept of each transfer. */
  'Fee',
  /** One unit less arrives, as shares of a rebasing token are rounded. */
  'Rounds',
  /** Balances grow by themselves and are told in shares, too, as Lido's are. */
  'Rebases',
  /** Accounts can be blocked, as by USDC. */
  'Blocks',
] as const;
export type Habit = (typeof HABITS)[number];

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract OddToken {
    enum Habit { ${HABITS.join(', ')} }
    Habit private immutable habit;
    uint256 public totalSupply = 1;
    uint8 public constant decimals = 18;
    bytes32 public constant symbol = "ODD";
    mapping(address owner => uint256) private balances;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address owner => bool) private blocked;

    constructor(Habit given) { habit = given; }
    function mint(address to, uint256 num) external { balances[to] += num; totalSupply += num; }
    function block_(address owner) external { blocked[owner] = true; }
    function balanceOf(address owner) external view returns (uint256) { return balances[owner]; }
    function sharesOf(address owner) external view returns (uint256) {
        require(habit == Habit.Rebases);
        return balances[owner];
    }
    function approve(address spender, uint256 value) external returns (bool) {
        if (habit == Habit.FromZero) require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        if (habit == Habit.ReturnsNothing) assembly { return(0, 0) }
        return true;
    }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        if (habit == Habit.ReturnsNothing) assembly { return(0, 0) }
        return true;
    }
    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        if (habit == Habit.ReturnsNothing || habit == Habit.ReturnsNothingWhenPaid) assembly { return(0, 0) }
        return true;
    }
    function move(address from, address to, uint256 value) private {
        require(!blocked[from] && !blocked[to], "blocked");
        balances[from] -= value;
        uint256 kept = habit == Habit.Fee ? value / 100 : habit == Habit.Rounds && value > 0 ? 1 : 0;
        balances[to] += value - kept;
    }
}`;

let bytecode: `0x${string}` | null = null;

export async function deployOddToken(clients: Clients, habit: Habit): Promise<Address> {
  bytecode ??=
    compileSources({ name: 'Odd.sol', content: SOURCE }).get('OddToken')?.bytecode ?? null;
  if (bytecode === null) throw new Error('no token');
  const index = HABITS.indexOf(habit).toString(16).padStart(64, '0');
  const hash = await clients.wallet.deployContract({ abi: [], bytecode: `${bytecode}${index}` });
  const address = parseAddress((await confirmed(clients, hash, 'deploy')).contractAddress);
  if (address === null) throw new Error('not deployed');
  return address;
}
