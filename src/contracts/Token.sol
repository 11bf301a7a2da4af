// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The part of ERC-20 that the channel contracts call. `transfer` and `transferFrom` must return true;
/// a token that returns nothing, takes a fee on transfer, or changes balances by itself is not supported.
interface Token {
    event Transfer(address indexed _from, address indexed _to, uint256 _value);
    event Approval(address indexed _owner, address indexed _spender, uint256 _value);

    function totalSupply() external view returns (uint256 supply);

    function balanceOf(address _owner) external view returns (uint256 balance);

    function transfer(address _to, uint256 _value) external returns (bool success);

    function transferFrom(address _from, address _to, uint256 _value) external returns (bool success);

    function approve(address _spender, uint256 _value) external returns (bool success);

    function allowance(address _owner, address _spender) external view returns (uint256 remaining);

    function decimals() external view returns (uint8 decimals);
}
