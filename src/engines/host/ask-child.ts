import type { LoadFailure } from '../../core/model-state.ts'
import { LoadError } from '../protocol/load-error.ts'
import type { FromEngine, ToEngine } from '../protocol/messages.ts'
import { keepLine, keptOf } from './exit-reason.ts'
import type { EngineSpawn } from './spawn-engine.ts'

type Question = Extract<ToEngine, { type: 'estimate' | 'load' | 'devices' | 'probe' }>

/** Error of a child that ended or hung before it answered. */
export class NoAnswer extends LoadError {
  /** Last lines of the child's stderr, and how it ended. */
  readonly evidence: NoAnswerEvidence

  constructor(code: LoadFailure, message: string, evidence: NoAnswerEvidence) {
    super(code, message)
    this.evidence = evidence
  }
}

interface NoAnswerEvidence {
  readonly lines: readonly string[]
  /** Exit code or signal. Undefined if the child hung or reported the failure itself. */
  readonly exit?: string
  readonly hungAfterMs?: number
}

/**
 * Starts a child for one question and ends it after its answer. Settles when the child is gone and its memory is free.
 * Throws a `LoadError` for a model that cannot be loaded, and the signal's reason when it aborts.
 */
export function askChild<Answer extends 'placements' | 'ready' | 'devices' | 'probed'>(
  spawn: EngineSpawn,
  question: Question,
  {
    answer: wanted,
    limitMs,
    signal,
  }: { readonly answer: Answer; readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Extract<FromEngine, { type: Answer }>> {
  if (signal.aborted) return Promise.reject(signal.reason)
  type Wanted = Extract<FromEngine, { type: Answer }>
  const { promise, resolve, reject } = Promise.withResolvers<Wanted>()
  const isWanted = (message: FromEngine): message is Wanted => message.type === wanted
  let answer: Wanted | undefined
  let failure: LoadError | undefined
  const lines: string[] = []
  let isHung = false
  const child = spawn(question.kind, {
    onMessage: (message) => {
      if (message.type === 'load-failed') failure = new LoadError(message.code, message.message)
      if (!isWanted(message)) return
      answer = message
      child.send({ type: 'stop' })
    },
    onLogLine: (line) => {
      keepLine(lines, line)
    },
    onExit: (reason) => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', kill)
      if (signal.aborted) reject(signal.reason)
      else if (answer !== undefined) resolve(answer)
      else if (isHung)
        reject(
          new NoAnswer('other', `the engine did not answer within ${limitMs / 1000} s`, {
            lines: keptOf(lines),
            hungAfterMs: limitMs,
          }),
        )
      else if (failure !== undefined && question.type === 'probe')
        // Libraries write the reason to stderr; their errors say less.
        reject(new NoAnswer(failure.code, failure.message, { lines: [...keptOf(lines), failure.message] }))
      else reject(failure ?? crash(question, reason, keptOf(lines)))
    },
  })
  const kill = () => child.kill('SIGKILL')
  const deadline = setTimeout(() => {
    isHung = true
    kill()
  }, limitMs)
  signal.addEventListener('abort', kill, { once: true })
  child.send(question)
  return promise
}

/** Explains a child's end: malformed files crash some libraries, and systems that lack memory kill the process. */
function crash(question: Question, reason: string, lines: readonly string[]): NoAnswer {
  const evidence = { lines, exit: reason }
  const lastLine = lines.at(-1)
  const words = lastLine === undefined ? reason : `${reason}: ${lastLine}`
  if (question.type === 'devices')
    return new NoAnswer('other', `asking for devices ended the process (${words})`, evidence)
  if (question.type === 'probe') return new NoAnswer('other', `the probe ended its process (${words})`, evidence)
  const { id } = question.model.manifest
  return reason === 'signal SIGKILL'
    ? new NoAnswer('out-of-memory', `reading ${id} took more memory than there is (${words})`, evidence)
    : new NoAnswer('bad-model', `the files of ${id} end the process that reads them (${words})`, evidence)
}
