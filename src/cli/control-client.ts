import { hourMs } from '../core/durations.ts'
import { controlSocketPath, type ModelSteps, type ServerStatus } from '../server/control.ts'
import type { OperationReply, OperationRequest } from '../server/perform.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import { CommandError } from './io.ts'

const statusWithinMs = 5_000

/** Error of a server that ended before it answered. It may have performed what it was asked. */
export class ServerEnded extends CommandError {}

/** Asks the server of this data folder about itself; undefined when none is running. */
export async function askServer(dataDir: string): Promise<ServerStatus | undefined> {
  const response = await request(dataDir, '/status', { signal: AbortSignal.timeout(statusWithinMs) })
  return response === undefined ? undefined : ((await response.json()) as ServerStatus) // our own server's answer
}

/** Returns the time of loaded models' steps by phase; undefined if no server is running. */
export async function askSteps(dataDir: string): Promise<readonly ModelSteps[] | undefined> {
  const response = await request(dataDir, '/steps', { signal: AbortSignal.timeout(statusWithinMs) })
  if (response === undefined) return undefined
  if (!response.ok) throw new CommandError(`the server of ${dataDir} is of another version; restart it with this one`)
  return (await response.json()) as readonly ModelSteps[] // our own server's answer
}

/** Time limit of an unload. Running requests may take that long to end. */
const unloadWithinMs = hourMs

/** Asks the data folder's server, if one runs, to end the engine of a model. Resolves when the engine is gone. */
export async function askToUnload(dataDir: string, modelId: string, how: 'drain' | 'now'): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify({ modelId, how }), signal: AbortSignal.timeout(unloadWithinMs) }
  const response = await request(dataDir, '/unload', init)
  if (response !== undefined && !response.ok) {
    throw new CommandError(`the server of ${dataDir} did not unload ${modelId}; restart it with this version`)
  }
}

/**
 * Asks the data folder's server to perform an operation. Undefined if no server is running. Throws CommandError if it
 * does not answer.
 */
export async function askToPerform(
  dataDir: string,
  asked: { readonly name: string; readonly request: OperationRequest; readonly answerWithinMs: number },
): Promise<OperationReply | undefined> {
  const response = await request(dataDir, `/operations/${asked.name}`, {
    method: 'POST',
    body: JSON.stringify(asked.request),
    signal: AbortSignal.timeout(asked.answerWithinMs),
  })
  if (response === undefined) return undefined
  if (!response.ok) return { kind: 'other-version', version: 'of another version' }
  return (await response.json()) as OperationReply // our own server's answer, of this version
}

/**
 * Yields the latest `count` lines of the server's log, then new ones until the server ends. Undefined if no server is
 * running.
 */
export async function followLog(
  dataDir: string,
  { count, isFollowing }: { readonly count: number; readonly isFollowing: boolean },
): Promise<AsyncIterable<TailLine> | undefined> {
  const response = await request(dataDir, `/log?lines=${count}${isFollowing ? '&follow' : ''}`, {})
  if (response === undefined) return undefined
  if (!response.ok) throw new CommandError(`the server of ${dataDir} is of another version; restart it with this one`)
  return tailLines(response)
}

async function* tailLines({ body }: Response): AsyncGenerator<TailLine> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as TailLine // our own server's answer
    }
  } catch (error) {
    // The last line may be incomplete if the server ends.
    if (error instanceof SyntaxError) throw error
  }
}

async function request(dataDir: string, path: string, init: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(`http://inferd${path}`, { ...init, unix: controlSocketPath(dataDir) })
  } catch (error) {
    if (isNotRunning(error)) return undefined
    // Not the same as no server: one that hangs or dies meanwhile may have performed the request.
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const remedy = "'inferd logs' may say why, 'inferd audit' whether it was done"
    const text = `the server of ${dataDir} ${isLate ? 'does not answer' : 'broke off'}`
    const Failure = isLate ? CommandError : ServerEnded
    throw new Failure(`${text}; ${path === '/status' ? 'end its process, or look into its log' : remedy}`)
  }
}

/** Returns whether there is no socket, or its process has died. */
function isNotRunning(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
}
