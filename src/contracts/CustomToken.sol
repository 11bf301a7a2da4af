// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// An ERC-20 token for tests that anybody can mint. An allowance of 2^256 - 1 shrinks like any other.
contract CustomToken is Token {
    uint256 private supply_;
    mapping(address owner => uint256 amount) public balances;
    mapping(address owner => mapping(address spender => uint256 amount)) private allowed;

    string public name;
    string public symbol;
    uint8 public immutable _decimals;
    /// Units of one whole token.
    uint256 public immutable multiplier;
    address payable public immutable owner_address;

    event Minted(address indexed _to, uint256 indexed _num);

    constructor(uint256 initial_supply, uint8 decimal_units, string memory token_name, string memory token_symbol) {
        name = token_name;
        symbol = token_symbol;
        _decimals = decimal_units;
        multiplier = 10 ** uint256(decimal_units);
        owner_address = payable(msg.sender);
        supply_ = initial_supply;
        balances[msg.sender] = initial_supply;
    }

    /// Makes `num` new units for the caller.
    function mint(uint256 num) external {
        mintFor(num, msg.sender);
    }

    function mintFor(uint256 num, address target) public {
        balances[target] += num;
        supply_ += num;
        emit Minted(target, num);
    }

    /// Sends the contract's ether to its owner.
    function transferFunds() external {
        require(msg.sender == owner_address, "not the owner");
        (bool sent,) = owner_address.call{value: address(this).balance}("");
        require(sent, "transfer failed");
    }

    function transfer(address _to, uint256 _value) external returns (bool success) {
        _move(msg.sender, _to, _value);
        return true;
    }

    function transferFrom(address _from, address _to, uint256 _value) external returns (bool success) {
        uint256 allowance_left = allowed[_from][msg.sender];
        require(allowance_left >= _value, "allowance too low");
        unchecked {
            allowed[_from][msg.sender] = allowance_left - _value;
        }
        _move(_from, _to, _value);
        return true;
    }

    function approve(address _spender, uint256 _value) external returns (bool success) {
        allowed[msg.sender][_spender] = _value;
        emit Approval(msg.sender, _spender, _value);
        return true;
    }

    function balanceOf(address _owner) external view returns (uint256 balance) {
        return balances[_owner];
    }

    function allowance(address _owner, address _spender) external view returns (uint256 remaining) {
        return allowed[_owner][_spender];
    }

    function totalSupply() external view returns (uint256 supply) {
        return supply_;
    }

    function decimals() external view returns (uint8) {
        return _decimals;
    }

    function _move(address from, address to, uint256 amount) private {
        uint256 balance = balances[from];
        require(balance >= amount, "balance too low");
        // The sum of all balances is the supply, which does not overflow.
        unchecked {
            balances[from] = balance - amount;
            balances[to] += amount;
        }
        emit Transfer(from, to, amount);
    }
}
