// Generated from ../SecretRegistry.sol by `npm run build:contracts`: do not edit.
import type { Hex } from 'viem';

export const secretRegistryAbi = [
  {"anonymous":false,"inputs":[{"indexed":true,"internalType":"bytes32","name":"secrethash","type":"bytes32"},{"indexed":false,"internalType":"bytes32","name":"secret","type":"bytes32"}],"name":"SecretRevealed","type":"event"},
  {"inputs":[{"internalType":"bytes32","name":"secrethash","type":"bytes32"}],"name":"getSecretRevealBlockHeight","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
  {"inputs":[{"internalType":"bytes32","name":"secret","type":"bytes32"}],"name":"registerSecret","outputs":[{"internalType":"bool","name":"","type":"bool"}],"stateMutability":"nonpayable","type":"function"},
  {"inputs":[{"internalType":"bytes32[]","name":"secrets","type":"bytes32[]"}],"name":"registerSecretBatch","outputs":[{"internalType":"bool","name":"","type":"bool"}],"stateMutability":"nonpayable","type":"function"},
] as const;

export const secretRegistryBytecode: Hex =
  '0x608080604052346015576101e3908161001a8239f35b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c806312ad8bfc146100f9578063bbe8a9b6146100675763c1f629461461003a575f80fd5b34610063576020366003190112610063576004355f525f602052602060405f2054604051908152f35b5f80fd5b346100635760203660031901126100635760043567ffffffffffffffff8111610063573660238201121561006357806004013567ffffffffffffffff8111610063573660248260051b840101116100635760015f5b828110156100ec576100d660248260051b86010135610121565b156100e4575b6001016100bc565b5f91506100dc565b6020826040519015158152f35b34610063576020366003190112610063576020610117600435610121565b6040519015158152f35b60405160208101828152602082526040820182811067ffffffffffffffff8211176101cf5760209260405f9383825282518091855e8201918482840152603f19920301019060025afa156101c4575f5190815f525f60205260405f20546101be5760207fc8ee7ba45d0c5351df845eda156d523bd6865844a5f2c69df35b757e2f794fa191835f525f82524360405f2055604051908152a2600190565b50505f90565b6040513d5f823e3d90fd5b634e487b7160e01b5f52604160045260245ffd';
