import { afterAll, expect, test } from 'bun:test'
import { fakeSearxng } from '../../testing/fake-searxng.ts'
import { searchFinding } from './search-check.ts'

const searxng = fakeSearxng()
afterAll(() => searxng[Symbol.asyncDispose]())

test('a search server that answers in JSON is sound, and so is none', async () => {
  expect(await searchFinding(searxng.url)).toEqual({ verdict: 'ok', text: 'the search server answers in JSON' })
  expect(await searchFinding(undefined)).toMatchObject({ verdict: 'ok' })
})

test.each([
  [403, 'formats'],
  [404, 'search-url'],
])('its status %i says what to do', async (status, advice) => {
  searxng.answer = () => new Response('', { status })
  expect(await searchFinding(searxng.url)).toMatchObject({
    verdict: 'bad',
    text: `the search server answers with the status ${status}`,
    advice: expect.stringContaining(advice),
  })
})

test('a server that answers otherwise is bad', async () => {
  searxng.answer = () => new Response('<html>')
  expect(await searchFinding(searxng.url)).toMatchObject({ verdict: 'bad', text: expect.stringContaining('JSON') })
})
