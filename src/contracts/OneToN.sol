// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ServiceRegistry} from "./ServiceRegistry.sol";
import {Signatures} from "./Signatures.sol";
import {UserDeposit} from "./UserDeposit.sol";
import {Utils} from "./Utils.sol";

/// Turns signed IOUs into transfers inside the UserDeposit. A session is (receiver, sender, expiration)
/// and pays once.
contract OneToN is Utils {
    UserDeposit public deposit_contract;
    ServiceRegistry public service_registry_contract;
    uint256 public chain_id;

    /// Expiration block of each paid session, by keccak256(receiver | sender | expiration).
    mapping(bytes32 session => uint256 expiration_block) public settled_sessions;

    event Claimed(address sender, address indexed receiver, uint256 expiration_block, uint256 transferred);

    constructor(address _deposit_contract, uint256 _chain_id, address _service_registry_contract) {
        deposit_contract = UserDeposit(_deposit_contract);
        chain_id = _chain_id;
        service_registry_contract = ServiceRegistry(_service_registry_contract);
    }

    /// Pays the IOU as far as the sender's balance goes. Returns what was paid; when 0, try again later.
    function claim(
        address sender,
        address receiver,
        uint256 amount,
        uint256 expiration_block,
        bytes calldata signature
    ) external returns (uint256) {
        return _claim(sender, receiver, amount, expiration_block, signature);
    }

    /// Claims several IOUs; `signatures` holds 65 bytes for each. Returns the sum.
    function bulkClaim(
        address[] calldata senders,
        address[] calldata receivers,
        uint256[] calldata amounts,
        uint256[] calldata expiration_blocks,
        bytes calldata signatures
    ) external returns (uint256) {
        uint256 count = senders.length;
        require(receivers.length == count, "Same number of elements required for all input parameters");
        require(amounts.length == count, "Same number of elements required for all input parameters");
        require(expiration_blocks.length == count, "Same number of elements required for all input parameters");
        require(signatures.length == count * 65, "`signatures` should contain 65 bytes per IOU");
        uint256 transferred = 0;
        for (uint256 i = 0; i < count; i++) {
            transferred += _claim(
                senders[i], receivers[i], amounts[i], expiration_blocks[i], signatures[i * 65:(i + 1) * 65]
            );
        }
        return transferred;
    }

    function _claim(
        address sender,
        address receiver,
        uint256 amount,
        uint256 expiration_block,
        bytes calldata signature
    ) private returns (uint256 transferable) {
        require(service_registry_contract.hasValidRegistration(receiver), "receiver not registered");
        require(block.number <= expiration_block, "IOU expired");
        bytes32 hash = keccak256(
            abi.encodePacked(
                signature_prefix,
                "188",
                address(this),
                chain_id,
                Signatures.IOU,
                sender,
                receiver,
                amount,
                expiration_block
            )
        );
        require(Signatures.recover(hash, signature) == sender, "Signature mismatch");
        bytes32 session = keccak256(abi.encodePacked(receiver, sender, expiration_block));
        require(settled_sessions[session] == 0, "Already settled session");

        transferable = min(amount, deposit_contract.balances(sender));
        if (transferable == 0) return 0;
        settled_sessions[session] = expiration_block;
        emit Claimed(sender, receiver, expiration_block, transferable);
        require(deposit_contract.transfer(sender, receiver, transferable), "deposit did not transfer");
    }
}
