/**
 * Reason why nothing was fetched, in sentences for the client. The same for an unknown name and a server of this
 * network, so that it reveals nothing about the network.
 */
export class FetchProblem extends Error {
  override name = 'FetchProblem'
}

export function unreachable(cause?: unknown): FetchProblem {
  return new FetchProblem('nothing answers at its address on the public Internet.', { cause })
}
