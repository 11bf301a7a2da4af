/**
 * Gas of each function besides data, storage, logs and calls: for its computation, and for storage slots that the
 * model does not have. Measured against the compiled contracts; `chain-differential.test.ts` checks the numbers.
 */
const COMPUTED: Readonly<Record<string, number>> = {
  'mint(uint256)': 630,
  'mintFor(uint256,address)': 650,
  'approve(address,uint256)': 410,
  'transfer(address,uint256)': 810,
  'transferFrom(address,address,uint256)': 1_100,
  'registerSecret(bytes32)': 170,
  'openChannel(address,address,uint256)': 7_250,
  'openChannelWithDeposit(address,address,uint256,uint256)': 10_280,
  'setTotalDeposit(uint256,address,uint256,address)': 7_160,
  'setTotalWithdraw(uint256,address,uint256,uint256,bytes,bytes)': 5_830,
  'setTotalWithdraw2(uint256,(address,uint256,uint256,bytes,bytes))': 5_440,
  'cooperativeSettle(uint256,(address,uint256,uint256,bytes,bytes),(address,uint256,uint256,bytes,bytes))': 10_500,
  'closeChannel(uint256,address,address,bytes32,uint256,bytes32,bytes,bytes)': 4_800,
  'updateNonClosingBalanceProof(uint256,address,address,bytes32,uint256,bytes32,bytes,bytes)': 5_530,
  'settleChannel(uint256,address,uint256,uint256,bytes32,address,uint256,uint256,bytes32)': 5_750,
  'settleChannel2(uint256,(address,uint256,uint256,bytes32),(address,uint256,uint256,bytes32))': 6_000,
  'unlock(uint256,address,address,bytes)': 2_460,
  'deposit(address,uint256)': 2_580,
  'planWithdraw(uint256)': 730,
  'withdraw(uint256)': 2_500,
  'withdrawToBeneficiary(uint256,address)': 2_500,
  'setURL(string)': 980,
  'monitor(address,address,bytes32,uint256,bytes32,bytes,bytes,uint256,address,bytes)': 21_080,
  'claimReward(uint256,address,address,address)': 9_000,
};
const OTHERS = 500;

/** Gas of a function that succeeds; one that reverts has not computed everything. */
export function gasOfFunction(signature: string): number {
  return COMPUTED[signature] ?? OTHERS;
}
