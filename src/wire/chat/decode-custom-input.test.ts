import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CustomInputDecoder, decodeCustomInput } from './decode-custom-input.ts'

function decodeInPieces(pieces: readonly string[]): string {
  const decoder = new CustomInputDecoder()
  return pieces.map((piece) => decoder.push(piece)).join('') + decoder.end()
}

test.each([
  ['{"input":"ls -la"}', 'ls -la'],
  [' {\n "input" : "a\\n\\"b\\" \\\\ \\/ \\t\\r\\b\\f"}', 'a\n"b" \\ / \t\r\b\f'],
  ['{"input":"\\ud83d\\ude00 \\u00e9"}', '😀 é'],
  ['{"input":"half \\ud83d end"}', 'half \ufffd end'],
  ['{"input":"\\ud83d"}', '\ufffd'],
  ['{"input":"a \\d pattern \\u12"}', 'a \\d pattern \\u12'],
  ['{"input":""}', ''],
  ['{"input":"first","more":1}', 'first'],
  ['{"reason":"why","input":"x\\ny"}', 'x\ny'],
  ['{"input":5}', '{"input":5}'],
  ['{"command":"ls"}', '{"command":"ls"}'],
  ['{}', ''],
  ['', ''],
  ['*** Begin Patch', '*** Begin Patch'],
  ['"just text"', '"just text"'],
  ['{ not json', '{ not json'],
  ['{"input":"cut in the mid', 'cut in the mid'],
  ['{"input":"cut \\u00', 'cut '],
  ['{"input":"cut \\ud83d', 'cut \ufffd'],
  ['{"inp', ''],
])('the input of %j is %j, whole and in pieces of one character', (argumentsText, input) => {
  expect(decodeCustomInput(argumentsText)).toBe(input)
  expect(decodeInPieces([...argumentsText])).toBe(input)
  expect(decodeInPieces(argumentsText.split(''))).toBe(input)
})

test('every text comes back, wherever its arguments are cut into pieces', () => {
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 })
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), cuts, (input, isAscii, at) => {
      const json = JSON.stringify({ input })
      const text = isAscii
        ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json
      const places = [0, ...at.filter((place) => place < text.length).toSorted((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
      expect(decodeInPieces(pieces)).toBe(input.toWellFormed())
    }),
    { numRuns: 500 },
  )
})

test('the input is given out as it comes', () => {
  const decoder = new CustomInputDecoder()
  expect(['{"in', 'put":"he', 'llo', ' \\', 'n', '"}'].map((piece) => decoder.push(piece))).toEqual([
    '',
    'he',
    'llo',
    ' ',
    '\n',
    '',
  ])
})

test('white space without end is not searched again and again', () => {
  const decoder = new CustomInputDecoder()
  const startMs = performance.now()
  for (let piece = 0; piece < 50_000; piece++) decoder.push('\n')
  expect(decoder.end()).toBe('')
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

test('a long input in small pieces costs no more than its length', () => {
  const decoder = new CustomInputDecoder()
  decoder.push('{"input":"')
  let length = 0
  const startMs = performance.now()
  for (let piece = 0; piece < 200_000; piece++) length += decoder.push('word\\n').length
  expect(length).toBe(1_000_000)
  // Quadratic time would take minutes.
  expect(performance.now() - startMs).toBeLessThan(5_000)
})
