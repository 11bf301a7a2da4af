// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Settlement} from "./Settlement.sol";

/// Public helpers that every contract of the suite offers in its interface.
abstract contract Utils {
    /// What precedes the decimal length of a signed text (EIP-191).
    string public constant signature_prefix = "\x19Ethereum Signed Message:\n";

    function contractExists(address contract_address) public view returns (bool) {
        return contract_address.code.length > 0;
    }

    function min(uint256 a, uint256 b) public pure returns (uint256) {
        return Settlement.smaller(a, b);
    }

    function max(uint256 a, uint256 b) public pure returns (uint256) {
        return a > b ? a : b;
    }

    /// (a - b, b) when a > b, else (0, a): what is left, and what could be taken.
    function failsafe_subtract(uint256 a, uint256 b) public pure returns (uint256, uint256) {
        return Settlement.take(a, b);
    }

    /// a + b, or 2^256 - 1 when the sum is larger.
    function failsafe_addition(uint256 a, uint256 b) public pure returns (uint256) {
        return Settlement.add(a, b);
    }
}
