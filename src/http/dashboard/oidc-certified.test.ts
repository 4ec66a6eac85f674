import { expect, test } from 'bun:test'
import { certifiedClient, startCertifiedProvider } from '../../testing/certified-provider.ts'
import { providerSettings } from '../../testing/scripted-provider.ts'
import { TestBrowser } from '../../testing/test-browser.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'

const ada = { email: 'ada@example.org', email_verified: true, name: 'Ada', groups: ['staff'] }

async function open() {
  const provider = await startCertifiedProvider()
  provider.people.set('ada', ada)
  const settings = providerSettings({
    ...certifiedClient,
    issuer: provider.issuer,
    allowedGroups: ['staff'],
    roles: new Map([['auditor', ['revision']]]),
  })
  const server = startTestServer({ providers: new Map([[settings.name, settings]]) })
  provider.serve(server.url)
  return { provider, server }
}

/** Opens the sign-in, as a person at the provider if given. Returns the last address. */
async function signIn(browser: TestBrowser, server: TestServer, person?: string): Promise<string> {
  const isOver = (url: string) => url.startsWith(`${server.url}/dashboard`)
  const { url } = await browser.follow(`${server.url}/oidc/start/company`, isOver)
  if (person === undefined || isOver(url)) return url
  return (await browser.follow(`${url}?as=${person}`, isOver)).url
}

test('a certified provider signs in, changes groups, is not asked again, and ends sessions by itself', async () => {
  const { provider, server } = await open()
  const browser = new TestBrowser()
  const session = () => server.stores.sessions.find(browser.cookies.get('inferd_session') ?? '')
  try {
    expect(await signIn(browser, server, 'ada')).toBe(`${server.url}/dashboard`)
    expect(session()).toMatchObject({ role: 'member', provider: 'company' })
    const id = session()?.accountId ?? ''
    expect(server.stores.accounts.find(id)).toMatchObject({ email: 'ada@example.org', name: 'Ada' })

    // The provider remembers the person, and says what groups they have now.
    provider.people.set('ada', { ...ada, groups: ['staff', 'revision'] })
    expect(await signIn(browser, server)).toBe(`${server.url}/dashboard`)
    expect(session()).toMatchObject({ accountId: id, role: 'auditor' })

    // Another client, or the person, signs out at the provider: it tells us.
    const end = await browser.open(`${provider.issuer}/session/end?client_id=inferd`)
    const form = await end.text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? ''
    await fetch(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    })
    await server.line(({ path }) => path === '/oidc/logout/company')
    expect(session()).toBeUndefined()
  } finally {
    await server[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  }
})

test('a certified provider refuses a code a second time, and a person that it does not know', async () => {
  const { provider, server } = await open()
  const browser = new TestBrowser()
  try {
    const isCallback = (url: string) => url.startsWith(`${server.url}/oidc/callback`)
    const { url } = await browser.follow(`${server.url}/oidc/start/company`)
    const { url: callback } = await browser.follow(`${url}?as=ada`, isCallback)
    expect((await browser.open(callback)).status).toBe(303)
    // With a new state, the same code.
    const again = new URL((await browser.follow(`${server.url}/oidc/start/company`, isCallback)).url)
    again.searchParams.set('code', new URL(callback).searchParams.get('code') ?? '')
    const replayed = await browser.open(again.href)
    expect([replayed.status, await replayed.text()]).toEqual([401, expect.stringContaining('(invalid_grant)')])

    provider.people.delete('ada')
    const stranger = new TestBrowser()
    expect(await signIn(stranger, server, 'ada')).not.toStartWith(server.url)
    expect(stranger.cookies.has('inferd_session')).toBe(false)
  } finally {
    await server[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  }
})
