import { countModels } from '../../core/model-counts.ts'
import { nanoToDecimal } from '../../core/money.ts'
import { isStaff } from '../../core/roles.ts'
import { kindsOfWork } from '../../core/work.ts'
import { operationsOf } from '../../operations/operations.ts'
import { limits } from '../../wire/limits.ts'
import type { GuestStatus, MemberStatus } from '../../wire/pages/status.ts'
import { isHttps, sessionOf } from '../access.ts'
import { isLocal } from '../admin-reach.ts'
import type { Exchange } from '../exchange.ts'
import { reachFor } from '../own-commands.ts'
import { listedModels } from '../routes/models.ts'
import type { HttpServices } from '../services.ts'

type StatusServices =
  | 'rules'
  | 'config'
  | 'stores'
  | 'images'
  | 'spool'
  | 'catalog'
  | 'pool'
  | 'server'
  | 'identityProviders'

/** Serves GET status: facts of this server for pages. Models and limits are shown only after the sign-in. */
export function status(exchange: Exchange<StatusServices>): Response {
  const { services, baseUrl, url } = exchange
  const { isSignupOpen, localSignIn, sendsMail, starterCreditNanoUsd } = services.rules
  const providers = services.identityProviders?.list() ?? []
  const guest: GuestStatus = {
    signup_open: isSignupOpen,
    sends_mail: sendsMail,
    providers: providers.map(({ name, label }) => ({ name, label, start: `${baseUrl}/oidc/start/${name}` })),
    local_sign_in: localSignIn !== 'off' || isLocal(exchange),
    is_secure: isSecure(url, baseUrl),
    commands: reachFor(exchange) ?? null,
  }
  const secret = sessionOf(exchange)
  const session = secret === undefined ? undefined : services.stores.sessions.find(secret)
  if (session === undefined) return Response.json(guest)
  const member: MemberStatus = {
    ...guest,
    version: services.config.version,
    role: session.role,
    provider: session.provider ?? null,
    base_url: baseUrl,
    ...modelsOf(services),
    ...(isStaff(session.role) && { operations: operationsOf(session.role) }),
    ...(session.role === 'operator' && { downloads_running: downloadsRunning(services) }),
    starter_credit_usd: starterCreditNanoUsd === 0 ? null : nanoToDecimal(starterCreditNanoUsd),
    top_up_text: services.config.topUpText ?? null,
    limits: {
      image_bytes: services.images.limits.bytes,
      images: services.images.limits.count,
      audio_bytes: services.spool.fileLimitBytes,
      speech_chars: limits.speechCharacters.most,
    },
  }
  return Response.json(member)
}

/**
 * Tells whether nobody between can read the connection: the requested address `url` is the public one with https, or
 * that of this machine.
 */
export function isSecure(url: URL, baseUrl: string): boolean {
  const isLoopback = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(\.\d+){3}$/.test(url.hostname)
  return isLoopback || isHttps(url, baseUrl)
}

function downloadsRunning({ server }: Pick<HttpServices, 'server'>): number {
  return server?.library.pulls.states().filter(({ state }) => state === 'running').length ?? 0
}

function modelsOf(
  services: Pick<HttpServices, 'catalog' | 'pool'>,
): Pick<MemberStatus, 'models_installed' | 'models_loaded' | 'example_model'> {
  const ready = listedModels(services).filter(({ status }) => status.kind === 'ready')
  const chat = ready.filter(({ manifest }) => kindsOfWork.chat.modelTypes.includes(manifest.type))
  const example = chat.find(({ manifest }) => services.pool.isLoaded(manifest.id)) ?? chat[0]
  const statuses = services.catalog.entries().map(({ status: { kind } }) => kind)
  const { installed, loaded } = countModels({ statuses, engines: services.pool.status() })
  return { models_installed: installed, models_loaded: loaded, example_model: example?.manifest.id ?? null }
}
