// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Token} from "./Token.sol";
import {Utils} from "./Utils.sol";

/// Tokens that nodes hold ready to pay services with. Only the two service contracts may move them;
/// taking them back needs a plan and a delay.
contract UserDeposit is Utils {
    /// Blocks.
    uint256 public constant withdraw_delay = 100;

    struct WithdrawPlan {
        uint256 amount;
        uint256 withdraw_block;
    }

    Token public token;
    address public msc_address;
    address public one_to_n_address;

    /// All that was ever deposited for an owner; never reduced.
    mapping(address owner => uint256 amount) public total_deposit;
    mapping(address owner => uint256 amount) public balances;
    mapping(address owner => WithdrawPlan plan) public withdraw_plans;
    uint256 public whole_balance;
    uint256 public whole_balance_limit;

    event BalanceReduced(address indexed owner, uint256 newBalance);
    event WithdrawPlanned(address indexed withdrawer, uint256 plannedBalance);

    modifier canTransfer() {
        require(msg.sender == msc_address || msg.sender == one_to_n_address, "unknown caller");
        _;
    }

    constructor(address _token_address, uint256 _whole_balance_limit) {
        require(_token_address != address(0), "token at address zero");
        require(contractExists(_token_address), "token has no code");
        require(Token(_token_address).totalSupply() > 0, "token has no total supply");
        require(_whole_balance_limit > 0, "whole balance limit is zero");
        token = Token(_token_address);
        whole_balance_limit = _whole_balance_limit;
    }

    /// Names the two contracts that may transfer. Once, by whoever is first: call it right after deployment.
    function init(address _msc_address, address _one_to_n_address) external {
        require(msc_address == address(0) && one_to_n_address == address(0), "already initialized");
        require(_msc_address != address(0), "MS contract at address zero");
        require(contractExists(_msc_address), "MS contract has no code");
        require(_one_to_n_address != address(0), "OneToN at address zero");
        require(contractExists(_one_to_n_address), "OneToN has no code");
        msc_address = _msc_address;
        one_to_n_address = _one_to_n_address;
    }

    /// Raises the total of `beneficiary` with tokens of the caller.
    function deposit(address beneficiary, uint256 new_total_deposit) external {
        require(new_total_deposit > total_deposit[beneficiary], "deposit not increasing");
        uint256 added = new_total_deposit - total_deposit[beneficiary];
        require(added <= type(uint256).max - whole_balance, "overflowing deposit");
        require(whole_balance + added <= whole_balance_limit, "too much deposit");
        balances[beneficiary] += added;
        total_deposit[beneficiary] = new_total_deposit;
        whole_balance += added;
        require(token.transferFrom(msg.sender, address(this), added), "tokens didn't transfer");
    }

    /// Moves `amount` inside this contract. False, and nothing moved, when the sender holds less or it is 0.
    function transfer(address sender, address receiver, uint256 amount) external canTransfer returns (bool success) {
        require(sender != receiver, "sender == receiver");
        if (amount == 0 || balances[sender] < amount) return false;
        balances[sender] -= amount;
        balances[receiver] += amount;
        emit BalanceReduced(sender, balances[sender]);
        return true;
    }

    /// Announces a withdrawal; replaces an older plan and starts its delay anew.
    function planWithdraw(uint256 amount) external {
        require(amount > 0, "withdrawing zero");
        require(balances[msg.sender] >= amount, "withdrawing too much");
        withdraw_plans[msg.sender] = WithdrawPlan(amount, block.number + withdraw_delay);
        emit WithdrawPlanned(msg.sender, balances[msg.sender] - amount);
    }

    /// Takes out up to the planned amount, or what is left of it, and ends the plan.
    function withdraw(uint256 amount) external {
        _withdraw(amount, msg.sender);
    }

    function withdrawToBeneficiary(uint256 amount, address beneficiary) external {
        _withdraw(amount, beneficiary);
    }

    /// The balance less what may leave any time: what a service can count on.
    function effectiveBalance(address owner) external view returns (uint256 remaining_balance) {
        (remaining_balance,) = failsafe_subtract(balances[owner], withdraw_plans[owner].amount);
    }

    function _withdraw(uint256 amount, address beneficiary) private {
        require(beneficiary != address(0), "beneficiary is zero");
        WithdrawPlan memory plan = withdraw_plans[msg.sender];
        require(amount <= plan.amount, "withdrawing more than planned");
        require(block.number >= plan.withdraw_block, "withdrawing too early");
        uint256 withdrawable = min(amount, balances[msg.sender]);
        balances[msg.sender] -= withdrawable;
        whole_balance -= withdrawable;
        delete withdraw_plans[msg.sender];
        emit BalanceReduced(msg.sender, balances[msg.sender]);
        require(token.transfer(beneficiary, withdrawable), "tokens didn't transfer");
    }
}
