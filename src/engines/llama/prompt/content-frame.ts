/** Marks of a format around text, none in most. Found by asking its parser. */
import { textContent } from '../../../core/content.ts'
import type { NativeChatFormat, NativeModel } from '../native.ts'
import { renderExample } from './template-messages.ts'
import { thinkingInPrompt } from './thinking.ts'

export interface ContentFrame {
  /** Mark before the text. */
  readonly open: string
  /** Optional mark after the text. */
  readonly close: string
}

const sample = '{"a":1}'
const longestMark = 80

/**
 * Returns the marks around an earlier answer's text in the rendered prompt, if the parser accepts text in them and none
 * without. If it accepts neither, the text is written bare.
 */
export async function contentFrame(
  model: Pick<NativeModel, 'applyTemplate'>,
  format: NativeChatFormat,
): Promise<ContentFrame> {
  const before = thinkingInPrompt(format) === 'open' ? (format.thinkingEndTags[0] ?? '') : ''
  const takes = (open: string, close = '') => {
    const message = format.parse(before + open + sample + close)
    return message.fits && message.content === sample && (close === '' || message.isComplete)
  }
  const bare = { open: '', close: '' }
  if (takes('')) return bare
  const around = await renderedAround(model)
  if (around === undefined) return bare
  const open = shortest(around.before.length, (length) => around.before.slice(-length), takes)
  if (open === undefined) return bare
  const close = shortest(
    around.after.length,
    (length) => around.after.slice(0, length),
    (text) => takes(open, text),
  )
  return { open, close: close ?? '' }
}

/** Returns the text around an answer in a rendered conversation. */
async function renderedAround(model: Pick<NativeModel, 'applyTemplate'>) {
  const { prompt } = await renderExample(model, [
    { role: 'user', content: textContent('Hi') },
    { role: 'assistant', content: textContent(sample) },
  ])
  const at = prompt.lastIndexOf(sample)
  return at < 0 ? undefined : { before: prompt.slice(0, at), after: prompt.slice(at + sample.length) }
}

function shortest(length: number, part: (length: number) => string, takes: (text: string) => boolean) {
  for (let size = 1; size <= Math.min(length, longestMark); size++) if (takes(part(size))) return part(size)
  return undefined
}
