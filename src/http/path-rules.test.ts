import { expect, test } from 'bun:test'
import { allowedMethods, pathRulesReader } from './path-rules.ts'
import { routesBelow } from './route.ts'
import { routes } from './routes.ts'

const rulesOf = pathRulesReader(routes)

test.each([
  '/v1/messages',
  '/v1/messages/',
  '/v1/messages/count_tokens',
  '/openai/v1/messages',
  '/v1/messages/no/such',
])('errors at %s have the shape of the messages dialect', (pathname) =>
  expect(rulesOf(pathname)).toMatchObject({ dialect: 'messages', isOwn: false }),
)

test.each(['/v1/embed', '/openai/v1/embed/', '/v2/embed', '/v2/rerank', '/v2/rerank/x', '/v2/none'])(
  'errors at %s have the shape of Cohere’s dialect',
  (pathname) => expect(rulesOf(pathname)).toMatchObject({ dialect: 'cohere', isOwn: false }),
)

test.each([
  '/v1/embeddings',
  '/v1/messagesx',
  '/v3/messages',
  '/messages',
  '/v1',
  '/v1/models/v1/messages',
  '',
  '/',
  '/v1/dashboard',
])('%p has the common rules', (pathname) => expect(rulesOf(pathname)).toMatchObject({ dialect: 'chat', isOwn: false }))

test.each([
  '/dashboard',
  '/dashboard/',
  '/dashboard/api/operations/keys-list',
  '/dashboard/none',
  '/confirm',
  '/sign-in/x',
])('%s is for pages of this server alone', (pathname) =>
  expect(rulesOf(pathname)).toMatchObject({ dialect: 'chat', isOwn: true }),
)

test.each(['/v1/signup', '/openai/v1/signup/'])('%s is for pages of this server alone', (pathname) =>
  expect(rulesOf(pathname).isOwn).toBe(true),
)

test.each([
  ['/v1/models', ['GET', 'HEAD', 'OPTIONS']],
  ['/v1/models/', ['GET', 'HEAD', 'OPTIONS']],
  ['/v1/models/a/b', ['GET', 'HEAD', 'OPTIONS']],
  ['/v1/responses/resp_1', []],
  ['/v1/messages/', ['POST', 'OPTIONS']],
  ['/', ['GET', 'HEAD', 'OPTIONS']],
  ['/v1', []],
  ['/v1/modelsx', []],
])('the methods of %s', (pathname, methods) => expect(allowedMethods(routes, pathname)).toEqual(methods))

test.each(['/api/chat', '/api', '/api/v1/api/tags', '/api/none'])(
  'errors at %s are texts, as in Ollama’s API',
  (pathname) => expect(rulesOf(pathname)).toEqual({ dialect: 'ollama', isOwn: false, mayBeKeyless: expect.anything() }),
)

test('a route for own pages keeps that rule below one of another dialect', () => {
  const handle = () => new Response()
  const rules = pathRulesReader(
    routesBelow('/v1', [
      { on: 'POST /messages', access: 'public', dialect: 'messages', handle },
      { on: 'POST /messages/settings', access: 'own-page', handle },
    ]),
  )
  expect(rules('/v1/messages')).toMatchObject({ dialect: 'messages', isOwn: false })
  expect(rules('/v1/messages/settings')).toMatchObject({ dialect: 'messages', isOwn: true })
})
