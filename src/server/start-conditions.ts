/** Conditions of a start. Each throws StartError if it is not met. */

import { join } from 'node:path'
import { IdentityProviders } from '../accounts/oidc/identity-providers.ts'
import type { Teams } from '../accounts/teams.ts'
import type { Catalog, ResolvedModel } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import { readCertificates } from '../config/hub.ts'
import { isLoopback, type ListenAddress, listenProblem } from '../core/listen-address.ts'
import type { ModelType } from '../core/model.ts'
import { kindsOfWork } from '../core/work.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { createDataFolder } from '../db/private-file.ts'
import { type ServerLock, takeServerLock } from '../db/server-lock.ts'
import type { Door, HttpServer, ListenTls } from '../http/server.ts'
import type { Stores } from '../operations/stores.ts'

/** Time to wait for commands that run without a server, and hold its lock for some milliseconds. */
const commandGraceMs = 300

/** Error of a server that cannot start, with the next step for the operator. */
export class StartError extends Error {
  override name = 'StartError'
}

/** Error of a server whose data folder another process works on. */
export class FolderInUseError extends StartError {}

/** Locks the data folder. Requires that this user owns it. Throws FolderInUseError if another process has it. */
export function lockDataFolder(dataDir: string): ServerLock {
  checkFolderOwner(dataDir)
  createDataFolder(dataDir)
  const lock = takeServerLock(join(dataDir, 'server.lock'), { waitMs: commandGraceMs })
  if (lock !== undefined) return lock
  throw new FolderInUseError(`another inferd is serving ${dataDir}; stop it or give this one its own --data folder`)
}

/** Requires a usable key if other machines can reach the address. A first start makes one. */
export function requireKey({ host }: ListenAddress, { accounts, keys }: Pick<Stores, 'accounts' | 'keys'>): void {
  if (isLoopback(host) || !accounts.hasAny() || keys.hasAnyUsable()) return
  throw new StartError(
    `listening on ${host} needs an API key and there is none in force; make one with 'inferd keys create --name NAME'`,
  )
}

/**
 * Returns the identity providers. Requires that their certificates can be read, and https where other machines reach the
 * address: codes and cookies pass over it.
 */
export function openIdentityProviders({ host, providers, publicUrl, tls, file }: Config): IdentityProviders {
  const isSecure = publicUrl === undefined ? tls !== 'off' : publicUrl.startsWith('https:')
  if (providers.size > 0 && !isLoopback(host) && !isSecure) {
    throw new StartError(
      `${file}: [oidc.${[...providers.keys()][0]}] needs https, by tls or by a public-url that begins with https://, since other machines reach ${host}`,
    )
  }
  return new IdentityProviders({ providers, readCa: (path) => readCertificates('[oidc] ca', path) })
}

/** Requires that the settings file's overrides fit existing models. */
export function requireRightOverrides(catalog: Catalog, file: string | undefined): void {
  const [problem] = catalog.overrideProblems()
  if (problem !== undefined) throw new StartError(`${file}: ${problem}`)
}

/** Returns the model to preload. Requires that it can be served. */
export function modelToPreload(catalog: Catalog, id: string): ResolvedModel {
  const resolved = catalog.resolve(id)
  if (resolved === undefined) throw new StartError(`there is no model "${id}" to preload; 'inferd list' shows the ids`)
  const { status } = resolved.entry
  if (status.kind === 'ready') return resolved
  const reason = status.kind === 'broken' ? status.reason : 'its files are not on this disk'
  throw new StartError(`model "${id}" cannot be preloaded: ${reason}`)
}

/** Settings that name models for one kind of work. */
type NamedModels = Pick<Config, 'moderationModel' | 'audioFallback'>

/** Requires that the models that settings name exist and do that kind of work. */
export function requireNamedModels(catalog: Catalog, { moderationModel, audioFallback }: NamedModels): void {
  requireNamed(catalog, 'moderation-model', moderationModel, kindsOfWork.moderate.modelTypes)
  requireNamed(catalog, 'audio-fallback', audioFallback, kindsOfWork.transcribe.modelTypes)
}

function requireNamed(catalog: Catalog, name: string, id: string | undefined, types: readonly ModelType[]): void {
  if (id === undefined) return
  const resolved = catalog.resolve(id)
  if (resolved === undefined) throw new StartError(`there is no model "${id}" for ${name}; 'inferd list' shows the ids`)
  const { type } = resolved.entry.manifest
  if (types.includes(type)) return
  throw new StartError(`${name} "${id}" is of type ${type}, and must be of type ${types.join(' or ')}`)
}

interface ListenWish extends ListenAddress {
  readonly door?: Door
  readonly tls?: ListenTls | undefined
}

/** Flags that choose the port of each door */
const portFlags: Readonly<Record<Door, string>> = {
  all: '--port',
  ollama: '--ollama-port',
  'to-https': '--http-port',
}

/** Listens on an address. Requires that it is free and belongs to this machine. */
export function listen(
  http: HttpServer,
  { host, port, door = 'all', tls }: ListenWish,
): { readonly url: string; readonly port: number } {
  try {
    return http.listen({ hostname: host, port, door, tls })
  } catch (error) {
    throw new StartError(listenProblem(error, { host, port }, portFlags[door]))
  }
}

/**
 * Listens with TLS at loopback addresses that an address leaves out, where programs of this machine are served without it.
 * Leaves out what this machine lacks, such as IPv6.
 */
export function listenOnLoopback(http: HttpServer, { host, port, tls }: ListenWish): void {
  for (const address of loopbacksBeside(host)) {
    try {
      http.listen({ hostname: address, port, tls })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') continue
      const advice = `${listenProblem(error, { host: address, port })}, or turn off local-http`
      throw new StartError(advice)
    }
  }
}

function loopbacksBeside(host: string): string[] {
  if (host === '::' || host === '[::]') return []
  if (host === '0.0.0.0') return ['::1']
  return isLoopback(host) ? [] : ['127.0.0.1', '::1']
}

/** Returns the port that leads to TLS. Undefined if there is none. */
export function clearPort({
  tls,
  httpPort,
  acmeChallenge,
}: Pick<Config, 'tls' | 'httpPort' | 'acmeChallenge'>): number | undefined {
  if (tls === 'off') return undefined
  return httpPort ?? (tls === 'acme' && acmeChallenge === 'http-01' ? 80 : undefined)
}

/** Returns a line for each team of the providers' settings that does not exist: its groups give nothing until it does. */
export function missingTeams({ providers }: Pick<Config, 'providers'>, known: Pick<Teams, 'find'>): string[] {
  return [...providers.values()].flatMap(({ name, teams }) =>
    [...teams.keys()]
      .filter((team) => known.find(team) === undefined)
      .map((team) => `[oidc.${name}.teams]: there is no team "${team}"; make it with 'inferd teams create'`),
  )
}
