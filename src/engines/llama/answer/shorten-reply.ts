/**
 * Keeps the parser's input short. The parser reads an answer from its beginning each time, so a long one would cost
 * quadratic time; but most of it (text, thinking, long arguments) does not affect the reading of the rest. Such a part
 * is removed, and the shorter answer is parsed once to verify that it reads the same.
 */

import type { NativeParsedMessage } from '../native.ts'
import { jsonProgress } from './json-progress.ts'

interface Reading {
  readonly raw: string
  readonly message: NativeParsedMessage
}

/**
 * Characters kept at the end of a text, which may be the beginning of a tag, and at its beginning, which may be
 * trimmed.
 */
const keptCharacters = 64
const keptAtStart = 16

/** Returns a shorter answer that reads the same; undefined if nothing can be removed. */
export function shortenReply(reading: Reading, parse: (raw: string) => NativeParsedMessage): Reading | undefined {
  const part = removablePart(reading)
  if (part === undefined) return undefined
  const raw = reading.raw.slice(0, part.from) + reading.raw.slice(part.to)
  const message = parse(raw)
  return readsTheSame(reading.message, message, part.to - part.from) ? { raw, message } : undefined
}

interface Part {
  readonly from: number
  readonly to: number
}

function removablePart({ raw, message: { last, toolCalls } }: Reading): Part | undefined {
  if (last === undefined) return undefined
  const start = Math.max(0, last.start)
  if (last.kind !== 'arguments') return middleOf(raw, start, last.end)
  const json = raw.slice(start, last.end)
  const text = toolCalls.at(-1)?.arguments ?? ''
  if (json.trimEnd() !== text) return middleOf(raw, last.end - openStringOf(text).length, last.end)
  const { isClosed, removable } = jsonProgress(json)
  // Complete arguments need only their braces.
  if (isClosed) return { from: start + 1, to: start + json.trimEnd().length - 1 }
  return removable && { from: start + removable.from, to: wholeCharacter(raw, start + removable.to) }
}

function middleOf(raw: string, start: number, end: number): Part | undefined {
  const from = wholeCharacter(raw, start + keptAtStart)
  const to = wholeCharacter(raw, end - keptCharacters)
  return to - from > keptCharacters ? { from, to } : undefined
}

/** Returns the text of an open string at the end of the JSON; '' if there is none. */
function openStringOf(json: string): string {
  const { stringStart } = jsonProgress(json)
  if (stringStart < 0) return ''
  try {
    return JSON.parse(`"${json.slice(stringStart)}"`)
  } catch {
    return '' // ends inside an escape: the next reading does not
  }
}

/** Returns an index that does not split a surrogate pair. */
function wholeCharacter(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff ? index + 1 : index
}

function readsTheSame(whole: NativeParsedMessage, shorter: NativeParsedMessage, removed: number): boolean {
  if (!shorter.fits || shorter.isComplete !== whole.isComplete) return false
  const [before, after] = [whole.last, shorter.last]
  if (before === undefined || after === undefined || before.kind !== after.kind) return false
  if (before.end - after.end !== removed || before.start !== after.start) return false
  const inText = before.kind === 'text' ? removed : 0
  const inReasoning = before.kind === 'reasoning' ? removed : 0
  if (whole.content.length - shorter.content.length !== inText) return false
  if (whole.reasoning.length - shorter.reasoning.length !== inReasoning) return false
  if (whole.toolCalls.length !== shorter.toolCalls.length) return false
  return whole.toolCalls.every((call, index) => {
    const other = shorter.toolCalls[index]
    if (other === undefined || other.name !== call.name) return false
    const isLast = index === whole.toolCalls.length - 1
    const mayDiffer = isLast && (before.kind === 'arguments' || before.kind === 'string-argument')
    return mayDiffer ? other.arguments.length < call.arguments.length : other.arguments === call.arguments
  })
}
