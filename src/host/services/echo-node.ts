/** Turns a running node into an echo node. */
import type { Log } from '../../basics/environment.ts';
import { createDraw } from '../../services/echo/draw.ts';
import { type EchoNode, startEcho } from '../../services/echo/echo.ts';
import type { Signer } from '../../signer/signer.ts';
import { systemClock } from '../base/system.ts';
import type { OpenNode } from '../node-config.ts';

/** The node must be ready. */
export function echoOn({ node }: OpenNode, parts: { signer: Signer; log: Log }): EchoNode {
  const { signer, log } = parts;
  return startEcho(node, { draw: createDraw(signer.sign), clock: systemClock, log });
}
