import { describe, expect, test } from 'bun:test'
import { hashPassword, passwordProblem, verifyPassword } from './passwords.ts'

describe('a password', () => {
  test.each([
    ['1234567', 'have 8 to 200 characters'],
    ['x'.repeat(201), 'have 8 to 200 characters'],
    ['Password1', 'not be one that everybody tries first'],
    ['ada@example.org', 'not be one that everybody tries first'],
    ['countess-of-l', undefined],
    ['ünïcödé!', undefined],
    ['🔑🔑🔑🔑🔑🔑🔑', 'have 8 to 200 characters'],
  ])('%p', (password, problem) => {
    expect(passwordProblem(password, 'ada@example.org')).toBe(problem)
  })
})

test('only the right password fits a hash, and none fits where there is no hash', async () => {
  const hash = await hashPassword('correct horse')
  expect(hash).toStartWith('$argon2id$')
  expect(hash).not.toContain('correct')
  expect(await verifyPassword('correct horse', hash)).toBe(true)
  expect(await verifyPassword('correct horsf', hash)).toBe(false)
  expect(await verifyPassword('correct horse', undefined)).toBe(false)
})

test('many at once all get their turn', async () => {
  const hash = await hashPassword('correct horse')
  const verdicts = await Promise.all(
    ['correct horse', 'a', 'b', 'correct horse', 'c'].map((password) => verifyPassword(password, hash)),
  )
  expect(verdicts).toEqual([true, false, false, true, false])
})
