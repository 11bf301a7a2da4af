// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Channels} from "./Channels.sol";
import {Controllable} from "./Controllable.sol";
import {TokenNetwork} from "./TokenNetwork.sol";
import {Utils} from "./Utils.sol";

/// Creates one TokenNetwork per token and remembers it.
contract TokenNetworkRegistry is Utils, Controllable {
    address public secret_registry_address;
    uint256 public settlement_timeout_min;
    uint256 public settlement_timeout_max;
    uint256 public max_token_networks;
    uint256 public token_network_created;
    mapping(address token => address token_network) public token_to_token_networks;

    event TokenNetworkCreated(address indexed token_address, address indexed token_network_address);

    constructor(
        address _secret_registry_address,
        uint256 _settlement_timeout_min,
        uint256 _settlement_timeout_max,
        uint256 _max_token_networks
    ) {
        require(_settlement_timeout_min > 0, "TNR: invalid settle timeout min");
        require(_settlement_timeout_max > _settlement_timeout_min, "TNR: invalid settle timeouts");
        require(_settlement_timeout_max <= Channels.MAX_TIMEOUT, "TNR: invalid settle timeout max");
        require(_secret_registry_address != address(0), "TNR: invalid SR address");
        require(contractExists(_secret_registry_address), "TNR: invalid SR");
        require(_max_token_networks > 0, "TNR: invalid TN limit");
        secret_registry_address = _secret_registry_address;
        settlement_timeout_min = _settlement_timeout_min;
        settlement_timeout_max = _settlement_timeout_max;
        max_token_networks = _max_token_networks;
        controller = msg.sender;
    }

    /// Registers a token, for anybody. Without a limit on the number of networks there are no deposit limits.
    function createERC20TokenNetwork(
        address _token_address,
        uint256 _channel_participant_deposit_limit,
        uint256 _token_network_deposit_limit
    ) public returns (address token_network_address) {
        require(token_network_created < max_token_networks, "TNR: registry full");
        if (max_token_networks == type(uint256).max) {
            require(
                _channel_participant_deposit_limit == type(uint256).max
                    && _token_network_deposit_limit == type(uint256).max,
                "TNR: limits must be set to MAX_INT"
            );
        }
        require(token_to_token_networks[_token_address] == address(0), "TNR: token already registered");
        token_network_created++;
        token_network_address = address(
            new TokenNetwork(
                _token_address,
                secret_registry_address,
                settlement_timeout_min,
                settlement_timeout_max,
                controller,
                _channel_participant_deposit_limit,
                _token_network_deposit_limit
            )
        );
        token_to_token_networks[_token_address] = token_network_address;
        emit TokenNetworkCreated(_token_address, token_network_address);
    }

    function createERC20TokenNetworkWithoutLimits(address _token_address)
        external
        returns (address token_network_address)
    {
        return createERC20TokenNetwork(_token_address, type(uint256).max, type(uint256).max);
    }

    /// Lifts the limit on the number of token networks for ever.
    function removeLimits() external onlyController {
        max_token_networks = type(uint256).max;
    }
}
