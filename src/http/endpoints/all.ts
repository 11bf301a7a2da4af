/** Every endpoint, in the order of the OpenAPI document. */
import * as channels from './channels.ts';
import * as deposits from './deposits.ts';
import * as node from './node.ts';
import * as operations from './operations.ts';
import * as payments from './payments.ts';
import * as tokens from './tokens.ts';

/** The endpoints by their names, which are the operation ids of the OpenAPI document. */
export const ENDPOINTS = {
  ...node,
  ...tokens,
  ...channels,
  ...payments,
  ...deposits,
  ...operations,
};
export type AnyEndpoint = (typeof ENDPOINTS)[keyof typeof ENDPOINTS];
