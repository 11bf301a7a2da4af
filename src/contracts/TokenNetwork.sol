// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Channel, Channels} from "./Channels.sol";
import {Controllable} from "./Controllable.sol";
import {Participant, Participants} from "./Participants.sol";
import {SecretRegistry} from "./SecretRegistry.sol";
import {Settlement} from "./Settlement.sol";
import {Signatures} from "./Signatures.sol";
import {Token} from "./Token.sol";
import {Utils} from "./Utils.sol";

/// All payment channels of one token: opening, deposits, withdrawals, closing, settlement and unlocking.
///
/// Nothing here looks at msg.sender except as payer of deposits and as controller: everybody may submit
/// what the participants signed. Payouts are pushed, so a token that refuses one participant blocks the
/// settlement for both. Tokens that are sent here without a deposit can never be moved again.
contract TokenNetwork is Utils, Controllable {
    using Channels for Channel;
    using Participants for Participant;

    enum ChannelState {
        NonExistent,
        Opened,
        Closed,
        Settled,
        Removed
    }

    /// A withdrawal, or one side of a cooperative settlement, with both signatures.
    struct WithdrawInput {
        address participant;
        uint256 total_withdraw;
        uint256 expiration_block;
        bytes participant_signature;
        bytes partner_signature;
    }

    /// What one participant sent, according to its balance proof on chain.
    struct SettleInput {
        address participant;
        uint256 transferred_amount;
        uint256 locked_amount;
        bytes32 locksroot;
    }

    // Shares the controller's slot.
    uint64 private opened_channels;
    bool public safety_deprecation_switch;
    bool private limits_removed;

    Token public immutable token;
    SecretRegistry public immutable secret_registry;
    uint256 public immutable settlement_timeout_min;
    uint256 public immutable settlement_timeout_max;
    uint256 private immutable initial_participant_limit;
    uint256 private immutable initial_network_limit;

    /// Channel identifier of the existing channel of a pair, by participants hash.
    mapping(bytes32 participants_hash => uint256 channel_identifier) public participants_hash_to_channel_identifier;
    mapping(uint256 channel_identifier => Channel channel) private stored_channels;
    mapping(bytes32 unlock_identifier => Participant sender) private participants;

    event ChannelOpened(
        uint256 indexed channel_identifier,
        address indexed participant1,
        address indexed participant2,
        uint256 settle_timeout
    );
    event ChannelNewDeposit(uint256 indexed channel_identifier, address indexed participant, uint256 total_deposit);
    event ChannelWithdraw(uint256 indexed channel_identifier, address indexed participant, uint256 total_withdraw);
    event ChannelClosed(
        uint256 indexed channel_identifier,
        address indexed closing_participant,
        uint256 indexed nonce,
        bytes32 balance_hash
    );
    event NonClosingBalanceProofUpdated(
        uint256 indexed channel_identifier,
        address indexed closing_participant,
        uint256 indexed nonce,
        bytes32 balance_hash
    );
    event ChannelSettled(
        uint256 indexed channel_identifier,
        address participant1,
        uint256 participant1_amount,
        bytes32 participant1_locksroot,
        address participant2,
        uint256 participant2_amount,
        bytes32 participant2_locksroot
    );
    event ChannelUnlocked(
        uint256 indexed channel_identifier,
        address indexed receiver,
        address indexed sender,
        bytes32 locksroot,
        uint256 unlocked_amount,
        uint256 returned_tokens
    );
    event DeprecationSwitch(bool new_value);

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

    // --- for the controller

    /// Stops new channels and deposits for ever. Everything that gets tokens out goes on.
    function deprecate() external isSafe onlyController {
        safety_deprecation_switch = true;
        emit DeprecationSwitch(true);
    }

    /// Sets both deposit limits to 2^256 - 1 for ever.
    function removeLimits() external onlyController {
        limits_removed = true;
    }

    // --- open and deposit

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

    // --- withdraw and cooperative settlement

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
        _push(data1.participant, amount1, "TN/coopSettle: transfer failed");
        _push(data2.participant, amount2, "TN/coopSettle: transfer failed");
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
        _push(participant, amount, "TN/withdraw: transfer failed");
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

    // --- close, update, settle

    /// Closes with the latest balance proof of the partner, or without any: nonce 0, hashes 0 and a
    /// signature of 65 zero bytes. The closing participant signs over all of it.
    function closeChannel(
        uint256 channel_identifier,
        address non_closing_participant,
        address closing_participant,
        bytes32 balance_hash,
        uint256 nonce,
        bytes32 additional_hash,
        bytes calldata non_closing_signature,
        bytes calldata closing_signature
    ) external {
        require(
            channel_identifier == getChannelIdentifier(non_closing_participant, closing_participant),
            "TN/close: channel id mismatch"
        );
        Channel channel = stored_channels[channel_identifier];
        require(channel.isOpened(), "TN/close: channel not open");
        bytes memory proof = _proof(Signatures.BALANCE_PROOF, channel_identifier, balance_hash, nonce, additional_hash);
        require(
            _counterSigner(proof, non_closing_signature, closing_signature) == closing_participant,
            "TN/close: invalid closing sig"
        );

        bool non_closing_higher = non_closing_participant > closing_participant;
        channel = channel.close(!non_closing_higher);
        if (nonce > 0) {
            require(
                _signer(proof, non_closing_signature) == non_closing_participant, "TN/close: invalid non-closing sig"
            );
            require(nonce <= Channels.MAX_NONCE, "TN: nonce too large");
            channel = channel.withNonce(non_closing_higher, nonce);
            _participant(channel_identifier, non_closing_participant, closing_participant).commitment = balance_hash;
        }
        stored_channels[channel_identifier] = channel;
        emit ChannelClosed(channel_identifier, closing_participant, nonce, balance_hash);
    }

    /// Hands in the closing participant's latest balance proof. May be repeated with higher nonces until the
    /// channel is settled; the non-closing participant signs it, so that anybody can send it.
    function updateNonClosingBalanceProof(
        uint256 channel_identifier,
        address closing_participant,
        address non_closing_participant,
        bytes32 balance_hash,
        uint256 nonce,
        bytes32 additional_hash,
        bytes calldata closing_signature,
        bytes calldata non_closing_signature
    ) external {
        require(
            channel_identifier == getChannelIdentifier(closing_participant, non_closing_participant),
            "TN/update: channel id mismatch"
        );
        require(balance_hash != 0, "TN/update: balance hash is zero");
        require(nonce > 0, "TN/update: nonce is zero");
        require(nonce <= Channels.MAX_NONCE, "TN: nonce too large");
        Channel channel = stored_channels[channel_identifier];
        require(channel.isClosed(), "TN/update: channel not closed");
        bytes memory update =
            _proof(Signatures.BALANCE_PROOF_UPDATE, channel_identifier, balance_hash, nonce, additional_hash);
        require(
            _counterSigner(update, closing_signature, non_closing_signature) == non_closing_participant,
            "TN/update: invalid non-closing sig"
        );
        bytes memory proof = _proof(Signatures.BALANCE_PROOF, channel_identifier, balance_hash, nonce, additional_hash);
        require(_signer(proof, closing_signature) == closing_participant, "TN/update: invalid closing sig");

        bool closing_higher = closing_participant > non_closing_participant;
        require(channel.isCloser(closing_higher), "TN/update: incorrect signature order");
        require(nonce > channel.nonce(closing_higher), "TN: nonce reused");
        stored_channels[channel_identifier] = channel.withNonce(closing_higher, nonce);
        _participant(channel_identifier, closing_participant, non_closing_participant).commitment = balance_hash;
        emit NonClosingBalanceProofUpdated(channel_identifier, closing_participant, nonce, balance_hash);
    }

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

        bool higher1 = input1.participant > input2.participant;
        bool has_proof1 = channel.nonce(higher1) > 0;
        bool has_proof2 = channel.nonce(!higher1) > 0;
        Participant storage one = _participant(channel_identifier, input1.participant, input2.participant);
        Participant storage two = _participant(channel_identifier, input2.participant, input1.participant);
        (Settlement.Share memory share1, Settlement.Share memory share2) =
            Settlement.divide(_side(one, has_proof1, input1), _side(two, has_proof2, input2));

        one.settle(share1.locked, input1.locksroot, has_proof1);
        two.settle(share2.locked, input2.locksroot, has_proof2);
        _remove(channel_identifier, pair);
        emit ChannelSettled(
            channel_identifier,
            input1.participant,
            share1.paid,
            input1.locksroot,
            input2.participant,
            share2.paid,
            input2.locksroot
        );
        _push(input1.participant, share1.paid, "TN/settle: transfer for participant 1 failed");
        _push(input2.participant, share2.paid, "TN/settle: transfer for participant 2 failed");
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

    // --- unlock

    /// Pays the pending transfers of `sender` after settlement: those whose secret was registered before
    /// their expiration to `receiver`, the rest back. `locks` holds all of them in their original order,
    /// 96 bytes each: expiration, amount, secrethash.
    function unlock(uint256 channel_identifier, address receiver, address sender, bytes calldata locks) external {
        require(
            Channel.unwrap(stored_channels[channel_identifier]) == 0, "TN/unlock: channel not settled"
        );
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
        _push(receiver, unlocked, "TN/unlock: transfer failed");
        _push(sender, returned, "TN/unlock: transfer failed");
    }

    function _unlocked(bytes calldata locks) private view returns (uint256 sum) {
        for (uint256 i = 0; i < locks.length; i += 96) {
            uint256 expiration = uint256(bytes32(locks[i:i + 32]));
            uint256 amount = uint256(bytes32(locks[i + 32:i + 64]));
            uint256 revealed_at = secret_registry.getSecretRevealBlockHeight(bytes32(locks[i + 64:i + 96]));
            if (revealed_at > 0 && revealed_at < expiration) sum = Settlement.add(sum, amount);
        }
    }

    // --- views

    /// How many channels were ever opened: the newest identifier.
    function channel_counter() external view returns (uint256) {
        return opened_channels;
    }

    function channel_participant_deposit_limit() public view returns (uint256) {
        return limits_removed ? type(uint256).max : initial_participant_limit;
    }

    function token_network_deposit_limit() public view returns (uint256) {
        return limits_removed ? type(uint256).max : initial_network_limit;
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

    /// Identifier of the pair's existing channel, 0 when there is none.
    function getChannelIdentifier(address participant, address partner) public view returns (uint256) {
        return participants_hash_to_channel_identifier[getParticipantsHash(participant, partner)];
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

    // --- shared

    function _participant(uint256 channel_identifier, address sender, address receiver)
        private
        view
        returns (Participant storage)
    {
        return participants[getUnlockIdentifier(channel_identifier, sender, receiver)];
    }

    function _remove(uint256 channel_identifier, bytes32 pair) private {
        stored_channels[channel_identifier] = Channel.wrap(0);
        participants_hash_to_channel_identifier[pair] = 0;
    }

    function _push(address receiver, uint256 amount, string memory refusal) private {
        if (amount > 0) require(token.transfer(receiver, amount), refusal);
    }

    /// The 212 bytes that both kinds of balance proof signature begin with.
    function _proof(
        uint256 message_type,
        uint256 channel_identifier,
        bytes32 balance_hash,
        uint256 nonce,
        bytes32 additional_hash
    ) private view returns (bytes memory) {
        return abi.encodePacked(
            address(this), block.chainid, message_type, channel_identifier, balance_hash, nonce, additional_hash
        );
    }

    function _signer(bytes memory proof, bytes calldata signature) private pure returns (address) {
        return Signatures.recover(keccak256(abi.encodePacked(signature_prefix, "212", proof)), signature);
    }

    /// Who signed `proof` together with the other participant's signature of it.
    function _counterSigner(bytes memory proof, bytes calldata signature, bytes calldata counter_signature)
        private
        pure
        returns (address)
    {
        require(signature.length == 65, "TN: sig length invalid");
        bytes32 hash = keccak256(abi.encodePacked(signature_prefix, "277", proof, signature));
        return Signatures.recover(hash, counter_signature);
    }
}
