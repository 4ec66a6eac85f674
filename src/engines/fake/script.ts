/** The fake engine's script: the last user message or the prompt as JSON, or its words echoed. */
import { closeSync, openSync } from 'node:fs'
import { type ChatRequest, type FinishReason, picturesOf, type TokenLogprob } from '../../core/chat.ts'
import { type Content, contentText, textContent } from '../../core/content.ts'
import type { ErrorData } from '../../core/errors.ts'
import type { GrantGate } from './grant-gate.ts'
import { describePicture, tokensOfPicture } from './pictures.ts'

export type FakeAction =
  /** `logprobs` are sent if the request wants any. */
  | { readonly text: string; readonly logprobs?: readonly TokenLogprob[] }
  | { readonly reasoning: string }
  | { readonly tool: { readonly name: string; readonly arguments: readonly string[] } }
  /** Words about all pictures of the request, in their order. */
  | { readonly describePictures: true }
  /** Sends the request as it reached the engine, as JSON text. */
  | { readonly echoRequest: true }
  | { readonly delayMs: number }
  /** A line on the child's error output. */
  | { readonly log: string }
  /** `once`: path of a file that the action creates. The action does nothing if the file exists. */
  | { readonly waitForCancel: true; readonly once?: string }
  /** `once` as above. */
  | { readonly crash: FakeCrash; readonly once?: string }
  | FakeError

/** `hang` stops sending, `disconnect` closes the channel. */
type FakeCrash = 'exit' | 'abort' | 'kill' | 'hang' | 'disconnect'

/** Error that ends the request. */
export interface FakeError {
  readonly error: ErrorData
}

export interface FakeScript {
  readonly script: readonly FakeAction[]
  readonly finish: FinishReason
  readonly stopString?: string
  readonly isContextFull?: boolean
  readonly isRepetition?: boolean
  readonly promptTokens: number
  readonly cachedTokens: number
  /** Prompt tokens processed when a cancel comes before the first token. Absent means all. */
  readonly prefillTokens?: number
  /** Actions while the request's pictures are encoded. */
  readonly encoding?: readonly (FakeSideAction | FakeError)[]
}

/** Script in the form written by the message. */
interface WrittenScript {
  readonly script: readonly (FakeAction | Repeated)[]
  /** Actions after the results of the tools that `script` calls, instead of the same calls again. */
  readonly afterTools?: readonly (FakeAction | Repeated)[]
}

/** Repeated part of a script, for long answers. */
interface Repeated {
  readonly repeat: number
  readonly script: readonly FakeAction[]
}

/** Returns whether the action is one token of each choice. */
export function isToken(action: FakeAction): boolean {
  return ['text', 'reasoning', 'tool', 'describePictures', 'echoRequest'].some((token) => token in action)
}

/** Reads the script, by default an echo with one token per word. The echo of a picture is `[image 64x32 HASH]`. */
export function readScript(request: ChatRequest): FakeScript {
  const content = lastSaid(request)
  const pictureTokens = picturesOf(request.messages).length * tokensOfPicture
  const defaults = { finish: 'stop', promptTokens: 5 + pictureTokens, cachedTokens: 0 } as const
  const text = contentText(content)
  if (text.startsWith('{"script":')) {
    const { script, afterTools, ...rest } = JSON.parse(text) as WrittenScript
    if (afterTools === undefined) return { ...defaults, ...rest, script: script.flatMap(expand) }
    const hasResults = request.messages.at(-1)?.role === 'tool'
    const finish = hasResults ? 'stop' : 'tool-calls'
    return { ...defaults, finish, ...rest, script: (hasResults ? afterTools : script).flatMap(expand) }
  }
  const shown = content.map((part) => (part.type === 'image' ? describePicture(part) : contentText([part]))).join('')
  const words = shown.match(/\S+\s*/g) ?? []
  const limit = request.maxTokens ?? words.length
  return {
    ...defaults,
    script: words.slice(0, limit).map((text) => ({ text })),
    finish: limit < words.length ? 'length' : 'stop',
  }
}

/** Returns the text that holds the script: the last user message, or the first prompt for all choices. */
function lastSaid({ messages, prompts }: ChatRequest): Content {
  const [prompt] = prompts ?? []
  if (prompt === undefined) return messages.findLast(({ role }) => role === 'user')?.content ?? []
  return textContent(
    prompt.kind === 'text' ? prompt.text : prompt.kind === 'fill' ? prompt.prefix : prompt.tokens.join(' '),
  )
}

function expand(action: FakeAction | Repeated): readonly FakeAction[] {
  return 'repeat' in action ? Array.from({ length: action.repeat }, () => action.script).flat() : [action]
}

/** Actions for work of any kind. */
export type FakeSideAction = Extract<
  FakeAction,
  { delayMs: unknown } | { log: unknown } | { waitForCancel: unknown } | { crash: unknown }
>

/** Performs an action. Waits end when `gate` closes; a crash may take effect later. */
export async function performAction(action: FakeSideAction, gate: GrantGate): Promise<void> {
  if ('log' in action) process.stderr.write(`${action.log}\n`)
  else if ('delayMs' in action) await Promise.race([Bun.sleep(action.delayMs), gate.closed()])
  else if (action.once !== undefined && !makesFile(action.once)) return
  else if ('waitForCancel' in action) await gate.closed()
  else await crash(action.crash, gate)
}

/** Crashes the child and waits: a signal takes time, and no further action may run. */
async function crash(how: FakeCrash, gate: GrantGate): Promise<void> {
  if (how === 'exit') process.exit(7)
  else if (how === 'abort') process.abort()
  else if (how === 'disconnect') process.disconnect?.()
  else process.kill(process.pid, how === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  await gate.closed()
}

/** Creates a file. Returns false if it already exists. */
function makesFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch {
    return false
  }
}
