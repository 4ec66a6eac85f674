/** Sections `[[webhooks]]` of the TOML file: addresses that get events of the service. */
import { suggestion } from '../core/nearest.ts'
import { isServiceEventType, type ServiceEventType, serviceEventTypes } from '../core/service-events.ts'
import type { Webhook } from '../core/webhook.ts'
import { ConfigError } from './kinds.ts'
import { isTable } from './prices.ts'

const fieldNames = ['url', 'events', 'secret', 'name']
/** Bytes of a key, as the Standard Webhooks specification allows. */
const secretBytes = { least: 24, most: 64 }
const secretRule = `"whsec_" and ${secretBytes.least} to ${secretBytes.most} bytes in base64: "whsec_" and the output of 'openssl rand -base64 32'`

/** Returns the variable with the secret of a webhook. It wins over the file. */
function secretVariable(name: string): string {
  return `INFERD_WEBHOOK_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_SECRET`
}

export const webhookSecretVariable = /^INFERD_WEBHOOK_\w+_SECRET$/

interface WebhookSource {
  readonly toml: unknown
  readonly file: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Reads the webhooks of the file. Throws ConfigError, which never quotes a secret or an address. */
export function readWebhooks({ toml, file, environment }: WebhookSource): readonly Webhook[] {
  if (!Array.isArray(toml) || !toml.every(isTable)) {
    throw new ConfigError(`${file}: webhooks must be tables that begin with [[webhooks]]`)
  }
  const webhooks = toml.map((table, index) => readWebhook(table, `${file}: [[webhooks]] ${index + 1}`, environment))
  for (const [index, { name }] of webhooks.entries()) {
    if (webhooks.findIndex((other) => other.name === name) === index) continue
    const where = `${file}: [[webhooks]] ${index + 1}`
    throw new ConfigError(`${where} has the name of another, "${name}": give it a name = "…" of its own`)
  }
  return Object.freeze(webhooks)
}

function readWebhook(
  table: Readonly<Record<string, unknown>>,
  where: string,
  environment: WebhookSource['environment'],
): Webhook {
  const unknown = Object.keys(table).find((name) => !fieldNames.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError(`${where}: unknown field "${unknown}"${suggestion(unknown, fieldNames)}`)
  }
  const { url } = table
  if (typeof url !== 'string' || !/^https?:\/\/[^\s/?#@]+([/?][^\s#]*)?$/.test(url) || !URL.canParse(url)) {
    throw new ConfigError(`${where}: url must be an address that begins with https:// or http://, without a user name`)
  }
  const name = table.name ?? new URL(url).hostname
  if (typeof name !== 'string' || !/^[\w.:[\]-]{1,64}$/.test(name)) {
    throw new ConfigError(`${where}: name must be up to 64 letters, digits, dots, hyphens and underscores`)
  }
  return Object.freeze({
    name,
    url,
    events: readEvents(table.events, where),
    secret: readSecret(table, name, where, environment),
  })
}

function readEvents(events: unknown, where: string): readonly ServiceEventType[] {
  if (events === undefined) return serviceEventTypes
  const isList = Array.isArray(events) && events.length > 0
  const named = isList ? events.map(String) : []
  const unknown = named.find((name) => !isServiceEventType(name))
  if (!isList || unknown !== undefined) {
    const hint = unknown === undefined ? '' : `, not "${unknown}"${suggestion(unknown, serviceEventTypes)}`
    throw new ConfigError(`${where}: events must be a list of these: ${serviceEventTypes.join(', ')}${hint}`)
  }
  return Object.freeze(named.filter(isServiceEventType))
}

function readSecret(
  { secret: written }: Readonly<Record<string, unknown>>,
  name: string,
  where: string,
  environment: WebhookSource['environment'],
): Uint8Array {
  const variable = secretVariable(name)
  const said = environment[variable] || written
  if (said === undefined)
    throw new ConfigError(`${where} needs a secret, there or in the variable ${variable}: ${secretRule}`)
  const [, base64] = typeof said === 'string' ? (/^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(said) ?? []) : []
  const secret = Buffer.from(base64 ?? '', 'base64')
  if (secret.length < secretBytes.least || secret.length > secretBytes.most) {
    throw new ConfigError(`${environment[variable] ? variable : `${where}: secret`} must be ${secretRule}`)
  }
  return secret
}
