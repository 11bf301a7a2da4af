// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Who signed. The numbers are the message types that stand in the third word of what is signed.
library Signatures {
    uint256 internal constant BALANCE_PROOF = 1;
    uint256 internal constant BALANCE_PROOF_UPDATE = 2;
    uint256 internal constant WITHDRAW = 3;
    uint256 internal constant IOU = 5;
    uint256 internal constant REWARD = 6;

    /// The signer of `hash`. `signature` is r(32) | s(32) | v(1) with v in {0, 1, 27, 28}. A high s is
    /// accepted, so one message has several valid signatures: never use one as a key.
    function recover(bytes32 hash, bytes calldata signature) internal pure returns (address signer) {
        require(signature.length == 65, "ECVerify: sig length invalid");
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        uint8 v = uint8(signature[64]);
        if (v < 27) v += 27;
        require(v == 27 || v == 28, "ECVerify: sig v invalid");
        signer = ecrecover(hash, v, r, s);
        require(signer != address(0), "ECVerify: invalid signature");
    }
}
