/**
 * Why nothing was fetched: sentences for the client. They do not tell a name that nobody knows from a server of this network,
 * so that nobody learns by them what there is.
 */
export class FetchProblem extends Error {
  override name = 'FetchProblem'
}

export function unreachable(cause?: unknown): FetchProblem {
  return new FetchProblem('nothing answers at its address on the public Internet.', { cause })
}
