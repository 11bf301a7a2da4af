// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Controllable} from "./Controllable.sol";
import {Deposit} from "./Deposit.sol";
import {Token} from "./Token.sol";
import {Utils} from "./Utils.sol";

/// Services register here by locking tokens for a while. Each registration raises the price, which then
/// decays with time. All times are unix seconds.
contract ServiceRegistry is Utils, Controllable {
    uint256 private constant MAX_PRICE = 2 ** 90;
    uint256 private constant MAX_PARAMETER = 2 ** 40;

    Token public token;
    bool public deprecated;

    uint256 public set_price;
    uint256 public set_price_at;
    /// Seconds in which the price falls to 1/e.
    uint256 public decay_constant;
    uint256 public min_price;
    uint256 public price_bump_numerator;
    uint256 public price_bump_denominator;
    /// Seconds.
    uint256 public registration_duration;

    mapping(address service => uint256 timestamp) public service_valid_till;
    mapping(address service => string url) public urls;
    /// Every address that ever registered, once.
    address[] public ever_made_deposits;

    event RegisteredService(
        address indexed service, uint256 valid_till, uint256 deposit_amount, Deposit deposit_contract
    );

    constructor(
        Token _token_for_registration,
        address _controller,
        uint256 _initial_price,
        uint256 _price_bump_numerator,
        uint256 _price_bump_denominator,
        uint256 _decay_constant,
        uint256 _min_price,
        uint256 _registration_duration
    ) {
        require(address(_token_for_registration) != address(0), "token at address zero");
        require(contractExists(address(_token_for_registration)), "token has no code");
        require(_token_for_registration.totalSupply() > 0, "total supply zero");
        require(_initial_price >= _min_price, "initial price too low");
        require(_initial_price <= MAX_PRICE, "initial price too high");
        token = _token_for_registration;
        controller = _controller;
        set_price = _initial_price;
        set_price_at = block.timestamp;
        _setParameters(
            _price_bump_numerator, _price_bump_denominator, _decay_constant, _min_price, _registration_duration
        );
    }

    /// Registers the caller, or prolongs its registration, for the current price unless it is above the limit.
    function deposit(uint256 _limit_amount) external returns (bool) {
        require(!deprecated, "this contract was deprecated");
        uint256 price = currentPrice();
        require(_limit_amount >= price, "not enough limit");

        uint256 valid_till = service_valid_till[msg.sender];
        if (valid_till == 0) ever_made_deposits.push(msg.sender);
        if (valid_till < block.timestamp) valid_till = block.timestamp;
        require(registration_duration <= type(uint256).max - valid_till, "registration time overflow");
        valid_till += registration_duration;
        service_valid_till[msg.sender] = valid_till;
        set_price = min(price * price_bump_numerator / price_bump_denominator, MAX_PRICE);
        set_price_at = block.timestamp;

        Deposit depot = new Deposit(token, valid_till, msg.sender, this);
        require(token.transferFrom(msg.sender, address(depot), price), "Token transfer for deposit failed");
        emit RegisteredService(msg.sender, valid_till, price, depot);
        return true;
    }

    /// Where the caller's service is found.
    function setURL(string calldata new_url) external returns (bool) {
        require(hasValidRegistration(msg.sender), "registration expired");
        require(bytes(new_url).length != 0, "new url is empty string");
        urls[msg.sender] = new_url;
        return true;
    }

    /// No new registrations from now on, and all deposits are free.
    function setDeprecationSwitch() external onlyController returns (bool) {
        deprecated = true;
        return true;
    }

    /// The current price, decayed until now, becomes the start of the new curve.
    function changeParameters(
        uint256 _price_bump_numerator,
        uint256 _price_bump_denominator,
        uint256 _decay_constant,
        uint256 _min_price,
        uint256 _registration_duration
    ) external onlyController returns (bool) {
        set_price = currentPrice();
        set_price_at = block.timestamp;
        _setParameters(
            _price_bump_numerator, _price_bump_denominator, _decay_constant, _min_price, _registration_duration
        );
        return true;
    }

    function everMadeDepositsLen() external view returns (uint256) {
        return ever_made_deposits.length;
    }

    function hasValidRegistration(address _address) public view returns (bool) {
        return block.timestamp < service_valid_till[_address];
    }

    function currentPrice() public view returns (uint256) {
        return decayedPrice(set_price, block.timestamp - set_price_at);
    }

    /// set_price * e^(-seconds_passed / decay_constant), with e^x cut after its fourth power, and not
    /// below min_price.
    function decayedPrice(uint256 _set_price, uint256 _seconds_passed) public view returns (uint256) {
        if (_seconds_passed >= MAX_PARAMETER) return min_price;
        uint256 a = decay_constant;
        uint256 x = _seconds_passed;
        uint256 p = 24 * a ** 4;
        uint256 q = p + 24 * a ** 3 * x + 12 * a ** 2 * x ** 2 + 4 * a * x ** 3 + x ** 4;
        return max(_set_price * p / q, min_price);
    }

    function _setParameters(
        uint256 _price_bump_numerator,
        uint256 _price_bump_denominator,
        uint256 _decay_constant,
        uint256 _min_price,
        uint256 _registration_duration
    ) private {
        require(_price_bump_denominator > 0, "divide by zero");
        require(_price_bump_numerator >= _price_bump_denominator, "price dump instead of bump");
        require(_price_bump_numerator < MAX_PARAMETER, "price bump numerator is too big");
        require(_decay_constant > 0, "zero decay constant");
        require(_decay_constant < MAX_PARAMETER, "too big decay constant");
        price_bump_numerator = _price_bump_numerator;
        price_bump_denominator = _price_bump_denominator;
        decay_constant = _decay_constant;
        min_price = _min_price;
        registration_duration = _registration_duration;
    }
}
