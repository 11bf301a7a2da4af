// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A channel in one storage slot. Every function returns a new value; the caller stores it.
///
///   bits   0..63   settle timeout while opened, the block to settle after once closed
///   bits  64..127  nonce of the balance proof of the participant with the lower address
///   bits 128..191  nonce of the balance proof of the participant with the higher address
///   bits 192..199  state (0 NonExistent, 1 Opened, 2 Closed)
///   bit  200       the participant with the higher address closed the channel
type Channel is uint256;

library Channels {
    uint256 internal constant MAX_TIMEOUT = type(uint64).max >> 1;
    uint256 internal constant MAX_NONCE = type(uint64).max;

    uint256 private constant OPENED = 1 << 192;
    uint256 private constant CLOSED = 2 << 192;
    uint256 private constant HIGHER_CLOSED = 1 << 200;

    function open(uint256 settle_timeout) internal pure returns (Channel) {
        return Channel.wrap(OPENED | settle_timeout);
    }

    function state(Channel channel) internal pure returns (uint8) {
        return uint8(Channel.unwrap(channel) >> 192);
    }

    function isOpened(Channel channel) internal pure returns (bool) {
        return state(channel) == 1;
    }

    function isClosed(Channel channel) internal pure returns (bool) {
        return state(channel) == 2;
    }

    function settleBlock(Channel channel) internal pure returns (uint256) {
        return uint64(Channel.unwrap(channel));
    }

    /// The opened channel, now closed. The timeout's and the block number's bounds keep the sum in 64 bits.
    function close(Channel channel, bool closed_by_higher) internal view returns (Channel) {
        uint256 closed = CLOSED | (settleBlock(channel) + block.number);
        return Channel.wrap(closed_by_higher ? closed | HIGHER_CLOSED : closed);
    }

    /// Whether the higher (or the lower) participant is the one who closed.
    function isCloser(Channel channel, bool higher) internal pure returns (bool) {
        return isClosed(channel) && (Channel.unwrap(channel) & HIGHER_CLOSED != 0) == higher;
    }

    function nonce(Channel channel, bool higher) internal pure returns (uint256) {
        return uint64(Channel.unwrap(channel) >> (higher ? 128 : 64));
    }

    /// `new_nonce` must not be above MAX_NONCE.
    function withNonce(Channel channel, bool higher, uint256 new_nonce) internal pure returns (Channel) {
        uint256 shift = higher ? 128 : 64;
        uint256 others = Channel.unwrap(channel) & ~(MAX_NONCE << shift);
        return Channel.wrap(others | (new_nonce << shift));
    }
}
