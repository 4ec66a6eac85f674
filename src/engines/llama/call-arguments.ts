/** How much of a call's arguments can be given out before the call is complete. */
import { jsonProgress } from './json-progress.ts'
import type { NativeParsedMessage } from './native.ts'

export interface ReadCall {
  /** Beginning of the arguments that nothing still to come can change. */
  readonly sureArguments: string
  readonly isClosed: boolean
}

/**
 * Some formats write the arguments as JSON: those are given out as they come. Others write them in tags, which llama.cpp
 * turns into JSON and closes as if nothing followed; there a number may go on and the braces are its own.
 */
export function readCall(raw: string, message: NativeParsedMessage, index: number): ReadCall {
  const { last, toolCalls, isComplete } = message
  const text = toolCalls[index]?.arguments ?? ''
  if (index < toolCalls.length - 1) return { sureArguments: text, isClosed: true }
  const isVerbatim = last?.kind === 'arguments' && raw.slice(last.start, last.end).trimEnd() === text
  const { isClosed, stringStart } = jsonProgress(text)
  if (isVerbatim) return { sureArguments: text, isClosed }
  if (isComplete && isClosed) return { sureArguments: text, isClosed: true }
  return { sureArguments: stringStart >= 0 ? text : withoutOpenEnd(text), isClosed: false }
}

/** Without closing brackets and without a number or word that may go on. */
function withoutOpenEnd(text: string): string {
  let end = text.length
  while (end > 1 && /[\s}\]\w.+-]/.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
