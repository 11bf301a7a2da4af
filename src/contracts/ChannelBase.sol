// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Channel, Channels} from "./Channels.sol";
import {Controllable} from "./Controllable.sol";
import {Participant} from "./Participants.sol";
import {SecretRegistry} from "./SecretRegistry.sol";
import {Token} from "./Token.sol";
import {Utils} from "./Utils.sol";

/// What all parts of a token network share: its storage, its limits, and how things are named.
abstract contract ChannelBase is Utils, Controllable {
    // These three share the controller's slot.
    uint64 internal opened_channels;
    bool public safety_deprecation_switch;
    bool private limits_removed;

    Token public immutable token;
    SecretRegistry public immutable secret_registry;
    uint256 public immutable settlement_timeout_min;
    uint256 public immutable settlement_timeout_max;
    uint256 private immutable initial_participant_limit;
    uint256 private immutable initial_network_limit;

    /// Channel identifier of the existing channel of a pair.
    mapping(bytes32 participants_hash => uint256 channel_identifier) public participants_hash_to_channel_identifier;
    mapping(uint256 channel_identifier => Channel channel) internal stored_channels;
    mapping(bytes32 unlock_identifier => Participant sender) private participants;

    event DeprecationSwitch(bool new_value);
    /// Amounts are what was paid out, but after a cooperative settlement the total withdrawals.
    event ChannelSettled(
        uint256 indexed channel_identifier,
        address participant1,
        uint256 participant1_amount,
        bytes32 participant1_locksroot,
        address participant2,
        uint256 participant2_amount,
        bytes32 participant2_locksroot
    );

    modifier isSafe() {
        require(!safety_deprecation_switch, "TN: network is deprecated");
        _;
    }

    constructor(
        address _token_address,
        address _secret_registry,
        uint256 _settlement_timeout_min,
        uint256 _settlement_timeout_max,
        address _controller,
        uint256 _channel_participant_deposit_limit,
        uint256 _token_network_deposit_limit
    ) {
        require(_token_address != address(0), "TN: invalid token address");
        require(_secret_registry != address(0), "TN: invalid SR address");
        require(_controller != address(0), "TN: invalid controller address");
        require(_settlement_timeout_min > 0, "TN: invalid settle timeout min");
        require(_settlement_timeout_max > _settlement_timeout_min, "TN: invalid settle timeouts");
        require(_settlement_timeout_max <= Channels.MAX_TIMEOUT, "TN: invalid settle timeout max");
        require(contractExists(_token_address), "TN: invalid token contract");
        require(contractExists(_secret_registry), "TN: invalid SR contract");
        require(_channel_participant_deposit_limit > 0, "TN: invalid participant limit");
        require(_token_network_deposit_limit > 0, "TN: invalid network deposit limit");
        require(_token_network_deposit_limit >= _channel_participant_deposit_limit, "TN: invalid deposit limits");
        require(Token(_token_address).totalSupply() > 0, "TN: no supply for token");

        token = Token(_token_address);
        secret_registry = SecretRegistry(_secret_registry);
        settlement_timeout_min = _settlement_timeout_min;
        settlement_timeout_max = _settlement_timeout_max;
        controller = _controller;
        initial_participant_limit = _channel_participant_deposit_limit;
        initial_network_limit = _token_network_deposit_limit;
    }

    /// Stops new channels and deposits for ever. Everything that gets tokens out goes on.
    function deprecate() external isSafe onlyController {
        safety_deprecation_switch = true;
        emit DeprecationSwitch(true);
    }

    /// Sets both deposit limits to 2^256 - 1 for ever.
    function removeLimits() external onlyController {
        limits_removed = true;
    }

    function channel_participant_deposit_limit() public view returns (uint256) {
        return limits_removed ? type(uint256).max : initial_participant_limit;
    }

    function token_network_deposit_limit() public view returns (uint256) {
        return limits_removed ? type(uint256).max : initial_network_limit;
    }

    /// Identifier of the pair's existing channel, 0 when there is none.
    function getChannelIdentifier(address participant, address partner) public view returns (uint256) {
        return participants_hash_to_channel_identifier[getParticipantsHash(participant, partner)];
    }

    /// keccak256 of the two addresses, the lower first.
    function getParticipantsHash(address participant, address partner) public pure returns (bytes32) {
        require(participant != address(0), "TN: participant address zero");
        require(partner != address(0), "TN: partner address zero");
        require(participant != partner, "TN: identical addresses");
        return participant < partner
            ? keccak256(abi.encodePacked(participant, partner))
            : keccak256(abi.encodePacked(partner, participant));
    }

    /// Names what `sender` left to unlock for `receiver` in a channel.
    function getUnlockIdentifier(uint256 channel_identifier, address sender, address receiver)
        public
        pure
        returns (bytes32)
    {
        require(sender != receiver, "TN: sender/receiver mismatch");
        return keccak256(abi.encodePacked(channel_identifier, sender, receiver));
    }

    function _participant(uint256 channel_identifier, address sender, address receiver)
        internal
        view
        returns (Participant storage)
    {
        return participants[getUnlockIdentifier(channel_identifier, sender, receiver)];
    }

    function _remove(uint256 channel_identifier, bytes32 pair) internal {
        stored_channels[channel_identifier] = Channel.wrap(0);
        participants_hash_to_channel_identifier[pair] = 0;
    }

    /// Whether the token moved; moving nothing always works.
    function _pay(address receiver, uint256 amount) internal returns (bool) {
        return amount == 0 || token.transfer(receiver, amount);
    }
}
