// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelBase} from "./ChannelBase.sol";
import {Channel, Channels} from "./Channels.sol";
import {Participant, Participants} from "./Participants.sol";
import {Settlement} from "./Settlement.sol";

/// Dividing the tokens of a closed channel, and paying its pending transfers.
abstract contract ChannelSettling is ChannelBase {
    using Channels for Channel;
    using Participants for Participant;

    /// What one participant sent, according to its balance proof on chain.
    struct SettleInput {
        address participant;
        uint256 transferred_amount;
        uint256 locked_amount;
        bytes32 locksroot;
    }

    event ChannelUnlocked(
        uint256 indexed channel_identifier,
        address indexed receiver,
        address indexed sender,
        bytes32 locksroot,
        uint256 unlocked_amount,
        uint256 returned_tokens
    );

    /// Divides the tokens after the settle timeout. The participant who sent less (transferred plus locked)
    /// comes first. For a participant without balance proof both amounts are 0 and the locksroot is ignored.
    function settleChannel(
        uint256 channel_identifier,
        address participant1,
        uint256 participant1_transferred_amount,
        uint256 participant1_locked_amount,
        bytes32 participant1_locksroot,
        address participant2,
        uint256 participant2_transferred_amount,
        uint256 participant2_locked_amount,
        bytes32 participant2_locksroot
    ) external {
        _settle(
            channel_identifier,
            SettleInput(
                participant1, participant1_transferred_amount, participant1_locked_amount, participant1_locksroot
            ),
            SettleInput(
                participant2, participant2_transferred_amount, participant2_locked_amount, participant2_locksroot
            )
        );
    }

    /// The same as settleChannel with its arguments in structs.
    function settleChannel2(
        uint256 channel_identifier,
        SettleInput calldata participant1_settlement,
        SettleInput calldata participant2_settlement
    ) external {
        _settle(channel_identifier, participant1_settlement, participant2_settlement);
    }

    function _settle(uint256 channel_identifier, SettleInput memory input1, SettleInput memory input2) private {
        bytes32 pair = getParticipantsHash(input1.participant, input2.participant);
        require(
            channel_identifier == participants_hash_to_channel_identifier[pair], "TN/settle: channel id mismatch"
        );
        Channel channel = stored_channels[channel_identifier];
        require(channel.isClosed(), "TN/settle: channel not closed");
        require(block.number > channel.settleBlock(), "TN/settle: settle timeout not over");

        (uint256 paid1, uint256 paid2) = _divide(channel_identifier, channel, input1, input2);
        _remove(channel_identifier, pair);
        emit ChannelSettled(
            channel_identifier,
            input1.participant,
            paid1,
            input1.locksroot,
            input2.participant,
            paid2,
            input2.locksroot
        );
        require(_pay(input1.participant, paid1), "TN/settle: transfer for participant 1 failed");
        require(_pay(input2.participant, paid2), "TN/settle: transfer for participant 2 failed");
    }

    /// What each participant gets at once; what waits for unlock takes the place of the balances.
    function _divide(
        uint256 channel_identifier,
        Channel channel,
        SettleInput memory input1,
        SettleInput memory input2
    ) private returns (uint256, uint256) {
        bool higher1 = input1.participant > input2.participant;
        bool has_proof1 = channel.nonce(higher1) > 0;
        bool has_proof2 = channel.nonce(!higher1) > 0;
        Participant storage one = _participant(channel_identifier, input1.participant, input2.participant);
        Participant storage two = _participant(channel_identifier, input2.participant, input1.participant);
        (Settlement.Share memory share1, Settlement.Share memory share2) =
            Settlement.divide(_side(one, has_proof1, input1), _side(two, has_proof2, input2));
        one.settle(share1.locked, input1.locksroot, has_proof1);
        two.settle(share2.locked, input2.locksroot, has_proof2);
        return (share1.paid, share2.paid);
    }

    function _side(Participant storage stored, bool has_proof, SettleInput memory input)
        private
        view
        returns (Settlement.Side memory side)
    {
        bytes32 balance_hash = has_proof ? stored.commitment : bytes32(0);
        bool is_empty = balance_hash == 0 && input.transferred_amount == 0 && input.locked_amount == 0;
        require(
            is_empty
                || balance_hash
                    == keccak256(abi.encode(input.transferred_amount, input.locked_amount, input.locksroot)),
            "TN/settle: invalid data"
        );
        (side.deposit, side.withdrawn) = stored.load();
        side.transferred = input.transferred_amount;
        side.locked = input.locked_amount;
    }

    /// Pays the pending transfers of `sender` after settlement: those whose secret was registered before
    /// their expiration to `receiver`, the rest back. `locks` holds all of them in their original order,
    /// 96 bytes each: expiration, amount, secrethash.
    function unlock(uint256 channel_identifier, address receiver, address sender, bytes calldata locks) external {
        // While the channel exists, a balance hash stands where the locksroot will be.
        require(Channel.unwrap(stored_channels[channel_identifier]) == 0, "TN/unlock: channel not settled");
        require(locks.length % 96 == 0, "TN/unlock: invalid locks size");
        Participant storage stored = _participant(channel_identifier, sender, receiver);
        uint256 locked = stored.amounts;
        require(locked > 0, "TN/unlock: locked amount is zero");
        bytes32 locksroot = stored.commitment;
        require(keccak256(locks) == locksroot, "TN/unlock: locksroot mismatch");

        // A balance proof older than the locks may leave less than their sum.
        uint256 unlocked = Settlement.smaller(_unlocked(locks), locked);
        uint256 returned = locked - unlocked;
        stored.amounts = 0;
        stored.commitment = 0;
        emit ChannelUnlocked(channel_identifier, receiver, sender, locksroot, unlocked, returned);
        require(_pay(receiver, unlocked), "TN/unlock: transfer failed");
        require(_pay(sender, returned), "TN/unlock: transfer failed");
    }

    /// The sum of the locks whose secret was registered in time; it saturates.
    function _unlocked(bytes calldata locks) private view returns (uint256 sum) {
        for (uint256 i = 0; i < locks.length; i += 96) {
            (uint256 expiration, uint256 amount, bytes32 secrethash) =
                abi.decode(locks[i:], (uint256, uint256, bytes32));
            uint256 revealed_at = secret_registry.getSecretRevealBlockHeight(secrethash);
            if (revealed_at > 0 && revealed_at < expiration) sum = Settlement.add(sum, amount);
        }
    }
}
