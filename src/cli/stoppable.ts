import { CommandError } from './io.ts'

/** Exit codes of a command that ends by a signal. */
const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type StopSignal = keyof typeof signalCodes

interface StopOptions {
  /** True to fail with the exit code of the signal, such as 130. */
  readonly hasSignalCode?: boolean
  /** True to end also when the terminal is closed. Not for work that may go on then, such as under `nohup`. */
  readonly hangsUp?: boolean
}

/** Runs work that Ctrl-C and SIGTERM end in order: its signal aborts, and the command fails with `text`. */
export async function stoppable<Result>(
  text: string,
  work: (signal: AbortSignal) => Promise<Result>,
  { hasSignalCode = false, hangsUp = false }: StopOptions = {},
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = (name: StopSignal) =>
    stop.abort(new CommandError(text, hasSignalCode ? { exitCode: signalCodes[name] } : {}))
  const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', ...(hangsUp ? (['SIGHUP'] as const) : [])]
  for (const signal of signals) process.once(signal, onSignal)
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
