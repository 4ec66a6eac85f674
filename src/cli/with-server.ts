import type { Command } from 'commander'
import type { ApiClient } from './api-client.ts'
import type { ChosenModel, ListedModel, NeededWork } from './choose-model.ts'
import { FarServer } from './far-server.ts'
import type { Io } from './io.ts'
import { NearServer } from './near-server.ts'
import { otherServer } from './options.ts'
import { stoppable } from './stoppable.ts'

/** Server that a command uses. It is reached, or started, at the first request. */
export interface UsedServer {
  readonly api: ApiClient
  /** Aborts when the command must end. */
  readonly signal: AbortSignal
  models(): Promise<readonly ListedModel[]>
  /** Returns the model of an id or alias, or without one the usual model for a work. Throws CommandError. */
  choose(work: NeededWork, name: string | undefined): Promise<ChosenModel>
  /** Loads a model by its id, with progress on a terminal. Throws CommandError, and the signal's reason. */
  load(id: string, signal: AbortSignal): Promise<void>
}

/**
 * Runs work with a server: the one of `--url`, or the data folder's, which is started for the time of the work if none
 * runs. Ctrl-C and SIGTERM end it, with the text `stopped`. It ends silently once nothing reads the output.
 * Throws CommandError too if the output cannot be written.
 */
export async function withServer(
  command: Command,
  io: Io,
  work: (server: UsedServer) => Promise<void>,
  stopped = 'stopped',
): Promise<void> {
  const address = otherServer(command, io)
  const { outputClosed = new AbortController().signal } = io
  const run = async (stop: AbortSignal) => {
    const signal = AbortSignal.any([stop, outputClosed])
    if (address !== undefined) return work(new FarServer(address, io, signal))
    await using server = new NearServer(command, io, signal)
    await work(server)
  }
  try {
    await stoppable(stopped, run, { hasSignalCode: true, hangsUp: io.terminal !== undefined })
  } catch (error) {
    if (!outputClosed.aborted) throw error
  }
  await io.finishOutput?.()
}
