// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelBase} from "./ChannelBase.sol";
import {ChannelClosing} from "./ChannelClosing.sol";
import {ChannelOpening} from "./ChannelOpening.sol";
import {Channel, Channels} from "./Channels.sol";
import {ChannelSettling} from "./ChannelSettling.sol";
import {ChannelWithdrawing} from "./ChannelWithdrawing.sol";
import {Participant, Participants} from "./Participants.sol";
import {Settlement} from "./Settlement.sol";

/// All payment channels of one token: opening, deposits, withdrawals, closing, settlement and unlocking.
///
/// Nothing here looks at msg.sender except as payer of deposits and as controller: everybody may submit
/// what the participants signed. Payouts are pushed, so a token that refuses one participant blocks the
/// settlement for both. Tokens that are sent here without a deposit can never be moved again.
contract TokenNetwork is ChannelOpening, ChannelWithdrawing, ChannelClosing, ChannelSettling {
    using Channels for Channel;
    using Participants for Participant;

    enum ChannelState {
        NonExistent,
        Opened,
        Closed,
        Settled,
        Removed
    }

    constructor(
        address _token_address,
        address _secret_registry,
        uint256 _settlement_timeout_min,
        uint256 _settlement_timeout_max,
        address _controller,
        uint256 _channel_participant_deposit_limit,
        uint256 _token_network_deposit_limit
    )
        ChannelBase(
            _token_address,
            _secret_registry,
            _settlement_timeout_min,
            _settlement_timeout_max,
            _controller,
            _channel_participant_deposit_limit,
            _token_network_deposit_limit
        )
    {}

    /// How many channels were ever opened: the newest identifier.
    function channel_counter() external view returns (uint256) {
        return opened_channels;
    }

    function channels(uint256 channel_identifier)
        external
        view
        returns (uint256 settle_block_number, ChannelState state)
    {
        Channel channel = stored_channels[channel_identifier];
        return (channel.settleBlock(), ChannelState(channel.state()));
    }

    /// The chain that signatures must name. Not a view in the interface of this generation.
    function chain_id() external returns (uint256) {
        return block.chainid;
    }

    /// Settle timeout while opened, settle block once closed, else 0; and the state. Settled: tokens wait
    /// for unlock. Removed: nothing is left.
    function getChannelInfo(uint256 channel_identifier, address participant1, address participant2)
        external
        view
        returns (uint256, ChannelState)
    {
        Channel channel = stored_channels[channel_identifier];
        if (Channel.unwrap(channel) != 0) return (channel.settleBlock(), ChannelState(channel.state()));
        if (channel_identifier == 0 || channel_identifier > opened_channels) return (0, ChannelState.NonExistent);
        bool has_locks = _participant(channel_identifier, participant1, participant2).amounts > 0
            || _participant(channel_identifier, participant2, participant1).amounts > 0;
        return (0, has_locks ? ChannelState.Settled : ChannelState.Removed);
    }

    /// (deposit, withdrawn, is the closer, balance hash, nonce, locksroot, locked amount). The last two are
    /// what `participant` as sender left to unlock; they are set only after settlement, the others before.
    function getChannelParticipantInfo(uint256 channel_identifier, address participant, address partner)
        external
        view
        returns (uint256, uint256, bool, bytes32, uint256, bytes32, uint256)
    {
        Channel channel = stored_channels[channel_identifier];
        Participant storage stored = _participant(channel_identifier, participant, partner);
        if (Channel.unwrap(channel) == 0) return (0, 0, false, 0, 0, stored.commitment, stored.amounts);
        if (getChannelIdentifier(participant, partner) != channel_identifier) return (0, 0, false, 0, 0, 0, 0);
        (uint256 deposit, uint256 withdrawn) = stored.load();
        bool higher = participant > partner;
        return
            (deposit, withdrawn, channel.isCloser(higher), stored.commitment, channel.nonce(higher), 0, 0);
    }

    /// The most that participant1 can receive before the channel's funds bound it.
    function getMaxPossibleReceivableAmount(
        uint256 participant1_deposit,
        uint256 participant1_withdrawn,
        uint256 participant1_transferred,
        uint256 participant1_locked,
        uint256 participant2_transferred,
        uint256 participant2_locked
    ) external pure returns (uint256) {
        Settlement.Side memory one = Settlement.Side(
            participant1_deposit, participant1_withdrawn, participant1_transferred, participant1_locked
        );
        return Settlement.receivable(one, participant2_transferred, participant2_locked);
    }
}
