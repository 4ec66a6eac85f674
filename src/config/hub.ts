/** Source of pulled models, from variables that other tools of the hub read too. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { errorText } from '../core/error-text.ts'
import { ConfigError } from './kinds.ts'
import type { ConfigSources } from './sources.ts'

interface HubConfig {
  /** Base address of the hub without a final slash. */
  readonly endpoint: string
  /** Token for private and gated repositories. A secret. */
  readonly token: string | undefined
}

export const defaultHub = 'https://huggingface.co'

/** Reads `HF_ENDPOINT`, and `HF_TOKEN` or the file `$HF_HOME/token`. Throws ConfigError. */
export function hubConfig({ HF_ENDPOINT, HF_TOKEN, HF_HOME }: ConfigSources['environment']): HubConfig {
  const endpoint = (HF_ENDPOINT || defaultHub).replace(/\/+$/, '')
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(endpoint) || !URL.canParse(endpoint))
    // Omits the value, which may hold a password.
    throw new ConfigError(
      'HF_ENDPOINT must be an address that begins with http:// or https://, without a user name or a query',
    )
  const token = (HF_TOKEN || tokenFile(HF_HOME || join(homedir(), '.cache', 'huggingface'))).trim()
  if (!/^[\x21-\x7e]{0,500}$/.test(token)) throw new ConfigError('HF_TOKEN, or the file token in HF_HOME, is no token')
  return { endpoint, token: token === '' ? undefined : token }
}

function tokenFile(folder: string): string {
  try {
    return readFileSync(join(folder, 'token'), 'utf8')
  } catch {
    return '' // the usual case: there is none
  }
}

/** Reads the file of certificates (PEM) that a setting names. Throws ConfigError. */
export function readCertificates(setting: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting}: ${errorText(error)}`)
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new ConfigError(`${setting}: ${path} holds no certificates in PEM`)
}
