/**
 * Reason why nothing was fetched, in sentences for the client. They do not distinguish an unknown name from a server of
 * this network, so that they reveal nothing about it.
 */
export class FetchProblem extends Error {
  override name = 'FetchProblem'
}

export function unreachable(cause?: unknown): FetchProblem {
  return new FetchProblem('nothing answers at its address on the public Internet.', { cause })
}
