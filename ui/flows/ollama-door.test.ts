/** Pages of other sites in a real browser, on a machine whose programs need no key: none of them can use a model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../testing/chromium.ts'
import { Inferd } from '../testing/inferd.ts'

const inferd = new Inferd()
const html = () => new Response('<!doctype html><title>x</title>', { headers: { 'content-type': 'text/html' } })
const site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: html })

let browser: Browser
beforeAll(async () => {
  const chromium = launchChromium([
    // Acts like a resolver that points its names to the visitor's own machine.
    '--host-resolver-rules=MAP evil.example 127.0.0.1',
    // Later versions of Chromium ask the user first. Users who agree must be just as safe.
    '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
  ])
  const flags = ['--ollama-port', '0', '--ollama-keyless', '--log-format', 'json']
  ;[browser] = await Promise.all([chromium, inferd.start(flags)])
}, 60_000)
afterAll(async () => {
  await browser.close()
  await site.stop(true)
  await inferd[Symbol.asyncDispose]()
})

const chat = { model: 'inferd/starter-chat', stream: false, messages: [{ role: 'user', content: 'hi' }], max_tokens: 3 }
const body = JSON.stringify(chat)
const asks = ['/api/chat', '/v1/chat/completions']
const reads = ['/api/tags', '/api/version', '/v1/models']

/** Tries all ways in which a page can send a request. Returns what it could read. */
async function attack({ base, body, asks, reads }: { base: string; body: string; asks: string[]; reads: string[] }) {
  const got: string[] = []
  const tryFetch = async (path: string, options: RequestInit) => {
    try {
      const response = await fetch(base + path, options)
      if (response.type !== 'opaque') got.push(`${path} ${response.status}`)
    } catch {
      // Failing is the wanted outcome.
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
      // The form joins name and value with =, so that the whole is JSON with a string around the =.
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

/** Returns what a page at an address could read. */
async function attackFrom(address: string, base: string): Promise<string[]> {
  const context = await browser.newContext()
  const page = await context.newPage()
  // This answer is the attacker's own server's, from before the name pointed here. Other addresses get no route,
  // because with one the browser sends no preflights.
  if (address.startsWith(base))
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }))
  await page.goto(address)
  const got = await page.evaluate(attack, { base, body, asks, reads })
  await context.close()
  return got
}

test('A page of another site, or of another port of this machine, reads nothing.', async () => {
  for (const host of ['evil.example', '127.0.0.1', 'localhost'])
    expect(await attackFrom(`http://${host}:${site.port}/`, inferd.ollamaUrl)).toEqual([])
})

test('A page whose name is led to this machine reads what is public anyway.', async () => {
  const name = `http://evil.example:${new URL(inferd.ollamaUrl).port}`
  const got = await attackFrom(`${name}/x`, name)
  expect([...new Set(got)].sort()).toEqual([
    ...['/api/chat 421', '/api/tags 421', '/api/version 421', '/v1/chat/completions 421', '/v1/models 200'],
  ])
})

test('Of all that, no request was served; that of a program is.', async () => {
  const options = { num_predict: 3 }
  const response = await fetch(`${inferd.ollamaUrl}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ ...chat, options }),
  })
  expect(await response.json()).toMatchObject({ done: true, eval_count: expect.any(Number) })
  const lines: { path?: string; method?: string; status?: number }[] = (await inferd.stop())
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const answers = lines.flatMap(({ path = '', method, status }) =>
    /^\/(api|v1\/chat)/.test(path) ? `${method} ${status}` : [],
  )
  const served = ['GET 403', 'GET 421', 'OPTIONS 204', 'POST 200', 'POST 403', 'POST 421']
  expect([...new Set(answers)].sort()).toEqual(served)
  expect(answers.filter((answer) => answer === 'POST 200')).toHaveLength(1)
  expect(answers.length).toBeGreaterThan(80)
})
