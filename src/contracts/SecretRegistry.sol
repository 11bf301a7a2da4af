// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Makes secrets public and remembers when. A lock is paid on chain iff its secret was registered in a
/// block below the lock's expiration.
contract SecretRegistry {
    mapping(bytes32 secrethash => uint256 block_number) private revealed_at;

    event SecretRevealed(bytes32 indexed secrethash, bytes32 secret);

    /// Returns whether the secret was new.
    function registerSecret(bytes32 secret) public returns (bool) {
        bytes32 secrethash = sha256(abi.encodePacked(secret));
        if (revealed_at[secrethash] > 0) return false;
        revealed_at[secrethash] = block.number;
        emit SecretRevealed(secrethash, secret);
        return true;
    }

    /// Returns whether all of the secrets were new; known ones are skipped.
    function registerSecretBatch(bytes32[] calldata secrets) external returns (bool) {
        bool all_new = true;
        for (uint256 i = 0; i < secrets.length; i++) {
            if (!registerSecret(secrets[i])) all_new = false;
        }
        return all_new;
    }

    /// The block of the registration, 0 when the secret is not registered.
    function getSecretRevealBlockHeight(bytes32 secrethash) external view returns (uint256) {
        return revealed_at[secrethash];
    }
}
