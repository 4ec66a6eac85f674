/** Certified OpenID provider (oidc-provider) on the loopback address, whose sign-in page is a link for each person. */
import { createServer, type RequestListener } from 'node:http'
import Provider, { type Configuration } from 'oidc-provider'

interface Person {
  readonly email: string
  readonly email_verified: boolean
  readonly name: string
  readonly groups: readonly string[]
}

export interface CertifiedProvider extends AsyncDisposable {
  readonly issuer: string
  /** People who can sign in, by their id. */
  readonly people: Map<string, Person>
  /** Begins to serve a client at this address. */
  serve(clientUrl: string): void
}

export const certifiedClient = { clientId: 'inferd', clientSecret: 'a secret of the client' }

export async function startCertifiedProvider(): Promise<CertifiedProvider> {
  const people = new Map<string, Person>()
  let listener: RequestListener | undefined
  const server = createServer((request, response) => listener?.(request, response))
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider has no port: this is a bug')
  const issuer = `http://127.0.0.1:${address.port}`
  return {
    issuer,
    people,
    serve: (clientUrl) => {
      listener = providerListener(issuer, { people, clientUrl })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Served {
  readonly people: CertifiedProvider['people']
  readonly clientUrl: string
}

function providerListener(issuer: string, { people, clientUrl }: Served): RequestListener {
  const configuration: Configuration = {
    clients: [
      {
        client_id: certifiedClient.clientId,
        client_secret: certifiedClient.clientSecret,
        redirect_uris: [`${clientUrl}/oidc/callback/company`],
        post_logout_redirect_uris: [`${clientUrl}/dashboard/sign-in`],
        backchannel_logout_uri: `${clientUrl}/oidc/logout/company`,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_, id) => {
      const person = people.get(id)
      return person && { accountId: id, claims: () => ({ sub: id, ...person }) }
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`
        },
      },
    },
  }
  const provider = new Provider(issuer, configuration)
  const serve = provider.callback()
  return (request, response) => {
    const url = new URL(request.url ?? '', issuer)
    if (!url.pathname.startsWith('/interaction/')) return serve(request, response)
    const person = url.searchParams.get('as')
    if (person !== null) return provider.interactionFinished(request, response, { login: { accountId: person } })
    const links = [...people.keys()].map((id) => `<p><a href="${url.pathname}?as=${id}">${id}</a></p>`)
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Provider</title>${links.join('')}`)
  }
}
