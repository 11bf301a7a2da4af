// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ServiceRegistry} from "./ServiceRegistry.sol";
import {Token} from "./Token.sol";

/// Holds what one registration of a service cost until its time is over.
contract Deposit {
    Token public token;
    ServiceRegistry private service_registry;
    address public withdrawer;
    /// Unix seconds.
    uint256 public release_at;

    constructor(Token _token, uint256 _release_at, address _withdrawer, ServiceRegistry _service_registry) {
        token = _token;
        release_at = _release_at;
        withdrawer = _withdrawer;
        service_registry = _service_registry;
    }

    /// Sends everything to `to`: when the time has come, or at once when the registry is deprecated.
    function withdraw(address to) external {
        uint256 balance = token.balanceOf(address(this));
        require(msg.sender == withdrawer, "the caller is not the withdrawer");
        require(block.timestamp >= release_at || service_registry.deprecated(), "deposit not released yet");
        require(balance > 0, "nothing to withdraw");
        require(token.transfer(to, balance), "token didn't transfer");
    }
}
