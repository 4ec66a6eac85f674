/** Pages of other sites in a real browser, on a machine whose programs need no key: none of them can use a model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { startTestServer } from '../../src/testing/test-server.ts'
import { launchChromium } from '../testing/chromium.ts'

const server = startTestServer({ hasOllamaDoor: true, config: { servesKeyless: true } })
const { ollamaUrl = '' } = server
const { port } = new URL(ollamaUrl)
const html = () => new Response('<!doctype html><title>x</title>', { headers: { 'content-type': 'text/html' } })
const site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: html })

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium([
    // As a resolver answers that leads its names to the visitor's own machine.
    '--host-resolver-rules=MAP evil.example 127.0.0.1',
    // Later versions ask the user first. Who allows it must be as safe.
    '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
  ])
}, 60_000)
afterAll(async () => {
  await browser.close()
  await site.stop(true)
  await server[Symbol.asyncDispose]()
})

const body = JSON.stringify({ model: 'fake', stream: false, messages: [{ role: 'user', content: 'hi' }] })
const asks = ['/api/chat', '/v1/chat/completions']
const reads = ['/api/tags', '/api/version', '/v1/models']

/** Tries everything by which a page can send a request, and tells what it could read. */
async function attack({ base, body, asks, reads }: { base: string; body: string; asks: string[]; reads: string[] }) {
  const got: string[] = []
  const tryFetch = async (path: string, options: RequestInit) => {
    try {
      const response = await fetch(base + path, options)
      if (response.type !== 'opaque') got.push(`${path} ${response.status}`)
    } catch {
      // That is what is wanted.
    }
  }
  const element = (name: 'img' | 'script' | 'iframe', path: string) =>
    new Promise<void>((resolve) => {
      const made = document.createElement(name)
      made.onload = () => resolve()
      made.onerror = () => resolve()
      made.src = base + path
      document.body.append(made)
    })
  for (const path of asks) {
    const post = { method: 'POST', body }
    await tryFetch(path, { ...post, headers: { 'content-type': 'application/json' } })
    await tryFetch(path, { ...post, headers: { authorization: 'Bearer ' } })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      await tryFetch(path, { ...post, headers: { 'content-type': type } })
      await tryFetch(path, { ...post, headers: { 'content-type': type }, mode: 'no-cors', credentials: 'include' })
    }
    navigator.sendBeacon(base + path, body)
    await new Promise<void>((resolve) => {
      const frame = document.createElement('iframe')
      frame.name = `frame${path}`
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', enctype: 'text/plain', action: base + path, target: frame.name })
      const field = document.createElement('input')
      // Name and value are sent with a = between them: JSON with a string around it.
      Object.assign(field, { name: `${body.slice(0, -1)},"x":"`, value: '"}' })
      form.append(field)
      document.body.append(frame, form)
      frame.onload = () => resolve()
      form.submit()
    })
  }
  for (const path of reads) {
    await tryFetch(path, {})
    await tryFetch(path, { mode: 'no-cors' })
    await element('img', path)
    await element('script', path)
    await element('iframe', path)
    await new Promise<void>((resolve) => {
      const source = new EventSource(base + path)
      source.onerror = () => {
        source.close()
        resolve()
      }
    })
  }
  return got
}

/** What a page at an address could read, and the statuses by which its requests were answered. */
async function attackFrom(address: string, base: string) {
  const before = server.lines.length
  const context = await browser.newContext()
  const page = await context.newPage()
  // The attacker's own server has answered this one, before the name led here.
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }))
  await page.goto(address)
  const got = await page.evaluate(attack, { base, body, asks, reads })
  await server.drained()
  await context.close()
  const lines = server.lines.slice(before).filter(({ path }) => path !== '/v1/models')
  return { got, answers: [...new Set(lines.map(({ method, status }) => `${method} ${status}`))].sort(), lines }
}

test.each([
  ['of another site', `http://evil.example:${site.port}/`],
  ['of another port of this machine', `http://127.0.0.1:${site.port}/`],
  ['of the main port’s name', `http://localhost:${new URL(server.url).port}/x`],
])('A page %s asks no model and reads nothing.', async (_, address) => {
  const { got, answers, lines } = await attackFrom(address, ollamaUrl)
  expect(got).toEqual([])
  // Preflights, which allow nothing; all else is refused. An empty key is announced like any, and is none.
  expect(answers.filter((answer) => !answer.startsWith('OPTIONS'))).toEqual(['GET 403', 'POST 403'])
  expect(lines.length).toBeGreaterThan(20)
  expect(server.stores.usage.list({ accountId: server.accountId })).toEqual([])
})

test('A page whose name is led to this machine asks no model.', async () => {
  const name = `http://evil.example:${port}`
  const { got, answers, lines } = await attackFrom(`${name}/page`, name)
  expect(answers).toEqual(['GET 421', 'POST 421'])
  expect(lines.length).toBeGreaterThan(20)
  // What is public anyway.
  expect([...new Set(got.filter((answer) => answer.endsWith(' 200')))]).toEqual(['/v1/models 200'])
  expect(server.stores.usage.list({ accountId: server.accountId })).toEqual([])
})

test('A program of this machine asks it without a key.', async () => {
  const response = await fetch(`${ollamaUrl}/api/chat`, { method: 'POST', body })
  expect(await response.json()).toMatchObject({ message: { content: 'hi' }, done: true })
  expect(server.stores.usage.list({ accountId: server.accountId })).toHaveLength(1)
})
