import { CommandError } from './io.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Runs work that Ctrl-C and SIGTERM end in order: its signal aborts, and the command fails with `text`. */
export async function stoppable<Result>(text: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(new CommandError(text))
  for (const signal of signals) process.once(signal, onSignal)
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
