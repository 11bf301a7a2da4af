/**
 * A service that does no work: it copies the transactions of monitoring services, and pays more for gas than they
 * do.
 */
import type { Address } from '../../basics/hex.ts';
import { callData } from '../chain/contracts/abi.ts';
import type { Power, Program } from './program.ts';

export type ServiceContracts = {
  monitoringService: Address;
  serviceRegistry: Address;
  serviceToken: Address;
};
type Facts = {
  powers: ReadonlyMap<Address, Power>;
  services: ServiceContracts;
  onMove(text: string): void;
};

/** More than a registration costs, in the smallest unit of the service token. */
const DEPOSIT = 10n ** 24n;

export function createFreeRider({ powers, services, onMove }: Facts): Pick<Program, 'block'> {
  const copied = new Set<string>();
  let isRegistered = false;

  /** Registers as a service: otherwise the contract refuses its transactions. */
  function register({ call }: Power) {
    const { serviceRegistry, serviceToken } = services;
    isRegistered = true;
    call(serviceToken, callData('mint(uint256)', DEPOSIT));
    call(serviceToken, callData('approve(address,uint256)', serviceRegistry, DEPOSIT));
    call(serviceRegistry, callData('deposit(uint256)', DEPOSIT));
  }

  return {
    block() {
      const [power] = powers.values();
      if (power === undefined) return;
      if (!isRegistered) register(power);
      for (const { to, data } of power.waiting()) {
        if (to !== services.monitoringService || copied.has(data)) continue;
        copied.add(data);
        onMove('copies a transaction of a monitoring service');
        power.call(to, data);
      }
    },
  };
}
