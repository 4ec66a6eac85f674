/** The route table: everything that is served, for whom, and by which handler. */

import type { WorkEvent } from '../core/work.ts'
import { type OperationName, operations } from '../operations/operations.ts'
import { NewKeyBody } from '../wire/dashboard.ts'
import type { WorkCall, WorkDialect } from '../wire/dialect.ts'
import { dialects } from '../wire/dialects.ts'
import { pagePaths } from '../wire/page-paths.ts'
import { SignupBody } from '../wire/signup.ts'
import { operate, setUp } from './admin/operator-door.ts'
import * as own from './dashboard/account.ts'
import { mailSignInLink, signIn, signInByLink, signOut } from './dashboard/sign-in.ts'
import { toOpenApi } from './openapi.ts'
import { pageDocument, uiFile } from './pages/pages.ts'
import { type Route, type RouteRow, type RowsFor, routesBelow } from './route.ts'
import { confirm } from './routes/confirm.ts'
import { errorDocs, modelDocs, root, routePage, welcome } from './routes/docs.ts'
import { health, ready } from './routes/health.ts'
import { listModels, retrieveModel } from './routes/models.ts'
import { noStoredResponses, refuseWebSocket } from './routes/responses-stateless.ts'
import { listShared, sharedBlob } from './routes/share.ts'
import { signup } from './routes/signup.ts'
import type { Exchange } from './services.ts'
import { workRoute } from './work-route.ts'

const json = 'application/json'
const page = ['text/html']
const linked = { query: ['token'], answers: page }
const usageReport = { query: ['by', 'from', 'to', 'format'], answers: [json, 'text/csv'] }

function work<Call extends WorkCall, Event extends WorkEvent>(dialect: WorkDialect<Call, Event>) {
  const answers = dialect.encoder === undefined ? [json] : [json, 'text/event-stream']
  return { handle: workRoute(dialect), body: dialect.body, file: dialect.file, answers: dialect.answers ?? answers }
}

function takes(name: OperationName) {
  return { body: operations[name].input }
}

const api: readonly RouteRow[] = [
  { on: 'POST /chat/completions', access: 'key', ...work(dialects.chatCompletions), summary: 'Answer a conversation' },
  { on: 'POST /responses', access: 'key', ...work(dialects.responses), summary: 'Answer a conversation of items' },
  { on: 'POST /messages', access: 'key', dialect: 'messages', ...work(dialects.messages), summary: 'Answer messages' },
  { on: 'POST /messages/count_tokens', access: 'key', ...work(dialects.countedMessages), summary: 'Count tokens' },
  { on: 'POST /responses/input_tokens', access: 'key', ...work(dialects.countedResponses), summary: 'Count tokens' },
  { on: 'GET /responses', access: 'public', handle: refuseWebSocket },
  { on: 'GET /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'POST /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'DELETE /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'POST /embeddings', access: 'key', ...work(dialects.embeddings), summary: 'Embed texts' },
  { on: 'POST /rerank', access: 'key', ...work(dialects.rerank), summary: 'Rank documents by a query' },
  { on: 'POST /audio/speech', access: 'key', ...work(dialects.speech), summary: 'Speak a text' },
  {
    on: 'POST /audio/transcriptions',
    access: 'key',
    ...work(dialects.transcriptions),
    summary: 'Transcribe a recording',
  },
  {
    on: 'POST /signup',
    access: 'own-host',
    handle: signup,
    body: SignupBody,
    summary: 'Make an account and an API key',
  },
  { on: 'GET /account', access: 'key', handle: own.account, summary: 'Show the balance and the latest requests' },
  { on: 'GET /models', access: 'public', handle: listModels, query: ['type'], summary: 'List the models' },
  { on: 'GET /models/*', access: 'public', handle: retrieveModel, summary: 'Show a model' },
  { on: 'GET /openapi.json', access: 'public', handle: openApi },
]

const signInApi: RowsFor<'own-page'> = [
  { on: 'POST /sign-in', handle: signIn, ...takes('sessions-begin'), summary: 'Sign in by a password' },
  { on: 'POST /sign-in-link', handle: mailSignInLink, ...takes('sessions-send-link'), summary: 'Mail a link' },
  {
    on: 'POST /session',
    handle: signInByLink,
    ...takes('sessions-begin-by-link'),
    summary: 'Sign in by a mailed link',
  },
  { on: 'POST /sign-out', handle: signOut, summary: 'End the session' },
]

const accountApi: RowsFor<'session'> = [
  { on: 'GET /me', handle: own.me, summary: 'Show the account that is signed in' },
  { on: 'GET /keys', handle: own.listKeys, summary: 'List the API keys' },
  { on: 'POST /keys', handle: own.createKey, body: NewKeyBody, summary: 'Create an API key' },
  { on: 'DELETE /keys/*', handle: own.revokeKey, summary: 'Revoke an API key' },
  { on: 'GET /usage', handle: own.usage, ...usageReport, summary: 'Sum up the usage' },
  { on: 'GET /ledger', handle: own.ledger, query: ['limit', 'before'], summary: 'List what moved money' },
  { on: 'POST /vouchers/redeem', handle: own.redeemVoucher, ...takes('vouchers-redeem'), summary: 'Redeem a voucher' },
  { on: 'POST /confirmation', handle: own.resendConfirmation, summary: 'Mail the confirmation again' },
  { on: 'POST /password', handle: own.setPassword, ...takes('accounts-set-password'), summary: 'Set the password' },
]

const adminApi: readonly RouteRow[] = [
  { on: 'POST /setup', access: 'own-admin', handle: setUp, ...takes('admin-setup'), summary: 'Use a setup link' },
  { on: 'POST /operations/*', access: 'operator', handle: operate, summary: 'Do what the command line can' },
]

const rest: readonly RouteRow[] = [
  { on: 'GET /', access: 'public', handle: root, summary: 'Say where the API is' },
  { on: 'GET /openai', access: 'public', handle: welcome },
  { on: 'GET /health', access: 'public', handle: health, summary: 'Say that the server runs' },
  { on: 'GET /ready', access: 'public', handle: ready, summary: 'Say whether a model can be served' },
  { on: 'GET /openapi.json', access: 'public', handle: openApi, summary: 'Describe the API' },
  { on: 'GET /docs', access: 'public', handle: routeDocs, answers: page, summary: 'List the routes' },
  { on: 'GET /docs/errors', access: 'public', handle: errorDocs, answers: page, summary: 'List the error codes' },
  { on: 'GET /docs/models', access: 'public', handle: modelDocs, answers: page, summary: 'Describe the models' },
  { on: 'GET /confirm', access: 'own-host', handle: confirm, ...linked, summary: 'Confirm a mail address' },
  ...pagePaths.map((path) => {
    const access = path.startsWith('/admin') ? 'own-admin' : 'own-host'
    return { on: `GET ${path}`, access, handle: pageDocument, answers: page } as const
  }),
  { on: 'GET /ui/*', access: 'own-host', handle: uiFile, answers: ['*/*'] },
]

const shareApi: RowsFor<'share'> = [
  { on: 'GET /models', handle: listShared, summary: 'List the models that other boxes may fetch' },
  {
    on: 'GET /blobs/*',
    handle: sharedBlob,
    answers: ['application/octet-stream'],
    summary: 'Fetch a file by its SHA-256',
  },
]

export const routes: readonly Route[] = [
  ...routesBelow('/v1', api),
  // The reference lists these once.
  ...routesBelow('/openai/v1', api).map((route) => ({ ...route, summary: undefined })),
  ...routesBelow('/dashboard/api', [
    ...signInApi.map((row) => ({ access: 'own-page', ...row }) as const),
    ...accountApi.map((row) => ({ access: 'session', ...row }) as const),
  ]),
  ...routesBelow('/admin/api', adminApi),
  ...routesBelow(
    '/share/v1',
    shareApi.map((row) => ({ access: 'share', ...row }) as const),
  ),
  ...routesBelow('', rest),
]

function openApi({ baseUrl, services }: Exchange): Response {
  return Response.json(toOpenApi(routes, { baseUrl, version: services.config.version }))
}

function routeDocs(exchange: Exchange): Response {
  return routePage(exchange, routes)
}
