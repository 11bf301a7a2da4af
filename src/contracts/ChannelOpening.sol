// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelBase} from "./ChannelBase.sol";
import {Channel, Channels} from "./Channels.sol";
import {Participant, Participants} from "./Participants.sol";

/// Opening channels and depositing into them.
abstract contract ChannelOpening is ChannelBase {
    using Channels for Channel;
    using Participants for Participant;

    event ChannelOpened(
        uint256 indexed channel_identifier,
        address indexed participant1,
        address indexed participant2,
        uint256 settle_timeout
    );
    event ChannelNewDeposit(uint256 indexed channel_identifier, address indexed participant, uint256 total_deposit);

    /// Opens a channel between any two addresses, for anybody.
    function openChannel(address participant1, address participant2, uint256 settle_timeout)
        external
        isSafe
        returns (uint256)
    {
        return _open(participant1, participant2, settle_timeout, token.balanceOf(address(this)));
    }

    /// Opens a channel and deposits for participant1 with tokens of the caller.
    function openChannelWithDeposit(
        address participant1,
        address participant2,
        uint256 settle_timeout,
        uint256 participant1_total_deposit
    ) external isSafe returns (uint256) {
        uint256 held = token.balanceOf(address(this));
        uint256 channel_identifier = _open(participant1, participant2, settle_timeout, held);
        _checkDeposit(participant1_total_deposit, participant1_total_deposit, held);
        Participant storage depositor = _participant(channel_identifier, participant1, participant2);
        depositor.save(participant1_total_deposit, 0);
        _pull(channel_identifier, participant1, participant1_total_deposit, participant1_total_deposit);
        return channel_identifier;
    }

    /// Raises a participant's deposit to `total_deposit` with tokens of the caller.
    function setTotalDeposit(uint256 channel_identifier, address participant, uint256 total_deposit, address partner)
        external
        isSafe
    {
        require(channel_identifier == getChannelIdentifier(participant, partner), "TN/deposit: channel id mismatch");
        require(stored_channels[channel_identifier].isOpened(), "TN/deposit: channel not open");
        Participant storage depositor = _participant(channel_identifier, participant, partner);
        (uint256 deposit, uint256 withdrawn) = depositor.load();
        require(total_deposit >= deposit, "TN/deposit: deposit underflow");
        uint256 added = total_deposit - deposit;
        _checkDeposit(total_deposit, added, token.balanceOf(address(this)));
        (uint256 partner_deposit,) = _participant(channel_identifier, partner, participant).load();
        require(total_deposit <= type(uint256).max - partner_deposit, "TN/deposit: deposit overflow");
        depositor.save(total_deposit, withdrawn);
        _pull(channel_identifier, participant, total_deposit, added);
    }

    function _open(address participant1, address participant2, uint256 settle_timeout, uint256 held)
        private
        returns (uint256 channel_identifier)
    {
        require(settle_timeout >= settlement_timeout_min, "TN: settle timeout < min");
        require(settle_timeout <= settlement_timeout_max, "TN: settle timeout > max");
        require(held < token_network_deposit_limit(), "TN/open: network deposit limit reached");
        bytes32 pair = getParticipantsHash(participant1, participant2);
        require(participants_hash_to_channel_identifier[pair] == 0, "TN/open: channel exists for participants");
        channel_identifier = ++opened_channels;
        participants_hash_to_channel_identifier[pair] = channel_identifier;
        stored_channels[channel_identifier] = Channels.open(settle_timeout);
        emit ChannelOpened(channel_identifier, participant1, participant2, settle_timeout);
    }

    function _checkDeposit(uint256 total_deposit, uint256 added, uint256 held) private view {
        require(added > 0, "TN/deposit: no deposit added");
        require(total_deposit <= channel_participant_deposit_limit(), "TN/deposit: deposit limit reached");
        uint256 limit = token_network_deposit_limit();
        require(held <= limit && added <= limit - held, "TN/deposit: network limit reached");
    }

    function _pull(uint256 channel_identifier, address participant, uint256 total_deposit, uint256 added) private {
        emit ChannelNewDeposit(channel_identifier, participant, total_deposit);
        require(token.transferFrom(msg.sender, address(this), added), "TN/deposit: transfer failed");
    }
}
