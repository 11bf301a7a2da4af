// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A contract with one privileged address.
abstract contract Controllable {
    address public controller;

    modifier onlyController() {
        require(msg.sender == controller, "Can only be called by controller");
        _;
    }

    /// Hands the rights over; there is no check that `new_controller` can use them.
    function changeController(address new_controller) external onlyController {
        controller = new_controller;
    }
}
