/** Checks of settings before they are written: the next start must accept them, and no secret may be led elsewhere. */
import { openCatalog } from '../catalog/open-catalog.ts'
import { type Config, loadConfig } from '../config/config.ts'
import type { ConfigSources } from '../config/sources.ts'
import { isLoopback, listenProblem } from '../core/listen-address.ts'
import { OperationError } from '../operations/problem.ts'
import { requireCertificate } from './encryption.ts'
import { clearPort, modelToPreload, requireKey, requireNamedModels, requireRightOverrides } from './start-conditions.ts'

/** Returns the settings, checked as at a start. Throws ConfigError, StartError or Error. */
export function checkedConfig(
  sources: ConfigSources,
  { now, stores }: { readonly now: Config; readonly stores: Parameters<typeof requireKey>[1] },
): Config {
  const config = loadConfig(sources)
  requireModels(config)
  requireKey(config, stores)
  if (config.host !== now.host || config.port !== now.port)
    requireListenable(config.host, config.port === now.port ? 0 : config.port, '--port')
  if (config.ollamaPort !== undefined && config.ollamaPort !== now.ollamaPort)
    requireListenable(config.host, config.ollamaPort, '--ollama-port')
  const clear = clearPort(config)
  if (clear !== undefined && clear !== clearPort(now)) requireListenable(config.host, clear, '--http-port')
  requireCertificate(config, Date.now())
  return config
}

/**
 * Requires that the models to preload can be served, and that prices and settings are those of existing models, as at a
 * start. `manifestsFolder` defaults to that of the data folder. Throws StartError.
 */
export function requireModels(
  { data, file, preload, prices, models: settings, ...config }: Config,
  manifestsFolder?: string | undefined,
): void {
  const catalog = openCatalog(data, { overrides: { prices, settings }, manifestsFolder })
  requireRightOverrides(catalog, file)
  requireNamedModels(catalog, config)
  for (const id of preload) modelToPreload(catalog, id)
}

/** Listens for a moment. Throws if the address is not this machine's, is taken, or is not this user's to take. */
function requireListenable(host: string, port: number, flag: '--port' | '--ollama-port' | '--http-port'): void {
  try {
    Bun.listen({ hostname: host, port, socket: { data: () => undefined } }).stop(true)
  } catch (error) {
    throw new Error(listenProblem(error, { host, port }, flag))
  }
}

/**
 * Requires the mail server's password in a change of the place that it is sent to, or of its encryption. Otherwise a
 * stolen session could lead the password to a server of its own. Throws OperationError.
 */
export function requireMailPassword(
  now: Config,
  next: Config,
  texts: Readonly<Record<string, string | undefined>>,
): void {
  const password = next.mail?.password
  if (password === undefined || isLoopback(next.mail?.host ?? '')) return
  const place = ({ mail }: Config) => [mail?.host, mail?.port, mail?.security]
  if (Bun.deepEquals(place(now), place(next)) || texts['smtp-password'] === password) return
  const rule = 'must be typed again with a change of its server, to which it is sent'
  throw new OperationError({ code: 'invalid_input', field: 'smtp-password', rule })
}
