// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelBase} from "./ChannelBase.sol";
import {Channel, Channels} from "./Channels.sol";
import {Participant, Participants} from "./Participants.sol";
import {Signatures} from "./Signatures.sol";

/// Getting tokens out of an open channel: what both participants signed.
abstract contract ChannelWithdrawing is ChannelBase {
    using Channels for Channel;
    using Participants for Participant;

    /// A withdrawal, or one side of a cooperative settlement, with both signatures.
    struct WithdrawInput {
        address participant;
        uint256 total_withdraw;
        uint256 expiration_block;
        bytes participant_signature;
        bytes partner_signature;
    }

    event ChannelWithdraw(uint256 indexed channel_identifier, address indexed participant, uint256 total_withdraw);

    /// Pays out what raises a participant's withdrawals to `total_withdraw`; both participants signed it.
    function setTotalWithdraw(
        uint256 channel_identifier,
        address participant,
        uint256 total_withdraw,
        uint256 expiration_block,
        bytes calldata participant_signature,
        bytes calldata partner_signature
    ) external {
        address partner = _withdrawPartner(
            channel_identifier,
            participant,
            total_withdraw,
            expiration_block,
            participant_signature,
            partner_signature
        );
        _withdraw(channel_identifier, participant, partner, total_withdraw);
    }

    /// The same as setTotalWithdraw with its arguments in a struct.
    function setTotalWithdraw2(uint256 channel_identifier, WithdrawInput calldata withdraw_data) external {
        address partner = _withdrawPartnerOf(channel_identifier, withdraw_data);
        _withdraw(channel_identifier, withdraw_data.participant, partner, withdraw_data.total_withdraw);
    }

    /// Ends an open channel at once: two withdrawals that together pay out all deposits. A participant who
    /// gets nothing need not have signed anything, unless the channel never held a token.
    function cooperativeSettle(uint256 channel_identifier, WithdrawInput calldata data1, WithdrawInput calldata data2)
        external
    {
        bytes32 pair = getParticipantsHash(data1.participant, data2.participant);
        require(
            channel_identifier == participants_hash_to_channel_identifier[pair], "TN/coopSettle: channel id mismatch"
        );
        require(stored_channels[channel_identifier].isOpened(), "TN/coopSettle: channel not open");
        Participant storage one = _participant(channel_identifier, data1.participant, data2.participant);
        Participant storage two = _participant(channel_identifier, data2.participant, data1.participant);
        (uint256 deposit1, uint256 withdrawn1) = one.load();
        (uint256 deposit2, uint256 withdrawn2) = two.load();
        uint256 total_deposit = deposit1 + deposit2;
        require(data1.total_withdraw <= total_deposit, "TN/coopSettle: incomplete amounts");
        require(data2.total_withdraw == total_deposit - data1.total_withdraw, "TN/coopSettle: incomplete amounts");
        uint256 amount1 = _checkFinal(channel_identifier, data1, data2.participant, withdrawn1, total_deposit);
        uint256 amount2 = _checkFinal(channel_identifier, data2, data1.participant, withdrawn2, total_deposit);

        one.forget();
        two.forget();
        _remove(channel_identifier, pair);
        if (amount1 > 0) emit ChannelWithdraw(channel_identifier, data1.participant, data1.total_withdraw);
        if (amount2 > 0) emit ChannelWithdraw(channel_identifier, data2.participant, data2.total_withdraw);
        emit ChannelSettled(
            channel_identifier,
            data1.participant,
            data1.total_withdraw,
            0,
            data2.participant,
            data2.total_withdraw,
            0
        );
        require(_pay(data1.participant, amount1), "TN/coopSettle: transfer failed");
        require(_pay(data2.participant, amount2), "TN/coopSettle: transfer failed");
    }

    /// What `data.participant` still gets in a cooperative settlement.
    function _checkFinal(
        uint256 channel_identifier,
        WithdrawInput calldata data,
        address partner,
        uint256 withdrawn,
        uint256 total_deposit
    ) private view returns (uint256 amount) {
        amount = data.total_withdraw - withdrawn;
        require(amount > 0 || data.total_withdraw == 0, "TN/withdraw: amount is zero");
        if (data.total_withdraw == 0 && total_deposit > 0) return 0;
        address signer = _withdrawPartnerOf(channel_identifier, data);
        require(signer == partner, "TN/coopSettle: invalid partner signature");
    }

    function _withdraw(uint256 channel_identifier, address participant, address partner, uint256 total_withdraw)
        private
    {
        require(total_withdraw > 0, "TN/withdraw: total withdraw is zero");
        require(channel_identifier == getChannelIdentifier(participant, partner), "TN/withdraw: channel id mismatch");
        require(stored_channels[channel_identifier].isOpened(), "TN/withdraw: channel not open");
        Participant storage receiver = _participant(channel_identifier, participant, partner);
        (uint256 deposit, uint256 withdrawn) = receiver.load();
        (uint256 partner_deposit, uint256 partner_withdrawn) =
            _participant(channel_identifier, partner, participant).load();
        require(
            total_withdraw <= deposit + partner_deposit - partner_withdrawn, "TN/withdraw: withdraw > deposit"
        );
        uint256 amount = total_withdraw - withdrawn;
        require(amount > 0, "TN/withdraw: amount is zero");
        receiver.save(deposit, total_withdraw);
        emit ChannelWithdraw(channel_identifier, participant, total_withdraw);
        require(_pay(participant, amount), "TN/withdraw: transfer failed");
    }

    function _withdrawPartnerOf(uint256 channel_identifier, WithdrawInput calldata data)
        private
        view
        returns (address)
    {
        return _withdrawPartner(
            channel_identifier,
            data.participant,
            data.total_withdraw,
            data.expiration_block,
            data.participant_signature,
            data.partner_signature
        );
    }

    /// Who signed as partner a withdrawal that `participant` signed too and that has not expired.
    function _withdrawPartner(
        uint256 channel_identifier,
        address participant,
        uint256 total_withdraw,
        uint256 expiration_block,
        bytes calldata participant_signature,
        bytes calldata partner_signature
    ) private view returns (address) {
        require(block.number < expiration_block, "TN/withdraw: expired");
        bytes32 hash = keccak256(
            abi.encodePacked(
                signature_prefix,
                "200",
                address(this),
                block.chainid,
                Signatures.WITHDRAW,
                channel_identifier,
                participant,
                total_withdraw,
                expiration_block
            )
        );
        require(Signatures.recover(hash, participant_signature) == participant, "TN/withdraw: invalid participant sig");
        return Signatures.recover(hash, partner_signature);
    }
}
