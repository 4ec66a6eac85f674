import { expect, test } from 'bun:test'
import { providerSettings, startScriptedProvider } from '../../testing/scripted-provider.ts'
import { identityFindings } from './identity-check.ts'

test('each identity provider is asked for its description', async () => {
  using provider = await startScriptedProvider()
  const good = providerSettings({ issuer: provider.issuer, name: 'good' })
  const wrong = providerSettings({ issuer: `${provider.issuer}/none`, name: 'wrong' })
  const blind = providerSettings({ issuer: provider.issuer, name: 'blind', ca: '/none/ca.pem' })
  expect(await identityFindings([good, wrong, blind])).toMatchObject([
    { verdict: 'ok', text: 'the identity provider good answers' },
    { verdict: 'bad', text: expect.stringContaining('OAUTH_RESPONSE_IS_NOT_CONFORM') },
    { verdict: 'bad', text: expect.stringContaining('ENOENT') },
  ])
})
