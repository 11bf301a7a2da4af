// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";

/// What a token does when it is moved. Never deployed: a node lets its chain answer a call as if this were the code of its
/// own account, so that tokens move as that account would move them, and nothing of it stays.
contract TokenProbe {
    enum Finding {
        Sound,
        ReturnsNothing,
        ReturnsFalse,
        OtherAmount,
        RefusesApproval,
        RefusesPayee,
        Reverts
    }

    error Found(Finding finding);

    /// Where tokens go to that move for nothing.
    address private constant SINK = address(0x51CE);

    /// Moves `amount` in both ways that the channel contracts know.
    function habits(Token token, uint256 amount) external returns (Finding finding) {
        uint256 half = amount / 2;
        if (!_approve(token, address(this), half)) return Finding.Sound;
        finding = _move(token, SINK, half, abi.encodeCall(Token.transferFrom, (address(this), SINK, half)));
        if (finding != Finding.Sound) return _known(finding);
        uint256 rest = amount - half;
        return _known(_move(token, SINK, rest, abi.encodeCall(Token.transfer, (SINK, rest))));
    }

    /// Approves `amount` for `spender` and makes the call that takes it. `payee`: whom the spender must be able to pay
    /// later. `reason`: what the call reverted with.
    function rehearse(Token token, address spender, uint256 amount, bytes calldata call, address payee)
        external
        returns (Finding finding, bytes memory reason)
    {
        finding = _payment(token, payee, amount);
        if (finding != Finding.Sound) return (finding, "");
        if (token.allowance(address(this), spender) < amount && !_approve(token, spender, amount)) {
            return (Finding.RefusesApproval, "");
        }
        uint256 before = token.balanceOf(spender);
        bool succeeded;
        (succeeded, reason) = spender.call(call);
        if (!succeeded) return (Finding.Reverts, reason);
        return (token.balanceOf(spender) - before == amount ? Finding.Sound : Finding.OtherAmount, "");
    }

    /// Always reverts, so that the payment does not count.
    function pay(Token token, address payee, uint256 amount) external {
        Finding finding = _move(token, payee, amount, abi.encodeCall(Token.transfer, (payee, amount)));
        revert Found(finding == Finding.Reverts ? Finding.RefusesPayee : finding);
    }

    function _payment(Token token, address payee, uint256 amount) private returns (Finding) {
        try this.pay(token, payee, amount) {}
        catch (bytes memory found) {
            if (found.length != 36) return Finding.Sound;
            uint256 finding;
            assembly {
                finding := mload(add(found, 36))
            }
            return Finding(finding);
        }
        return Finding.Sound;
    }

    /// Some tokens take an approval only when none is left over.
    function _approve(Token token, address spender, uint256 amount) private returns (bool) {
        return _succeeds(token, abi.encodeCall(Token.approve, (spender, amount)))
            || (_succeeds(token, abi.encodeCall(Token.approve, (spender, 0)))
                && _succeeds(token, abi.encodeCall(Token.approve, (spender, amount))));
    }

    /// An approval counts, too, when the token returns nothing: no contract asks for it.
    function _succeeds(Token token, bytes memory call) private returns (bool) {
        (bool succeeded, bytes memory answer) = address(token).call(call);
        return succeeded && (answer.length < 32 || abi.decode(answer, (uint256)) == 1);
    }

    function _move(Token token, address to, uint256 amount, bytes memory call) private returns (Finding) {
        uint256 before = token.balanceOf(to);
        (bool succeeded, bytes memory answer) = address(token).call(call);
        if (!succeeded) return Finding.Reverts;
        if (answer.length < 32) return Finding.ReturnsNothing;
        if (abi.decode(answer, (uint256)) != 1) return Finding.ReturnsFalse;
        return token.balanceOf(to) - before == amount ? Finding.Sound : Finding.OtherAmount;
    }

    /// A token that refuses this account, or such an amount, may take others.
    function _known(Finding finding) private pure returns (Finding) {
        return finding == Finding.Reverts ? Finding.Sound : finding;
    }
}
