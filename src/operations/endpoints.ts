/** Endpoints of upstream models: their state, and drains by the operator. */
import { Type } from '@sinclair/typebox'
import type { EndpointState } from '../core/endpoint-state.ts'
import { auditors } from '../core/roles.ts'
import { lineOf, trueOrFalse } from './fields.ts'
import { actorOf, type OperationContext, type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const model = lineOf('is named by its id or an alias', 200)
const endpoint = lineOf('is named by its URL as listed, or by its host and port', 2_000)
const named = Type.Object({ model, endpoint })

/**
 * Lists the endpoints of all upstream models, or of one. `ask`: first asks all servers whether they have their model.
 */
export const listEndpoints = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  asksServer: true,
  input: Type.Object({ model: Type.Optional(model), ask: Type.Optional(trueOrFalse()) }),
  prepare: async (services, { ask = false }) => {
    if (ask) await endpointsOf(services).ask()
  },
  run: (services, { model: name }) => {
    const endpoints = endpointsOf(services)
    return { endpoints: endpoints.list(name === undefined ? undefined : idOf(services, name)).map(toListedEndpoint) }
  },
})

export type ListedEndpoint = ReturnType<typeof toListedEndpoint>

/** Returns the row of an operator's list. */
export function toListedEndpoint(endpoint: EndpointState) {
  const { model, url, state, outstanding, served, failed, refused, neutral, ...rest } = endpoint
  const { lastFailure, retryInMs, isSilent, outOfUse, contextTokens } = rest
  return {
    ...{ model, url, state, outstanding, served, failed, refused, neutral },
    ...{ lastFailure, retryInMs, isSilent, outOfUse, contextTokens },
  }
}

/**
 * Keeps an endpoint from further requests until it is resumed or the server restarts. Its running requests continue.
 */
export const drainEndpoint = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  run: (services, input) => setDraining(services, input, true),
})

export const resumeEndpoint = operation({
  callers: ['operator'],
  kind: 'write',
  input: named,
  run: (services, input) => setDraining(services, input, false),
})

function setDraining(
  services: OperationContext<'operator'>,
  { model: name, endpoint: endpointName }: { readonly model: string; readonly endpoint: string },
  isDraining: boolean,
) {
  const endpoints = endpointsOf(services)
  const id = idOf(services, name)
  const url = endpoints.find(id, endpointName)
  if (url === undefined) throw new OperationError({ code: 'not_found', what: 'endpoint', name: endpointName })
  const listed = () => endpoints.list(id).find((each) => each.url === url)
  const isNew = (listed()?.state === 'draining') !== isDraining
  const action = isDraining ? 'endpoint.drain' : 'endpoint.resume'
  if (isNew)
    services.stores.audit.append({ actor: actorOf(services.caller), action, details: { model: id, endpoint: url } })
  endpoints.setDraining(id, url, isDraining)
  return { model: id, url, outstanding: listed()?.outstanding ?? 0 }
}

function endpointsOf({ endpoints }: OperationServices): NonNullable<OperationServices['endpoints']> {
  if (endpoints === undefined) throw new OperationError({ code: 'no_server' })
  return endpoints
}

function idOf({ models }: OperationServices, name: string): string {
  const id = models?.find(name)
  if (id === undefined) throw new OperationError({ code: 'not_found', what: 'model', name })
  return id
}
