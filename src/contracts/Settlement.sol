// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// How the tokens of a closed channel are divided. Pure and saturating: no input makes `divide` revert
/// except transfers in the wrong order.
library Settlement {
    /// One participant: what it put in, what it took out, and its balance proof as sender.
    struct Side {
        uint256 deposit;
        uint256 withdrawn;
        uint256 transferred;
        uint256 locked;
    }

    /// `paid` goes to the participant at once, `locked` (of its pending transfers) waits for unlock.
    struct Share {
        uint256 paid;
        uint256 locked;
    }

    /// a + b, or 2^256 - 1 when the sum is larger.
    function add(uint256 a, uint256 b) internal pure returns (uint256 sum) {
        unchecked {
            sum = a + b;
            if (sum < a) sum = type(uint256).max;
        }
    }

    /// (a - b, b) when a > b, else (0, a).
    function take(uint256 a, uint256 b) internal pure returns (uint256 left, uint256 taken) {
        unchecked {
            return a > b ? (a - b, b) : (0, a);
        }
    }

    function smaller(uint256 a, uint256 b) internal pure returns (uint256) {
        return a > b ? b : a;
    }

    /// The most that `one` can receive in total, pending transfers of `two` included, before the
    /// channel's own funds bound it. `two` must have sent at least as much as `one`.
    function receivable(Side memory one, uint256 transferred2, uint256 locked2) internal pure returns (uint256 amount) {
        uint256 sent1 = add(one.transferred, one.locked);
        uint256 sent2 = add(transferred2, locked2);
        require(sent2 >= sent1, "TN: transfers not ordered");
        unchecked {
            (amount,) = take(add(sent2 - sent1, one.deposit), one.withdrawn);
        }
    }

    /// The four shares always add up to deposits minus withdrawals.
    /// The caller guarantees that the deposits do not overflow together and that not more was withdrawn.
    function divide(Side memory one, Side memory two) internal pure returns (Share memory share1, Share memory share2) {
        unchecked {
            uint256 available = one.deposit + two.deposit - one.withdrawn - two.withdrawn;
            uint256 received1 = smaller(receivable(one, two.transferred, two.locked), available);
            (share1.paid, share2.locked) = take(received1, two.locked);
            (share2.paid, share1.locked) = take(available - received1, one.locked);
        }
    }
}
