// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ServiceRegistry} from "./ServiceRegistry.sol";
import {Signatures} from "./Signatures.sol";
import {Token} from "./Token.sol";
import {TokenNetwork} from "./TokenNetwork.sol";
import {TokenNetworkRegistry} from "./TokenNetworkRegistry.sol";
import {UserDeposit} from "./UserDeposit.sol";
import {Utils} from "./Utils.sol";

/// Registered services hand in the balance proofs of nodes that are offline, and are paid for it from the
/// node's user deposit after settlement.
contract MonitoringService is Utils {
    struct Reward {
        uint256 reward_amount;
        uint256 nonce;
        address reward_sender_address;
        address monitoring_service_address;
    }

    Token public token;
    ServiceRegistry public service_registry;
    UserDeposit public user_deposit;
    TokenNetworkRegistry public token_network_registry;

    /// By keccak256(channel identifier | token network).
    mapping(bytes32 reward_identifier => Reward reward) private rewards;

    event NewBalanceProofReceived(
        address token_network_address,
        uint256 channel_identifier,
        uint256 reward_amount,
        uint256 indexed nonce,
        address indexed ms_address,
        address indexed raiden_node_address
    );
    event RewardClaimed(address indexed ms_address, uint256 amount, bytes32 indexed reward_identifier);

    modifier canMonitor() {
        require(service_registry.hasValidRegistration(msg.sender), "service not registered");
        _;
    }

    constructor(
        Token _token,
        ServiceRegistry _service_registry,
        UserDeposit _user_deposit,
        TokenNetworkRegistry _token_network_registry
    ) {
        require(address(_token) != address(0), "token at address zero");
        require(address(_service_registry) != address(0), "service registry at address zero");
        require(address(_user_deposit) != address(0), "user deposit contract at address zero");
        require(address(_token_network_registry) != address(0), "token network registry at address zero");
        require(contractExists(address(_token)), "token has no code");
        require(contractExists(address(_service_registry)), "service registry has no code");
        require(contractExists(address(_user_deposit)), "user deposit has no code");
        require(contractExists(address(_token_network_registry)), "token network registry has no code");
        require(_token.totalSupply() > 0, "token has no total supply");
        require(address(_user_deposit.token()) == address(_token), "unexpected token in user deposit");
        token = _token;
        service_registry = _service_registry;
        user_deposit = _user_deposit;
        token_network_registry = _token_network_registry;
    }

    /// Updates the closed channel with the closing participant's balance proof, for the reward that the
    /// non-closing participant signed. Only the service with the highest nonce will be paid.
    function monitor(
        address closing_participant,
        address non_closing_participant,
        bytes32 balance_hash,
        uint256 nonce,
        bytes32 additional_hash,
        bytes calldata closing_signature,
        bytes calldata non_closing_signature,
        uint256 reward_amount,
        address token_network_address,
        bytes calldata reward_proof_signature
    ) external canMonitor {
        TokenNetwork network = _registered(token_network_address);
        uint256 channel_identifier = network.getChannelIdentifier(closing_participant, non_closing_participant);
        require(
            block.number
                >= firstBlockAllowedToMonitorChannel(
                    network, channel_identifier, closing_participant, non_closing_participant, msg.sender
                ),
            "not allowed to monitor"
        );
        bytes32 hash = keccak256(
            abi.encodePacked(
                signature_prefix,
                "221",
                address(this),
                block.chainid,
                Signatures.REWARD,
                token_network_address,
                non_closing_participant,
                non_closing_signature,
                reward_amount
            )
        );
        require(
            Signatures.recover(hash, reward_proof_signature) == non_closing_participant, "Invalid reward proof"
        );
        Reward storage reward = rewards[_rewardIdentifier(channel_identifier, token_network_address)];
        require(nonce > reward.nonce, "stale nonce");
        reward.reward_amount = reward_amount;
        reward.nonce = nonce;
        reward.reward_sender_address = non_closing_participant;
        reward.monitoring_service_address = msg.sender;

        network.updateNonClosingBalanceProof(
            channel_identifier,
            closing_participant,
            non_closing_participant,
            balance_hash,
            nonce,
            additional_hash,
            closing_signature,
            non_closing_signature
        );
        emit NewBalanceProofReceived(
            token_network_address, channel_identifier, reward_amount, nonce, msg.sender, non_closing_participant
        );
    }

    /// Pays the reward to the service that earned it, after the settle timeout; for anybody, once.
    function claimReward(
        uint256 channel_identifier,
        address token_network_address,
        address closing_participant,
        address non_closing_participant
    ) external returns (bool) {
        TokenNetwork network = _registered(token_network_address);
        (uint256 settle_block_number, TokenNetwork.ChannelState state) =
            network.getChannelInfo(channel_identifier, closing_participant, non_closing_participant);
        require(
            state == TokenNetwork.ChannelState.Closed || state == TokenNetwork.ChannelState.Settled
                || state == TokenNetwork.ChannelState.Removed,
            "channel not closed or settled"
        );
        require(settle_block_number < block.number, "channel not settled yet");
        bytes32 identifier = _rewardIdentifier(channel_identifier, token_network_address);
        Reward memory reward = rewards[identifier];
        require(reward.reward_sender_address != address(0), "reward does not exist");
        delete rewards[identifier];
        require(
            user_deposit.transfer(
                reward.reward_sender_address, reward.monitoring_service_address, reward.reward_amount
            ),
            "reward not transferred"
        );
        emit RewardClaimed(reward.monitoring_service_address, reward.reward_amount, identifier);
        return true;
    }

    /// The first block in which `monitoring_service_address` may act: 30 % of the timeout after the close,
    /// and an offset below 50 % of it that depends on the addresses, so that the services take turns.
    function firstBlockAllowedToMonitor(
        uint256 closed_at_block,
        uint256 settle_timeout,
        address participant1,
        address participant2,
        address monitoring_service_address
    ) public pure returns (uint256) {
        uint256 window = settle_timeout * 50 / 100;
        uint256 addresses = uint256(uint160(participant1)) + uint160(participant2);
        addresses += uint160(monitoring_service_address);
        uint256 offset = window == 0 ? 0 : addresses % window;
        return closed_at_block + settle_timeout * 30 / 100 + offset;
    }

    /// The same for an existing closed channel. The close is taken to be the network's shortest timeout before
    /// the settle block, so that the window of a channel with a longer one lies within its last blocks.
    function firstBlockAllowedToMonitorChannel(
        TokenNetwork token_network,
        uint256 channel_identifier,
        address closing_participant,
        address non_closing_participant,
        address monitoring_service_address
    ) public view returns (uint256) {
        (uint256 settle_block_number, TokenNetwork.ChannelState state) =
            token_network.getChannelInfo(channel_identifier, closing_participant, non_closing_participant);
        require(state == TokenNetwork.ChannelState.Closed, "channel not closed");
        uint256 settle_timeout = token_network.settlement_timeout_min();
        return firstBlockAllowedToMonitor(
            settle_block_number - settle_timeout,
            settle_timeout,
            closing_participant,
            non_closing_participant,
            monitoring_service_address
        );
    }

    function _registered(address token_network_address) private view returns (TokenNetwork network) {
        network = TokenNetwork(token_network_address);
        require(
            token_network_registry.token_to_token_networks(address(network.token())) == token_network_address,
            "Unknown TokenNetwork"
        );
    }

    function _rewardIdentifier(uint256 channel_identifier, address token_network_address)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encodePacked(channel_identifier, token_network_address));
    }
}
