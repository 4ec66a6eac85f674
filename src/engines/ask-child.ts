import { LoadError } from './load-error.ts'
import type { FromEngine, ToEngine } from './protocol.ts'
import type { EngineSpawn } from './spawn-engine.ts'

type Question = Extract<ToEngine, { type: 'estimate' | 'load' | 'devices' }>

/** The child gave no answer: it ended before, or hung. */
export class NoAnswer extends LoadError {}

/**
 * Starts a child for one question, and ends it with its answer. Settles when the child is gone, and with it the memory that it
 * took. Throws a `LoadError` for a model that cannot be loaded, and the signal's reason when it aborts.
 */
export function askChild<Answer extends 'placements' | 'ready' | 'devices'>(
  spawn: EngineSpawn,
  question: Question,
  {
    answer: wanted,
    limitMs,
    signal,
  }: { readonly answer: Answer; readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Extract<FromEngine, { type: Answer }>> {
  type Wanted = Extract<FromEngine, { type: Answer }>
  const { promise, resolve, reject } = Promise.withResolvers<Wanted>()
  const isWanted = (message: FromEngine): message is Wanted => message.type === wanted
  let answer: Wanted | undefined
  let failure: LoadError | undefined
  let lastLine = ''
  const child = spawn(question.kind, {
    onMessage: (message) => {
      if (message.type === 'load-failed') failure = new LoadError(message.code, message.message)
      if (!isWanted(message)) return
      answer = message
      child.send({ type: 'stop' })
    },
    onLogLine: (line) => {
      lastLine = line
    },
    onExit: (reason) => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', kill)
      if (signal.aborted) reject(signal.reason)
      else if (answer !== undefined) resolve(answer)
      else reject(failure ?? crash(question, reason, lastLine))
    },
  })
  const kill = () => child.kill('SIGKILL')
  const deadline = setTimeout(() => {
    failure ??= new NoAnswer('other', `the engine did not answer within ${limitMs / 1000} s`)
    kill()
  }, limitMs)
  signal.addEventListener('abort', kill, { once: true })
  child.send(question)
  return promise
}

/** Explains the end: libraries end the process at some malformed files, and systems that lack memory kill it. */
function crash(question: Question, reason: string, lastLine: string): NoAnswer {
  const words = lastLine === '' ? reason : `${reason}: ${lastLine}`
  if (question.type === 'devices') return new NoAnswer('other', `asking for devices ended the process (${words})`)
  const { id } = question.model.manifest
  return reason === 'signal SIGKILL'
    ? new NoAnswer('out-of-memory', `reading ${id} took more memory than there is (${words})`)
    : new NoAnswer('bad-model', `the files of ${id} end the process that reads them (${words})`)
}
