import { expect, test } from 'bun:test'
import { readHeldOutPictures } from './held-out.ts'
import { type AskedQuestion, renderScores, scoreByKind } from './score.ts'

const asked = (kind: string, expected: string, ...answers: string[]): AskedQuestion => ({
  ...{ kind, expected, question: 'What is this?' },
  answers: new Map(answers.map((answer, index) => [`way ${index}`, answer])),
})

test('scores count by kind what is right, and what was answered differently', () => {
  const scores = scoreByKind([
    asked('word', 'It says "cat".', 'It says "cat".', 'It says "cat".'),
    asked('word', 'It says "dog".', 'It says "dot".', 'It says "dog".'),
    asked('count', 'There is 1 star.', 'There is 1 star.'),
  ])
  expect(scores).toEqual([
    { kind: 'count', questions: 1, right: 1, different: 0 },
    { kind: 'word', questions: 2, right: 1, different: 1 },
    { kind: 'all', questions: 3, right: 2, different: 1 },
  ])
  expect(renderScores(scores)).toContain('| word | 2 | 50 % | 1 |')
})

test('every held-out picture is a PNG or JPEG with questions', () => {
  const pictures = readHeldOutPictures()
  expect(pictures.length).toBeGreaterThanOrEqual(200)
  for (const { picture, questions } of pictures) {
    expect(picture).toMatch(/^data:image\/(png;base64,iVBORw0KGgo|jpeg;base64,\/9j\/)/)
    expect(questions.length).toBeGreaterThan(0)
    for (const { kind, question, answer } of questions) {
      expect(kind).not.toBe('')
      expect(question).not.toBe('')
      expect(answer).toMatch(/\.$/)
    }
  }
})
