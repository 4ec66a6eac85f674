/** The route table: everything that is served, for whom, and by which handler. */

import type { WorkEvent } from '../core/work.ts'
import { operations } from '../operations/operations.ts'
import { NewKeyBody } from '../wire/dashboard.ts'
import type { WorkCall, WorkDialect } from '../wire/dialect.ts'
import { dialects } from '../wire/dialects.ts'
import { SignupBody } from '../wire/signup.ts'
import * as own from './dashboard/account.ts'
import { dashboardPage, signInPage } from './dashboard/pages.ts'
import { mailSignInLink, signIn, signInByLink, signOut } from './dashboard/sign-in.ts'
import { toOpenApi } from './openapi.ts'
import { type Route, type RouteRow, routesBelow } from './route.ts'
import { confirm } from './routes/confirm.ts'
import { errorDocs, modelDocs, routePage, welcome } from './routes/docs.ts'
import { health, ready } from './routes/health.ts'
import { listModels, retrieveModel } from './routes/models.ts'
import { noStoredResponses, refuseWebSocket } from './routes/responses-stateless.ts'
import { signup } from './routes/signup.ts'
import type { Exchange } from './services.ts'
import { workRoute } from './work-route.ts'

const json = 'application/json'
const page = ['text/html']
const linked = { query: ['token'], answers: page }
const usageReport = { query: ['by', 'from', 'to', 'format'], answers: [json, 'text/csv'] }

function work<Call extends WorkCall, Event extends WorkEvent>(dialect: WorkDialect<Call, Event>) {
  const answers = dialect.encoder === undefined ? [json] : [json, 'text/event-stream']
  return { handle: workRoute(dialect), body: dialect.body, answers }
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

const dashboardApi: readonly RouteRow[] = [
  {
    on: 'POST /sign-in',
    access: 'own-page',
    handle: signIn,
    body: operations['sessions-begin'].input,
    summary: 'Sign in by a password',
  },
  {
    on: 'POST /sign-in-link',
    access: 'own-page',
    handle: mailSignInLink,
    body: operations['sessions-send-link'].input,
    summary: 'Mail a link',
  },
  {
    on: 'POST /session',
    access: 'own-page',
    handle: signInByLink,
    body: operations['sessions-begin-by-link'].input,
    summary: 'Sign in by a mailed link',
  },
  { on: 'POST /sign-out', access: 'own-page', handle: signOut, summary: 'End the session' },
  { on: 'GET /me', access: 'session', handle: own.me, summary: 'Show the account that is signed in' },
  { on: 'GET /keys', access: 'session', handle: own.listKeys, summary: 'List the API keys' },
  { on: 'POST /keys', access: 'session', handle: own.createKey, body: NewKeyBody, summary: 'Create an API key' },
  { on: 'DELETE /keys/*', access: 'session', handle: own.revokeKey, summary: 'Revoke an API key' },
  { on: 'GET /usage', access: 'session', handle: own.usage, ...usageReport, summary: 'Sum up the usage' },
  {
    on: 'GET /ledger',
    access: 'session',
    handle: own.ledger,
    query: ['limit', 'before'],
    summary: 'List what moved money',
  },
  {
    on: 'POST /vouchers/redeem',
    access: 'session',
    handle: own.redeemVoucher,
    body: operations['vouchers-redeem'].input,
    summary: 'Redeem a voucher',
  },
  {
    on: 'POST /confirmation',
    access: 'session',
    handle: own.resendConfirmation,
    summary: 'Mail the confirmation again',
  },
  {
    on: 'POST /password',
    access: 'session',
    handle: own.setPassword,
    body: operations['accounts-set-password'].input,
    summary: 'Set the password',
  },
]

const rest: readonly RouteRow[] = [
  { on: 'GET /', access: 'public', handle: welcome, summary: 'Say where the API is' },
  { on: 'GET /openai', access: 'public', handle: welcome },
  { on: 'GET /health', access: 'public', handle: health, summary: 'Say that the server runs' },
  { on: 'GET /ready', access: 'public', handle: ready, summary: 'Say whether a model can be served' },
  { on: 'GET /openapi.json', access: 'public', handle: openApi, summary: 'Describe the API' },
  { on: 'GET /docs', access: 'public', handle: routeDocs, answers: page, summary: 'List the routes' },
  { on: 'GET /docs/errors', access: 'public', handle: errorDocs, answers: page, summary: 'List the error codes' },
  { on: 'GET /docs/models', access: 'public', handle: modelDocs, answers: page, summary: 'Describe the models' },
  { on: 'GET /confirm', access: 'own-host', handle: confirm, ...linked, summary: 'Confirm a mail address' },
  { on: 'GET /sign-in', access: 'own-host', handle: signInPage, ...linked, summary: 'Show where a mailed link leads' },
  { on: 'GET /dashboard', access: 'own-host', handle: dashboardPage, answers: page, summary: 'Show the dashboard' },
  { on: 'GET /dashboard/billing', access: 'own-host', handle: dashboardPage, answers: page, summary: 'Show the money' },
]

export const routes: readonly Route[] = [
  ...routesBelow('/v1', api),
  // The reference lists these once.
  ...routesBelow('/openai/v1', api).map((route) => ({ ...route, summary: undefined })),
  ...routesBelow('/dashboard/api', dashboardApi),
  ...routesBelow('', rest),
]

function openApi({ baseUrl, services }: Exchange): Response {
  return Response.json(toOpenApi(routes, { baseUrl, version: services.config.version }))
}

function routeDocs(): Response {
  return routePage(routes)
}
