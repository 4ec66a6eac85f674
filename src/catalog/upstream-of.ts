/** Servers in a manifest's table [upstream]. Problems are reported without quoting possible secrets. */
import { dirname, resolve } from 'node:path'
import type { ModelManifest } from '../core/model.ts'
import { tomlKey } from '../core/setting.ts'
import { defaultMaxConcurrent, type UpstreamKey, type UpstreamServers } from '../core/upstream.ts'
import { flavors } from '../engines/upstream/flavors.ts'
import type { ManifestToml } from './manifest-schema.ts'

type UpstreamToml = NonNullable<ManifestToml['upstream']>

const keyForms = '{ file = "upstream.key" } or { variable = "NAME_OF_A_VARIABLE" }'

/** Returns the servers, or the problem with the table. */
export function toUpstreamServers({
  flavor,
  model,
  endpoints,
  key,
  max_concurrent,
}: UpstreamToml): UpstreamServers | string {
  const urls = readEndpoints(endpoints)
  if (typeof urls === 'string') return urls
  const readKey = key === undefined ? undefined : toKey(key)
  if (typeof readKey === 'string') return readKey
  return { flavor, model, endpoints: urls, key: readKey, maxConcurrent: max_concurrent ?? defaultMaxConcurrent }
}

/** Returns the fields of [upstream] that are settings of the engine. */
export function upstreamSettingsOf(toml: UpstreamToml): Record<string, unknown> {
  const { flavor, model, endpoints, key, max_concurrent, ...settings } = toml
  return settings
}

/** Returns the table from which `toUpstreamServers` reads the same servers. */
export function upstreamToToml({ lacks, ...servers }: UpstreamServers): object {
  return Object.fromEntries(Object.entries(servers).map(([name, value]) => [tomlKey(name), value]))
}

/** Returns the manifest with an absolute path to its key file, which is relative to the manifest's folder. */
export function withKeyFileOf(manifest: ModelManifest, manifestFile: string): ModelManifest {
  const { upstream } = manifest
  if (upstream?.key === undefined || !('file' in upstream.key)) return manifest
  const file = resolve(dirname(manifestFile), upstream.key.file)
  return { ...manifest, upstream: { ...upstream, key: { file } } }
}

/** Returns the conflict between the table and other fields; undefined if none. */
export function upstreamProblem({ engine, type, upstream, files, capabilities }: ModelManifest): string | undefined {
  if (engine !== 'upstream') return undefined
  if (upstream === undefined)
    return 'engine "upstream" needs a table "upstream" with flavor, model and endpoints: the servers that serve the model'
  if (files.length > 0)
    return 'engine "upstream" has no "files": its model lies with the servers of the table "upstream"'
  const { types, isInferd } = flavors[upstream.flavor]
  if (!types.includes(type))
    return `servers of flavor "${upstream.flavor}" have no models of type "${type}", but of ${types.join(', ')}`
  if (capabilities.diarization === true && !isInferd)
    return '"capabilities.diarization" of engine "upstream" is for flavor "inferd": no other server labels speakers'
  return undefined
}

function readEndpoints(endpoints: unknown): readonly string[] | string {
  if (!Array.isArray(endpoints) || endpoints.length === 0 || endpoints.length > 256)
    return '"upstream.endpoints" must be a list of 1 to 256 URLs such as "http://10.0.0.5:8000/v1"'
  const urls: string[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    const read = readEndpoint(endpoint)
    if ('problem' in read) return `"upstream.endpoints[${index}]" ${read.problem}`
    if (urls.includes(read.url))
      return `"upstream.endpoints[${index}]" is the same as endpoints[${urls.indexOf(read.url)}]`
    urls.push(read.url)
  }
  return urls
}

/** Endpoint paths that documentation shows after a base URL. */
const calls =
  /\/(chat\/completions|completions|responses|messages|models|embeddings|rerank|audio\/(speech|transcriptions)|images\/generations|moderations)$/

function readEndpoint(endpoint: unknown): { readonly url: string } | { readonly problem: string } {
  const needed = 'must be a URL such as "http://10.0.0.5:8000/v1"'
  if (typeof endpoint !== 'string' || endpoint.length > 2000 || /[\s\p{Cc}]/u.test(endpoint) || !URL.canParse(endpoint))
    return { problem: needed }
  const url = new URL(endpoint)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { problem: `${needed}: http or https` }
  if (url.username !== '' || url.password !== '')
    return { problem: `has a user or a password: a key is named by "upstream.key", as ${keyForms}` }
  if (/[?#]/.test(endpoint)) return { problem: `${needed}, without a query or a fragment` }
  const base = url.href.replace(/\/+$/, '')
  const [call] = calls.exec(base) ?? []
  if (call === undefined) return { url: base }
  const shown = JSON.stringify(base.slice(0, -call.length))
  return { problem: `must be the URL that all calls have in common, without "${call}": ${shown}` }
}

function toKey(key: unknown): UpstreamKey | string {
  if (typeof key === 'string')
    return `"upstream.key" must not be the key itself: put it into a file that only the server can read, and write ${keyForms}`
  const wrong = `"upstream.key" must be ${keyForms}`
  if (typeof key !== 'object' || key === null || Object.keys(key).length !== 1) return wrong
  if ('file' in key && typeof key.file === 'string' && /^[^\0]{1,4000}$/s.test(key.file)) return { file: key.file }
  if (!('variable' in key) || typeof key.variable !== 'string') return wrong
  if (/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(key.variable)) return { variable: key.variable }
  return '"upstream.key.variable" must be the name of an environment variable: letters, digits and _'
}
