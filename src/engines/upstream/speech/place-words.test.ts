import { expect, test } from 'bun:test'
import type { TranscriptSegment } from '../../../core/speech.ts'
import { placeWords } from './place-words.ts'

const segment = (text: string, startSeconds: number): TranscriptSegment => ({
  type: 'segment',
  text,
  startSeconds,
  endSeconds: startSeconds + 1,
})
const words = (...texts: string[]) =>
  texts.map((text, at) => ({ text, startSeconds: at / 2, endSeconds: at / 2 + 0.4 }))

/** Returns each segment's words. Glued words are marked by a leading `_`. */
function placed(texts: readonly string[], ...heard: string[]): string[] {
  const segments = placeWords(texts.map(segment), words(...heard))
  return segments.map((each) => each.words.map(({ text, isGlued }) => (isGlued === true ? `_${text}` : text)).join(' '))
}

test('words that the text consists of', () => {
  expect(placed(['Hello there.', 'How are you?'], 'Hello', 'there.', 'How', 'are', 'you?')).toEqual([
    'Hello there.',
    'How are you?',
  ])
})

test('signs that a server leaves out of its words belong to the word before', () => {
  expect(placed(['“Hello,” he – said.', 'Yes!'], 'hello', 'He', 'said', 'yes')).toEqual(['“Hello,” he – said.', 'Yes!'])
})

test('words without spaces between them', () => {
  expect(placed(['他说：好。'], '他', '说：', '好。')).toEqual(['他 _说： _好。'])
  expect(placed(['コーヒー OK'], 'コ', 'ー', 'ヒ', 'ー', 'OK')).toEqual(['コ _ー _ヒ _ー OK'])
})

test('a word that the text has twice', () => {
  expect(placed(['no no', 'no'], 'no', 'no', 'no')).toEqual(['no no', 'no'])
})

test('words that are not the text go where their time is', () => {
  expect(placed(['It costs $5.', 'Yes.'], 'it', 'costs', 'five', 'yes')).toEqual(['it costs', 'five yes'])
})

test('a segment without words is one word', () => {
  const [first, second] = placeWords([segment('a b', 0), segment('c', 9)], words('x'))
  expect(first?.words.map(({ text }) => text)).toEqual(['x'])
  expect(second?.words).toEqual([{ text: 'c', startSeconds: 9, endSeconds: 10 }])
})
