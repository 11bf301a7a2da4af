// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What is stored per channel and sending participant, under the unlock identifier
/// keccak256(channel | sender | receiver). The same slots serve two lives: while the channel exists
/// they hold balances and balance hash; after settlement, what is left to unlock.
struct Participant {
    /// Deposit and withdrawn packed (see Participants), or after settlement the locked amount.
    uint256 amounts;
    /// Balance hash, or after settlement the locksroot.
    bytes32 commitment;
    /// Used only when the two amounts do not fit into one slot.
    uint256 wide_deposit;
    uint256 wide_withdrawn;
}

library Participants {
    /// `amounts` is withdrawn(127) | deposit(128); the top bit says that both are stored wide instead.
    uint256 private constant WIDE = 1 << 255;
    uint256 private constant MAX_DEPOSIT = type(uint128).max;
    uint256 private constant MAX_WITHDRAWN = type(uint128).max >> 1;

    function load(Participant storage self) internal view returns (uint256 deposit, uint256 withdrawn) {
        uint256 amounts = self.amounts;
        if (amounts == WIDE) return (self.wide_deposit, self.wide_withdrawn);
        return (amounts & MAX_DEPOSIT, amounts >> 128);
    }

    /// Both amounts only ever grow, so a wide participant never becomes narrow again.
    function save(Participant storage self, uint256 deposit, uint256 withdrawn) internal {
        if (deposit <= MAX_DEPOSIT && withdrawn <= MAX_WITHDRAWN) {
            self.amounts = (withdrawn << 128) | deposit;
        } else {
            self.amounts = WIDE;
            self.wide_deposit = deposit;
            self.wide_withdrawn = withdrawn;
        }
    }

    /// Ends the first life; nothing stays when `locked` is 0. Without a balance proof there is no lock.
    function settle(Participant storage self, uint256 locked, bytes32 locksroot, bool has_proof) internal {
        if (self.amounts == WIDE) {
            self.wide_deposit = 0;
            self.wide_withdrawn = 0;
        }
        self.amounts = locked;
        if (has_proof) self.commitment = locked > 0 ? locksroot : bytes32(0);
    }

    /// Forgets the participant of a channel in which nothing was ever closed.
    function forget(Participant storage self) internal {
        settle(self, 0, 0, false);
    }
}
