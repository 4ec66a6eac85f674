import { printable } from '../../core/printable.ts'
import type { ApiClient } from '../api-client.ts'
import { showElapsed } from '../show-elapsed.ts'
import { type AnswerEnd, type AnswerPiece, answerPieces } from './answer-pieces.ts'
import { MarkdownStream } from './markdown-stream.ts'
import { faint } from './styled-words.ts'
import { WordWrap } from './word-wrap.ts'

interface AnswerScreen {
  readonly write: (text: string) => void
  /** Returns the width in columns. Undefined without a terminal: the answer is written as it is, without thoughts. */
  readonly width: () => number | undefined
  /** True to show Markdown as styles. */
  readonly isStyled: boolean
  /** Replaces the last line, on which a long wait is shown. Undefined without a terminal. */
  readonly redraw: ((line: string) => void) | undefined
}

export interface ShownAnswer {
  /** Text without thoughts. */
  readonly text: string
  /** Undefined if it was stopped. */
  readonly end: AnswerEnd | undefined
  readonly firstMs: number
  readonly totalMs: number
}

/** Milliseconds until a wait for the first word is shown. */
const quietMs = 500

/** Writes an answer as it comes. The signal stops it. Throws CommandError if it fails. */
export async function showAnswer(
  api: ApiClient,
  body: object,
  { screen, signal }: { readonly screen: AnswerScreen; readonly signal: AbortSignal },
): Promise<ShownAnswer> {
  const startedMs = performance.now()
  const view = viewOf(screen)
  let text = ''
  let firstMs: number | undefined
  let end: AnswerEnd | undefined
  try {
    const pieces = answerPieces(api, body, signal)
    for (;;) {
      const next = pieces.next()
      const { value, done } = await (firstMs === undefined ? showElapsed(screen, 'Waiting', next, quietMs) : next)
      if (done) {
        end = value
        break
      }
      firstMs ??= performance.now() - startedMs
      if (value.kind === 'text') text += value.text
      screen.write(view.add(value))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    screen.write(view.end())
  }
  const totalMs = performance.now() - startedMs
  return { text, end, firstMs: firstMs ?? totalMs, totalMs }
}

/** Width of a terminal that does not tell it. */
const usualColumns = 80

interface View {
  add(piece: AnswerPiece): string
  end(): string
}

function viewOf({ width: ask, isStyled }: AnswerScreen): View {
  if (ask() === undefined) return plainView()
  const width = () => ask() || usualColumns
  if (!isStyled) return terminalView(width, { answer: wrapped(width), toThought: (text) => text })
  return terminalView(width, { answer: new MarkdownStream(width), toThought: faint })
}

/** Writes the text alone, with a line end at its end. */
function plainView(): View {
  let last = ''
  return {
    add: ({ kind, text }) => {
      if (kind === 'thought') return ''
      last = text.slice(-1) || last
      return text
    },
    end: () => (last === '' || last === '\n' ? '' : '\n'),
  }
}

type Words = Pick<MarkdownStream, 'add' | 'end'>

interface Parts {
  readonly answer: Words
  readonly toThought: (text: string) => string
}

/** Shows thoughts before the answer. */
function terminalView(width: () => number, { answer, toThought }: Parts): View {
  let thoughts: Words | undefined
  const endThoughts = () => {
    const rest = thoughts === undefined ? '' : `${toThought(thoughts.end().trimEnd())}\n\n`
    thoughts = undefined
    return rest
  }
  return {
    add: ({ kind, text }) => {
      if (kind === 'text') return endThoughts() + answer.add(text)
      thoughts ??= wrapped(width)
      const words = thoughts.add(text)
      return words === '' ? '' : toThought(words)
    },
    end: () => endThoughts() + answer.end(),
  }
}

/** Breaks lines between words, without styles. */
function wrapped(width: () => number): Words {
  const wrap = new WordWrap(width)
  let word = ''
  return {
    add: (piece) => {
      const text = word + printable(piece)
      const [complete = ''] = /^.*\s/s.exec(text) ?? []
      word = text.slice(complete.length)
      return wrap.write(complete)
    },
    end: () => wrap.write(`${word}\n`),
  }
}

/** Returns the figures of an answer in one line. */
export function figuresText({ end, firstMs, totalMs }: ShownAnswer): string {
  if (end === undefined) return 'stopped'
  const { promptTokens, completionTokens, finish } = end
  const seconds = (totalMs - firstMs) / 1000
  const rate = seconds > 0 ? [`${(completionTokens / seconds).toFixed(1)} tokens/s`] : []
  const parts = [
    `${promptTokens} tokens read`,
    `${completionTokens} written`,
    `first after ${(firstMs / 1000).toFixed(2)} s`,
    ...rate,
    ...(finish === 'length' ? ['ended at its greatest length'] : []),
  ]
  return parts.join(', ')
}
