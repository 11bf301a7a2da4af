/** The messages that nodes send to services. Protocol section 2.2. */
import type { Signature } from '../../basics/hex.ts';
import { type ValueOf, variants } from '../messages/fields.ts';
import { monitoringRequest } from './monitoring-request.ts';
import { capacityUpdate, feeUpdate } from './pfs-update.ts';

export const SERVICE_MESSAGES = variants({
  PFSCapacityUpdate: capacityUpdate,
  PFSFeeUpdate: feeUpdate,
  RequestMonitoring: monitoringRequest,
});
export type ServiceMessage = ValueOf<typeof SERVICE_MESSAGES>;
export type SignedServiceMessage = { message: ServiceMessage; signature: Signature };
