import { expect, test } from 'bun:test'
import { type Guess, PasswordGuesses } from './attempt-limits.ts'
import { OperationError, type Problem } from './problem.ts'

/** Guesses wrongly until a guess is refused, and returns the number of guesses before it. */
function guessesUntilRefused(guesses: PasswordGuesses, guess: (index: number) => Guess): number {
  for (let index = 0; ; index++) {
    try {
      guesses.begin(guess(index))
    } catch (error) {
      if (error instanceof OperationError && error.problem.code === 'too_many_attempts') return index
      throw error
    }
  }
}

const from = (network: string, account = 'ada@example.org'): Guess => ({ account, network })

test('a network is refused after ten guesses at an account, and others are not', () => {
  let nowMs = 0
  const guesses = new PasswordGuesses(() => nowMs)
  expect(guessesUntilRefused(guesses, () => from('203.0.113.1'))).toBe(10)
  guesses.begin(from('198.51.100.1'))
  nowMs += 15 * 60_000
  guesses.begin(from('203.0.113.1'))
})

test('a network is refused after thirty guesses at any accounts', () => {
  const guesses = new PasswordGuesses(() => 0)
  expect(guessesUntilRefused(guesses, (index) => from('203.0.113.1', `p${index}@example.org`))).toBe(30)
})

test('many networks together have two hundred guesses an hour at one account', () => {
  let nowMs = 0
  const guesses = new PasswordGuesses(() => nowMs)
  expect(guessesUntilRefused(guesses, (index) => from(`203.0.113.${index % 100}`))).toBe(200)
  const problem: Problem = { code: 'too_many_attempts', retryAfterSeconds: 3600, hasOtherWay: true }
  expect(() => guesses.begin(from('198.51.100.1'))).toThrow(expect.objectContaining({ problem }))
  guesses.begin(from('198.51.100.1', 'bob@example.org'))
  nowMs += 60 * 60_000
  guesses.begin(from('198.51.100.1'))
})

test('guesses of a refused network are not counted against the account', () => {
  const guesses = new PasswordGuesses(() => 0)
  for (let times = 0; times < 300; times++)
    expect(() => guessesUntilRefused(guesses, () => from('203.0.113.1'))).not.toThrow()
  guesses.begin(from('198.51.100.1'))
})

test('right ones are not counted', () => {
  const guesses = new PasswordGuesses(() => 0)
  for (let times = 0; times < 1_000; times++) guesses.begin(from('203.0.113.1'))()
})
