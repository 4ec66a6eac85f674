import { expect, test } from 'bun:test'
import { serviceEventTypes } from '../core/service-events.ts'
import { loadConfig } from './config.ts'
import { ConfigError } from './kinds.ts'
import { variableWarnings } from './sources.ts'

const key = Buffer.from('a key of thirty-two bytes, truly')
const secret = `whsec_${key.toString('base64')}`

function webhooksOf(fileText: string, environment: Record<string, string> = {}) {
  return loadConfig({ flags: { data: '/nowhere/inferd' }, environment, fileText }).webhooks
}

test('a webhook is named by its host and gets all events, where nothing else is said', () => {
  const [webhook] = webhooksOf(`[[webhooks]]\nurl = "https://hooks.example.org/a?b=c"\nsecret = "${secret}"`)
  expect(webhook).toMatchObject({ name: 'hooks.example.org', url: 'https://hooks.example.org/a?b=c' })
  expect(webhook?.events).toEqual(serviceEventTypes)
  expect(Buffer.from(webhook?.secret ?? [])).toEqual(key)
})

test('the variable with its secret wins over the file, and is no unknown variable', () => {
  const variables = { INFERD_WEBHOOK_TEAM_CHAT_SECRET: secret }
  const file = '[[webhooks]]\nname = "team-chat"\nurl = "http://10.0.0.7/x"\nevents = ["model.failed"]\nsecret = "old"'
  expect(webhooksOf(file, variables)).toMatchObject([{ name: 'team-chat', events: ['model.failed'] }])
  expect(variableWarnings(variables)).toEqual([])
})

const url = 'url = "https://a.example/hidden"'
test.each([
  ['[[webhooks]]\nsecret = "x"', 'url must be an address'],
  ['[[webhooks]]\nurl = "https://user:hidden@a.example/"', 'url must be an address'],
  ['[[webhooks]]\nurl = "ftp://a.example/hidden"', 'url must be an address'],
  [`[[webhooks]]\n${url}`, 'INFERD_WEBHOOK_A_EXAMPLE_SECRET'],
  [`[[webhooks]]\n${url}\nsecret = "whsec_hidden"`, 'secret must be "whsec_" and 24 to 64 bytes'],
  [`[[webhooks]]\n${url}\nsecret = 12`, 'secret must be'],
  [`[[webhooks]]\n${url}\nsecret = "${secret}"\nevents = ["model.fail"]`, 'did you mean "model.failed"'],
  [`[[webhooks]]\n${url}\nsecret = "${secret}"\nevents = []`, 'events must be a list'],
  [`[[webhooks]]\n${url}\nsecret = "${secret}"\nevent = []`, 'unknown field "event"'],
  [`[[webhooks]]\n${url}\nsecret = "${secret}"\n`.repeat(2), 'give it a name'],
  [`[webhooks]\n${url}`, 'begin with [[webhooks]]'],
])('%p is refused, without its address and secret', (file, reason) => {
  const refused = () => webhooksOf(file)
  expect(refused).toThrow(ConfigError)
  expect(refused).toThrow(reason)
  expect(refused).not.toThrow('hidden')
  expect(refused).not.toThrow(secret)
})
