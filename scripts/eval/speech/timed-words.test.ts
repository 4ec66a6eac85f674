import { expect, test } from 'bun:test'
import { type TimedWord, timedWordErrors } from './timed-words.ts'

/** Returns words from text such as `A hello 0-1, B world 1-2`. */
function words(text: string): TimedWord[] {
  return [...text.matchAll(/(\S+) (\S+) ([\d.]+)-([\d.]+)/g)].map(([, speaker = '', text = '', start, end]) => ({
    ...{ speaker, text },
    startSeconds: Number(start),
    endSeconds: Number(end),
  }))
}

test('times are compared of words that were understood', () => {
  const errors = timedWordErrors(
    words('A good 0-1, A old 1-2, A day 2-3'),
    words('A Good 0.5-1, A cold 1-2, A day. 1.75-3.5'),
  )
  expect(errors).toMatchObject({ substitutions: 1, words: 3, rightSpeakers: 2 })
  expect(errors.startErrorsSeconds).toEqual([0.5, 0.25])
  expect(errors.endErrorsSeconds).toEqual([0, 0.5])
})

test('speakers are matched by when they speak, whatever their labels are', () => {
  const said = words('A one 0-1, A two 1-2, B three 2-3, B four 3-4, A five 4-5')
  const heard = words('B one 0-1, B two 1-2, A three 2-3, A four 3-4, A five 4-5')
  expect(timedWordErrors(said, heard).rightSpeakers).toBe(4)
})

test('words that overlap are compared in the order of their starts', () => {
  const said = words('A one 0-1, A two 1-2, B yes 0.5-0.8')
  const heard = words('S one 0-1, T yes 0.5-0.8, S two 1-2')
  expect(timedWordErrors(said, heard)).toMatchObject({ substitutions: 0, rightSpeakers: 3 })
})

test('a number of several words has a speaker but no times of its words', () => {
  const errors = timedWordErrors(words('A twenty 0-1, A one 1-2'), words('A 21 0-2'))
  expect(errors).toMatchObject({ deletions: 0, rightSpeakers: 2, startErrorsSeconds: [] })
})
