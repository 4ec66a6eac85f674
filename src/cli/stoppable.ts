import { CommandError } from './io.ts'

/** Exit codes of a command that ends by a signal. */
const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const
const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs work that Ctrl-C and SIGTERM end in order: its signal aborts, and the command fails with `text`. With
 * `hasSignalCode` the exit code names the signal.
 */
export async function stoppable<Result>(
  text: string,
  work: (signal: AbortSignal) => Promise<Result>,
  { hasSignalCode = false }: { readonly hasSignalCode?: boolean } = {},
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = (name: (typeof signals)[number]) =>
    stop.abort(new CommandError(text, hasSignalCode ? { exitCode: signalCodes[name] } : {}))
  for (const signal of signals) process.once(signal, onSignal)
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
