// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ChannelBase} from "./ChannelBase.sol";
import {Channel, Channels} from "./Channels.sol";
import {Signatures} from "./Signatures.sol";

/// Closing a channel, and the other side's answer: balance proofs go on chain.
abstract contract ChannelClosing is ChannelBase {
    using Channels for Channel;

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
